"""Into how many sub-steps a step is divided: by an estimate of the error, by how stiff elements are, and by other criteria.

The estimate is that of a predictor and a corrector: the velocity that is extrapolated to the present time differs from the mean
of those half a sub-step before and after it by a second difference, Δ²v = h²·d²v/dt². The leapfrog integrator makes errors of
h²·d²v/dt²/24 per second in each coordinate, so that Δ²v/24 is the error that a coordinate gains per second, whatever the step.

A ball joint or a free body has its angular velocity in axes that spin with the body. There the error of a spinning body is
larger by the ratio of its moments of inertia, because precession is slower than the spin by that ratio.

Counts of sub-steps are powers of two. What is decided depends on nothing but the state and the few numbers that a
:class:`SubSteps` carries, so that a run may be portioned, stopped and restarted without any difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import mujoco
import numpy as np

from ossature.simulation.checkpointing import Memory
from ossature.simulation.compile.integrator_choice import MOST_SUB_STEPS_BY_ERROR, Integrator, IntegratorChoice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

Criterion: TypeAlias = "Callable[[float], int]"
"""Returns into how many parts the step of a length [s] has to be divided that begins now, with the engine's positions,
velocities and contacts of the present time; 1 if it need not be."""

WATCHED_EVERY = 8
"""Steps from one estimate to the next while the error is far below the tolerance; twice as many without springs and dampers."""

_NEAR = 0.5
"""Share of the tolerance from which each step is watched, and its velocities are corrected."""
_CALM = 4
"""Steps that have to be easy before steps are divided less, or are watched less."""
_GAIN = 0.7
"""A division that leaves more than this share of the error meets a jump, which no division resolves."""
_HELPS = 4.0
"""Ratio by which dividing has to make an error smaller to be worth its time."""
_LONGEST_PAUSE = 512
"""Steps after which dividing is tried again at the latest, if it did not help."""
_GROWTH = 16.0
"""Ratio by which an error may grow before dividing is tried again at once."""


@dataclass(slots=True)
class StepRecord:
    """What happened to the steps of a run.

    Attributes:
        steps: How many steps were estimated one by one, or divided.
        sub_steps: Of how many sub-steps these consisted.
        most: The largest count of sub-steps in one step.
        most_at: The time of the first such step [s].
        largest_error: The largest estimated error that a step was accepted with [m/s or rad/s].
        largest_at: The time of that step [s].
        largest_dof: The engine's degree of freedom with that error.
        unmet: Time, degree of freedom and estimated error of the first step that no division brought below the tolerance.
    """

    steps: int = 0
    sub_steps: int = 0
    most: int = 1
    most_at: float = 0.0
    largest_error: float = 0.0
    largest_at: float = 0.0
    largest_dof: int = -1
    unmet: tuple[float, int, float] | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A step that is tried.

    Attributes:
        count: Of how many sub-steps it consists.
        first_error: The error of the first attempt [share of the tolerance]; infinity if this is it.
        error: The error of the attempt before this one, likewise.
        is_jump: Whether the attempt before was divided in vain.
    """

    count: int
    first_error: float = math.inf
    error: float = math.inf
    is_jump: bool = False


class SubSteps:
    """Decides into how many sub-steps each step is divided.

    Args:
        model: The engine's model.
        choice: The integrator and its step control.

    Attributes:
        count: Sub-steps of the next step.
        is_watching: Whether each step is estimated.
        is_first: Whether the next step is to be tried in two parts, because there is nothing before it to estimate by.
        record: What happened so far; not part of the state.
        harmless: Sum of squares of second differences of velocities below which all errors are far below the tolerance.
    """

    def __init__(self, model: Any, choice: IntegratorChoice) -> None:
        control = choice.control
        self._allows = control.allows_sub_steps
        self.tolerance = control.tolerance
        self._least = choice.sub_steps if self._allows else 1
        self._most = max(MOST_SUB_STEPS_BY_ERROR, self._least) if self._allows else 1
        self._weights: Vector = error_weights(model) / control.tolerance
        # Differences with a smaller sum of squares need not be looked at one by one.
        self.harmless = (_NEAR / self._weights.max()) ** 2 if model.nv else math.inf
        self._always = choice.scheme is Integrator.CENTRED and (control.is_stated or self._least > 1)
        self._calm = self._ignored = self._in_vain = 0
        self._ignored_error = 0.0
        self.is_first = False
        self.count = self._least
        # The first steps show how fast the motion is.
        self.is_watching = choice.scheme is Integrator.CENTRED
        self.record = StepRecord(most=self._least)

    def memory(self) -> Memory:
        """Return what it decides the next steps by."""
        numbers = [self.count, int(self.is_watching), self._calm, self._ignored, self._in_vain, int(self.is_first)]
        return {"control": np.array(numbers), "ignored error": np.array([self._ignored_error])}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what it decides the next steps by."""
        count, is_watching, calm, ignored, in_vain, is_first = (int(n) for n in memory["control"].tolist())
        if not 1 <= count <= self._most:
            raise ValueError(f"{count} sub-steps are not allowed")
        self.count, self.is_watching, self.is_first = count, bool(is_watching), bool(is_first)
        self._calm, self._ignored, self._in_vain = calm, ignored, in_vain
        self._ignored_error = float(memory["ignored error"][0])

    def adopt(self, before: SubSteps) -> None:
        """Go on as before the same World was compiled anew."""
        self.recall(before.memory())
        self.record = before.record

    def limited(self, count: int) -> int:
        """Return the count of sub-steps to take if a criterion asks for so many."""
        return min(_power_of_two(count), MOST_SUB_STEPS_BY_ERROR) if self._allows else 1

    def note(self, time: float, count: int) -> None:
        """Take note of a divided step that ended at a time [s]."""
        record = self.record
        record.steps += 1
        record.sub_steps += count
        if count > record.most:
            record.most, record.most_at = count, time

    def error(self, difference: Vector) -> tuple[float, int]:
        """Return the largest error [share of the tolerance] by the second differences of velocities, and what has it."""
        errors = np.abs(difference * self._weights)
        dof = int(errors.argmax()) if errors.size else -1
        return (float(errors[dof]) if errors.size else 0.0), dof

    def watch(self, difference: Vector) -> bool:
        """Watch each step from now on if the second differences of velocities say so; return whether it is."""
        error, _ = self.error(difference)
        if not error < _NEAR:
            self.is_watching, self._calm = True, 0
            self.count = self._divided(1, error)
        return self.is_watching

    def require(self, count: int) -> None:
        """Divide the next step into a count of sub-steps at least, as far as dividing is allowed."""
        count = self.limited(count)
        if count > self.count:
            self.count, self.is_watching = count, True
        if count > 1:
            self._calm = 0

    def start(self) -> None:
        """Begin anew: of the first step that follows nothing is known before it is tried."""
        self.is_first = self.is_watching and self._allows

    def probe(self, error: float) -> None:
        """Choose the count of the first step by the error of one in two parts [share of the tolerance].

        The staggered velocities begin with an error of four times that which such a step makes in a second.
        """
        self.is_first = False
        self.count = max(self.count, self._divided(1, 64.0 * error / 1.2))

    def begin(self) -> Attempt:
        """Return how to try the next step."""
        return Attempt(self.count)

    def again(self, attempt: Attempt, error: float) -> Attempt | None:
        """Return how to try a step again, or None to accept it.

        Args:
            attempt: How it was taken.
            error: Its largest error [share of the tolerance].
        """
        is_ignored = self._ignored > 0 and error < _GROWTH * self._ignored_error
        if error <= 1.0 or is_ignored or attempt.count >= self._most:
            return None
        if math.isfinite(error) and error > _GAIN * attempt.error:
            # A velocity jumps, which no division resolves; or all is unstable, as the next step will show.
            if not self._in_vain:
                return None
            return Attempt(self._most, attempt.first_error, error)
        first = error if math.isinf(attempt.first_error) else attempt.first_error
        return Attempt(self._divided(attempt.count, error), first, error)

    def accept(self, time: float, attempt: Attempt, error: float, dof: int) -> None:
        """Take note of a step and decide how the next one is divided.

        Args:
            time: When it ended [s].
            attempt: How it was taken.
            error: Its largest error [share of the tolerance].
            dof: The engine's degree of freedom with that error.
        """
        self.note(time, attempt.count)
        is_met = error <= 1.0
        is_jump = not is_met and attempt.count < self._most and not self._ignored
        if not is_jump:
            self._judge(time, attempt, error, dof)
        self._in_vain = 0 if is_met else self._in_vain + 1
        if self._ignored:
            self._ignored -= 1
        # With half as many sub-steps the error is four times as large, which should leave it at half of the tolerance.
        easy = 0.125 if self.count > self._least else _NEAR
        self._calm = self._calm + 1 if error < easy else 0
        if self._calm < _CALM:
            return
        if self.count > self._least:
            self._calm, self.count = 0, self.count // 2
        elif not self._always:
            self._calm, self.is_watching = 0, False

    def _judge(self, time: float, attempt: Attempt, error: float, dof: int) -> None:
        """Take note of an error that belongs to the integration, and divide the next step as this one."""
        record, absolute = self.record, error * self.tolerance
        if absolute > record.largest_error:
            record.largest_error, record.largest_at, record.largest_dof = absolute, time, dof
        self.count = attempt.count
        if error <= 1.0:
            return
        if record.unmet is None:
            record.unmet = (time, dof, absolute)
        if attempt.first_error < _HELPS * error:
            # Dividing does not help: something chatters. It is tried again later, and ever more rarely.
            self.count, self._ignored = self._least, min(2**self._in_vain, _LONGEST_PAUSE)
            self._ignored_error = error

    def _divided(self, count: int, error: float) -> int:
        """Return the count of sub-steps that should bring an error below the tolerance."""
        if not math.isfinite(error):
            return min(4 * count, self._most)
        # Errors fall with the square of the sub-step; a little less than the tolerance is aimed at.
        return max(self._least, min(_power_of_two(count * math.sqrt(max(1.2 * error, 1.0))), self._most))


def _power_of_two(count: float) -> int:
    return 1 << max(0, math.ceil(math.log2(count)))


def error_weights(model: Any) -> Vector:
    """Return what the second difference of each velocity is multiplied by to have the error that it gains per second."""
    weights = np.full(model.nv, 1.0 / 24.0)
    for joint in range(model.njnt):
        kind, first = model.jnt_type[joint], int(model.jnt_dofadr[joint])
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            first += 3
        elif kind != mujoco.mjtJoint.mjJNT_BALL:
            continue
        moments = model.dof_M0[first : first + 3]
        weights[first : first + 3] = float(moments.max() / moments.min()) / 12.0
    return weights
