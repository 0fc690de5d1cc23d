"""Step size control: the number of sub-steps of a step, by an error estimate, the stiffness of elements, and other criteria.

The estimate compares a predictor and a corrector: the velocity that is extrapolated to the present time differs from the mean
of those half a sub-step before and after it by a second difference, Δ²v = h²·d²v/dt². The leapfrog integrator makes errors of
h²·d²v/dt²/24 per second in each coordinate, so that Δ²v/24 is the error that a coordinate gains per second, whatever the step.

Errors of the rotations of ball joints and free bodies are larger:
:mod:`ossature.simulation.stepping.rotation_error_factors`.

Counts of sub-steps are powers of two. Decisions depend only on the state and the saved state of a
:class:`SubSteps`, so that a run can be divided into calls, stopped and restarted bit-exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_choice import MOST_SUB_STEPS_BY_ERROR, Integrator
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.compiled_stepping_structs import Program
from ossature.simulation.stepping.rotation_error_factors import RotationErrorFactors

Criterion: TypeAlias = "Callable[[float], int]"
"""Returns the number of parts for the step of a length [s] that starts now, with the engine's positions,
velocities and contacts of the present time; 1 for an undivided step."""

STEPS_BETWEEN_ESTIMATES = 8
"""Steps from one estimate to the next while the error is far below the tolerance; twice as many without springs and dampers."""

_WATCH_SHARE = 0.5
"""Share of the tolerance from which the error of each step is estimated, and its velocities are corrected."""
_EASY_STEPS = 4
"""Successive steps with a small error after which steps are divided less, or their error is estimated less often."""
_JUMP_RATIO = 0.7
"""If more than this share of the error remains after a division, it is a jump, which no division resolves."""
_MIN_IMPROVEMENT = 4.0
"""Smallest ratio by which a division has to reduce an error to be worth its time."""
_MAX_PAUSE = 512
"""Largest number of steps until division is tried again after it did not reduce the error."""
_MAX_ERROR_GROWTH = 16.0
"""Ratio of errors from which division is tried again at once."""


@dataclass(slots=True)
class StepRecord:
    """Statistics of the steps of a run.

    Attributes:
        steps: Number of steps with an error estimate of their own, or divided.
        sub_steps: Number of their sub-steps.
        most: The largest count of sub-steps in one step.
        most_at: The time of the first such step [s].
        largest_error: The largest estimated error of an accepted step [m/s or rad/s].
        largest_at: The time of that step [s].
        largest_dof: The engine's degree of freedom with that error.
        unmet: Time, degree of freedom and estimated error of the first step that exceeds the tolerance in spite of division.
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
    """One attempt at a step.

    Attributes:
        count: The number of its sub-steps.
        first_error: The error of the first attempt [share of the tolerance]; infinite if this is the first one.
        error: The error of the attempt before this one [share of the tolerance].
    """

    count: int
    first_error: float = math.inf
    error: float = math.inf


class SubSteps:
    """Decides into how many sub-steps each step is divided.

    Args:
        compiled: The compiled World, with its integrator and step control.

    Attributes:
        count: Sub-steps of the next step.
        is_watching: Whether the error of each step is estimated.
        has_exceeded_tolerance: Whether an error exceeded the tolerance since the error of each step is estimated.
        is_first: Whether two steps are tried before the next one, because there is no earlier step for an estimate.
        record: Statistics so far; not part of the state.
        allows_sub_steps: Whether steps may be divided.
    """

    def __init__(self, compiled: EngineModel) -> None:
        choice = compiled.choice
        control = choice.control
        self.allows_sub_steps = control.allows_sub_steps
        self.tolerance = control.tolerance
        self._least = choice.sub_steps if self.allows_sub_steps else 1
        self._most = max(MOST_SUB_STEPS_BY_ERROR, self._least) if self.allows_sub_steps else 1
        self._compiled = compiled
        self._weight = 1.0 / (24.0 * control.tolerance)
        self._always_watches = choice.integrator is Integrator.CENTRED and (control.is_specified or self._least > 1)
        self._easy_count = self._pause = self._failed_count = 0
        self._pause_error = 0.0
        self.is_first = self.has_exceeded_tolerance = False
        self.count = self._least
        # The first steps show how fast the motion is.
        self.is_watching = choice.integrator is Integrator.CENTRED
        self.record = StepRecord(most=self._least)

    @cached_property
    def _rotations(self) -> RotationErrorFactors:
        return RotationErrorFactors(self._compiled)

    @cached_property
    def negligible_square(self) -> float:
        """Sum of squares of second differences of velocities for which no error needs attention."""
        factor = self._weight * self._rotations.largest_factor
        # Zero or infinite with tolerances near the smallest or the largest number.
        difference = _WATCH_SHARE / factor if factor else math.inf
        return difference * difference

    def describe(self, program: Program, kept: list[Any]) -> None:
        """Set what the compiled loop needs to estimate errors; the arrays of it are kept in a list."""
        program.error_weight = self._weight
        self._rotations.describe(program, kept)

    def get_state(self) -> ComponentState:
        """Return the numbers that determine the next steps."""
        numbers = [self.count, int(self.is_watching), self._easy_count, self._pause, self._failed_count, int(self.is_first)]
        numbers.append(int(self.has_exceeded_tolerance))
        return {"control": np.array(numbers), "ignored error": np.array([self._pause_error])}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        numbers = [int(number) for number in saved_state["control"].tolist()]
        count, is_watching, easy_count, pause, failed_count, is_first = numbers[:6]
        if not 1 <= count <= self._most:
            raise ValueError(f"{count} sub-steps are not allowed")
        self.count, self.is_watching, self.is_first = count, bool(is_watching), bool(is_first)
        self.has_exceeded_tolerance = any(numbers[6:])  # not in states of earlier versions
        self._easy_count, self._pause, self._failed_count = easy_count, pause, failed_count
        self._pause_error = float(saved_state["ignored error"][0])

    def adopt(self, before: SubSteps) -> None:
        """Continue as in an earlier compilation of the same World."""
        self.set_state(before.get_state())
        self.record = before.record

    def limited(self, count: int) -> int:
        """Return the count of sub-steps for the number of parts that a criterion requires."""
        return min(_power_of_two(count), MOST_SUB_STEPS_BY_ERROR) if self.allows_sub_steps else 1

    def record_step(self, time: float, count: int) -> None:
        """Record a divided step that ended at a time [s]."""
        record = self.record
        record.steps += 1
        record.sub_steps += count
        if count > record.most:
            record.most, record.most_at = count, time

    def error(self, difference: Vector, velocities: Vector) -> tuple[float, int]:
        """Return the largest error [share of the tolerance] by second differences of velocities, and its dof."""
        errors = np.abs(difference * self._weight)
        if self._rotations.dofs.size:
            errors[self._rotations.dofs] *= self._rotations.at(velocities)
        dof = int(errors.argmax()) if errors.size else -1
        return (float(errors[dof]) if errors.size else 0.0), dof

    def watch(self, difference: Vector, velocities: Vector) -> bool:
        """Estimate the error of each step from now on if second differences of velocities are large; return whether it is."""
        error, _ = self.error(difference, velocities)
        if not error < _WATCH_SHARE:
            self.is_watching, self._easy_count = True, 0
            self.count = self._refined_count(1, error)
        return self.is_watching

    def require(self, count: int) -> None:
        """Divide the next step into at least a count of sub-steps, if division is allowed."""
        count = self.limited(count)
        if count > self.count:
            self.count, self.is_watching = count, True
        if count > 1:
            self._easy_count = 0

    def start(self) -> None:
        """Start again: there is no estimate for the first step before it is tried."""
        self.is_first = self.is_watching and self.allows_sub_steps

    def probe(self, error: float) -> None:
        """Choose the count of the first step by the error of two steps from its start [share of the tolerance].

        The staggered velocities start with an error of sixteen times that of such a step in one second.
        """
        self.is_first = False
        self.count = max(self.count, self._refined_count(1, 16.0 * error / 1.2))

    @property
    def easy_steps(self) -> int:
        """Number of undivided steps after whose small errors the next ones need no estimate, if errors are small already."""
        is_easy = self._easy_count > 0 and self.count == self._least == 1 and not (self._pause or self.is_first)
        return _EASY_STEPS - self._easy_count if is_easy and not self._always_watches else 0

    @staticmethod
    def is_easy(error: float) -> bool:
        """Whether the error of undivided steps is small [share of the tolerance]."""
        return error < _WATCH_SHARE

    def accept_easy_steps(self, time: float, count: int, error: float, dof: int) -> None:
        """Record undivided steps with small errors.

        Args:
            time: The time of the end of the step with the largest error [s].
            error: The largest error [share of the tolerance].
            dof: The engine's degree of freedom with that error.
        """
        for _ in range(count):
            self.accept(time, Attempt(1), error, dof)

    def first_attempt(self) -> Attempt:
        """Return the first attempt at the next step."""
        return Attempt(self.count)

    def retry(self, attempt: Attempt, error: float) -> Attempt | None:
        """Return the next attempt at a step, or None to accept it.

        Args:
            error: Its largest error [share of the tolerance].
        """
        self.has_exceeded_tolerance |= not error <= 1.0
        is_paused = self._pause > 0 and error < _MAX_ERROR_GROWTH * self._pause_error
        if error <= 1.0 or is_paused or attempt.count >= self._most:
            return None
        if math.isfinite(error) and error > _JUMP_RATIO * attempt.error:
            # A velocity jumps, which no division resolves; or the simulation is unstable, as the next step will show.
            return Attempt(self._most, attempt.first_error, error) if self._failed_count else None
        first = error if math.isinf(attempt.first_error) else attempt.first_error
        return Attempt(self._refined_count(attempt.count, error), first, error)

    def accept(self, time: float, attempt: Attempt, error: float, dof: int) -> None:
        """Record a step and set the division of the next one.

        Args:
            time: The time of its end [s].
            error: Its largest error [share of the tolerance].
            dof: The engine's degree of freedom with that error.
        """
        self.record_step(time, attempt.count)
        is_met = error <= 1.0
        is_jump = not is_met and attempt.count < self._most and not self._pause
        if not is_jump:
            self._record_error(time, attempt, error, dof)
        self._failed_count = 0 if is_met else self._failed_count + 1
        if self._pause:
            self._pause -= 1
        # With half as many sub-steps the error is four times as large, which should be half of the tolerance at most.
        easy = 0.125 if self.count > self._least else _WATCH_SHARE
        self._easy_count = self._easy_count + 1 if error < easy else 0
        if self._easy_count < _EASY_STEPS:
            return
        if self.count > self._least:
            self._easy_count, self.count = 0, self.count // 2
        elif not self._always_watches:
            self._easy_count, self.is_watching, self.has_exceeded_tolerance = 0, False, False

    def _record_error(self, time: float, attempt: Attempt, error: float, dof: int) -> None:
        """Record an error of the integration, and divide the next step as this one."""
        record, absolute = self.record, error * self.tolerance
        if absolute > record.largest_error:
            record.largest_error, record.largest_at, record.largest_dof = absolute, time, dof
        self.count = attempt.count
        if error <= 1.0:
            return
        if record.unmet is None:
            record.unmet = (time, dof, absolute)
        if attempt.first_error < _MIN_IMPROVEMENT * error:
            # Division does not help: the motion chatters. It is tried again after increasing pauses.
            self.count, self._pause = self._least, min(2**self._failed_count, _MAX_PAUSE)
            self._pause_error = error

    def _refined_count(self, count: int, error: float) -> int:
        """Return the count of sub-steps that should reduce an error below the tolerance."""
        if not math.isfinite(error):
            return min(4 * count, self._most)
        # Errors decrease with the square of the sub-step; the factor 1.2 is a safety margin.
        return max(self._least, min(_power_of_two(count * math.sqrt(max(1.2 * error, 1.0))), self._most))


def _power_of_two(count: float) -> int:
    return 1 << max(0, math.ceil(math.log2(count)))
