"""How a motor moves to commanded positions: at constant speed within one step, also if a function in Python jumps to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ossature.array_types import AnyArray, BoolArray, Vector
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.command_signals import CallbackSignal

_ROUNDING = 1e-6
"""Share of a time step below which two times are one."""
_FAR = 10.0
"""Change of a motor's velocity in a step to a commanded position from which the position is far [m/s or rad/s]."""
_PARTS_OF_STEP = 64
"""Parts of a step in which a jump of a position is searched."""
_EQUAL = 1e-12
"""Share of a coordinate below which a change is caused by rounding."""


def find_jumps(values: Vector) -> BoolArray:
    """Return between which of successive values there is a jump, without the first and last ones: shape (values - 3, ...).

    A change that is more than twice each of those beside it is a jump.
    """
    changes = np.abs(np.diff(values, axis=0))
    are_jumps: BoolArray = changes[1:-1] > 2.0 * np.maximum(changes[:-2], changes[2:]) + _EQUAL * np.abs(values).max(axis=0)
    return are_jumps


@dataclass(frozen=True, slots=True)
class Approach:
    """The motion of a motor from its coordinate to a commanded position: at constant speed, within one step.

    Attributes:
        distance: The commanded position less the coordinate, both at the start of the step [m or rad].
        end: The time at which the commanded position is reached [s].
        step: The time step [s].
    """

    distance: float = 0.0
    end: float = 0.0
    step: float = 1.0

    @property
    def velocity(self) -> float:
        """Its velocity, in addition to that of the command [m/s or rad/s]."""
        return self.distance / self.step

    @property
    def is_fast(self) -> bool:
        """Whether this velocity may be that of a jump to a far position."""
        return abs(self.velocity) >= _FAR

    def remaining(self, times: Vector) -> Vector:
        """Return the distance to the commanded position at times [s]."""
        return np.where(self.is_under_way(times), self.velocity * (self.end - times), 0.0)

    def is_under_way(self, time: Any) -> Any:
        """Whether the commanded position is not reached at a time, or at each of several times [s]."""
        return time < self.end - _ROUNDING * self.step

    def ends_at(self, time: float) -> bool:
        """Whether a commanded position that is not the present one is reached at a time [s]."""
        return self.distance != 0.0 and abs(time - self.end) < _ROUNDING * self.step


class FarPosition(NamedTuple):
    """A commanded position that a motor reaches within a step, much faster than it moved before.

    Attributes:
        distance: The distance to it [m or rad].
        velocity: The velocity in the step [m/s or rad/s].
    """

    distance: float
    velocity: float


def far_position(distance: float, step: float, velocity: float) -> FarPosition | None:
    """Return a position at a distance [m or rad] if a motor reaches it in a step [s] much faster than it moves now."""
    return FarPosition(distance, distance / step) if abs(distance / step - velocity) >= _FAR else None


class PositionFunction:
    """Positions that a function in Python commands: the motor moves at constant speed in a step in which they jump.

    Args:
        signal: The function.
        step: The time step [s].
        time: The time of the command [s].
        position: The motor's coordinate at this time [m or rad].

    Attributes:
        approach: Its motion in the last step in which a jump was searched; without a distance if there was none.
        far_position: The first far position, or None.
    """

    def __init__(self, signal: CallbackSignal, step: float, time: float, position: float) -> None:
        self._signal, self._step = signal, step
        self._time, self._position, self._velocity, self._target = time, position, 0.0, position
        self.approach = Approach()
        self.far_position: FarPosition | None = None

    def at(self, time: float) -> float:
        """Return the position at a time [s], which is the end of a step or sub-step."""
        start, before = self._time, self._position
        self._time, self._position = time, self._motion_at(time)
        if abs(time - start - self._step) < _ROUNDING * self._step:
            # A step that is not divided: whether the position jumps is important for findings only.
            velocity, self._velocity = self._velocity, (self._position - before) / self._step
            if abs(self._velocity - velocity) >= _FAR:
                self._plan_step(start, before)
        return self._position

    def _motion_at(self, time: float) -> float:
        approach = self.approach
        elapsed = time - approach.end + approach.step
        if approach.distance and -_ROUNDING < elapsed / approach.step < 1.0 + _ROUNDING:
            return self._target - float(approach.remaining(np.array([time]))[0])
        return float(self._signal.at(time)[0])

    def plan_step(self, time: float) -> None:
        """Find out whether the position jumps in the step from a time on [s], unless this is the step that was planned last."""
        if not (self.approach.end - self._step - time < _ROUNDING * self._step and self.approach.is_under_way(time)):
            self._plan_step(time, self._position_at_start(time))

    def _plan_step(self, time: float, start: float) -> None:
        positions = [start, *(self._evaluate(each) for each in np.linspace(time, time + self._step, _PARTS_OF_STEP + 1))]
        before, self._target = self.approach, positions[-1]
        distance = self._target - start if find_jumps(np.array([start, *positions, self._target])).any() else 0.0
        self.approach = Approach(distance, time + self._step, self._step)
        if self.far_position is None and np.abs(np.diff(positions)).max() >= _FAR * self._step:
            self.far_position = far_position(distance, self._step, before.velocity if before.ends_at(time) else 0.0)

    def velocity_of_jump(self, time: float, velocity: float, least: float) -> float | None:
        """Return the velocity in the step from a time on [s] if the position jumps in it, else None.

        Args:
            velocity: The mean velocity in the step without a jump [m/s or rad/s].
            least: The least change of it by a jump [m/s or rad/s].
        """
        distance = self._evaluate(time + self._step) - self._position_at_start(time)
        if abs(distance / self._step - velocity) >= least:
            self.plan_step(time)
        return self.approach.velocity if self.approach.ends_at(time + self._step) else None

    def _position_at_start(self, time: float) -> float:
        """Return the position at the start of a step [s]: the last one, or the commanded one if that had another time."""
        return self._position if abs(self._time - time) < _ROUNDING * self._step else self._evaluate(time)

    def _evaluate(self, time: float) -> float:
        return float(self._signal.evaluate(time)[0])

    def get_state(self) -> ComponentState:
        """Return the last position and its time, and the approach."""
        approach = np.array([self.approach.distance, self.approach.end, self._target])
        return {"reached": np.array([self._position, self._time]), "approach": approach}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        self._position, self._time = saved_state["reached"].tolist()
        # States of earlier versions do not have it.
        distance, end, self._target = saved_state.get("approach", np.zeros(3)).tolist()
        self.approach = Approach(distance, end, self._step)
