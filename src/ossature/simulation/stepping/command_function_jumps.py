"""Jumps of prescribed velocities that functions in Python command: they are looked for just before each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.model import DriveMode
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.command_signals import CallbackSignal
from ossature.simulation.stepping.commanded_positions import PositionFunction
from ossature.simulation.stepping.joint_drives import JointDrive, PrescribedMotion
from ossature.simulation.stepping.motor_and_load_inputs import MotorInput
from ossature.simulation.stepping.velocity_jump_times import Bounds, Jump

_CONCENTRATED = 0.75
"""Least share of a change that is in one half of a time, if the change is a jump within it."""

_LAST = "last of "
"""Beginning of the names of the last values in a state."""


class _Rate(NamedTuple):
    """A commanded velocity just after and just before a time, and the commanded positions of which it is the rate, if any."""

    path: str
    at: Callable[[float], Vector]
    before: Callable[[float], Vector]
    positions: PositionFunction | None = None


@dataclass(slots=True)
class CommandFunctionJumps:
    """Finds jumps of velocities that functions in Python command.

    A function is evaluated at the start and the end of a step, and, if it changes much, at times between. If it depends on the
    state, which is that at the start of the step, it can also jump from its last value to that at the start.
    """

    _last: dict[str, tuple[float, Vector]] = field(default_factory=dict)
    _recent: list[Jump] = field(default_factory=list)

    def find(
        self, number: int, step: float, motors: Sequence[MotorInput], drives: Sequence[JointDrive], bounds: Bounds
    ) -> list[Jump]:
        """Return the jumps in a step, and those before it whose short sub-steps may reach into it, in increasing order.

        Args:
            number: The number of the step from time zero.
            step: Its length [s].
            motors: The motors that functions command.
            drives: The drives of joints.
            bounds: Which changes are jumps.
        """
        self._recent = [jump for jump in self._recent if number * step - jump.time < 2.0 * bounds.long]
        for rate in _rates(motors, drives, bounds.short):
            jump = self._locate(rate, number * step, (number + 1) * step, bounds)
            if jump is not None:
                self._recent.append(jump)
        self._recent.sort()
        return list(self._recent)

    def get_state(self) -> ComponentState:
        """Return the last values of the functions, and the last jumps; nothing without functions."""
        if not self._last:
            return {}
        jumps = {
            "jump times": np.array([jump.time for jump in self._recent]),
            "jump widths": np.array([jump.width for jump in self._recent]),
        }
        return jumps | {f"{_LAST}{path}": np.array([time, *values]) for path, (time, values) in self._last.items()}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        values = {name.removeprefix(_LAST): value for name, value in saved_state.items() if name.startswith(_LAST)}
        self._last = {path: (float(value[0]), np.array(value[1:])) for path, value in values.items()}
        self._recent = list(map(Jump, *[saved_state.get(f"jump {name}", np.zeros(0)).tolist() for name in ("times", "widths")]))

    def _locate(self, rate: _Rate, start: float, stop: float, bounds: Bounds) -> Jump | None:
        first, last = rate.at(start), rate.before(stop)
        if rate.positions is not None:
            velocity = rate.positions.velocity_of_jump(start, 0.5 * float(first[0] + last[0]), bounds.least)
            if velocity is not None:
                first = last = np.array([velocity])
        before = self._last.get(rate.path)
        self._last[rate.path] = stop, last
        if before is not None and abs(before[0] - start) < bounds.short and before[1].size == first.size:
            change = float(np.abs(first - before[1]).max())
            if change >= bounds.least:
                return Jump(start, 0.0)
        changes = np.abs(last - first)
        coordinate = int(changes.argmax())
        if not changes[coordinate] >= bounds.least:
            return None
        return _locate_between(rate.at, coordinate, (start, stop), (float(first[coordinate]), float(last[coordinate])), bounds)


def has_command_functions(motors: Sequence[MotorInput], drives: Sequence[JointDrive]) -> bool:
    """Whether a function in Python commands a velocity or a position of a motor or joint."""
    return bool(motors) or any(_is_function(drive) for drive in drives)


def _is_function(drive: JointDrive) -> bool:
    return isinstance(drive, PrescribedMotion) and drive.prescribes_velocity and isinstance(drive.command, CallbackSignal)


def _rates(motors: Sequence[MotorInput], drives: Sequence[JointDrive], short: float) -> list[_Rate]:
    found = []
    for motor in motors:
        signal = motor.commanded_signal
        if isinstance(signal, CallbackSignal):
            path = f"{motor.built.model}/{motor.built.motor.name}"
            if motor.drive is DriveMode.SPEED:
                found.append(_Rate(path, signal.evaluate, signal.evaluate))
            else:
                after, before = (_difference_quotient(signal, width) for width in (short, -short))
                found.append(_Rate(path, after, before, motor.position_function))
    found += [
        _Rate(drive.path, drive.command.evaluate, drive.command.evaluate)
        for drive in drives
        if isinstance(drive, PrescribedMotion) and _is_function(drive) and isinstance(drive.command, CallbackSignal)
    ]
    return found


def _difference_quotient(signal: CallbackSignal, width: float) -> Callable[[float], Vector]:
    """Return the rate of a position just after a time, or just before it if the width is negative, as a function of time."""

    def rate(time: float) -> Vector:
        return np.asarray((signal.evaluate(time + width) - signal.evaluate(time)) / width)

    return rate


def _locate_between(
    at: Callable[[float], Vector], coordinate: int, times: tuple[float, float], values: tuple[float, float], bounds: Bounds
) -> Jump | None:
    """Return a jump between two times, or None if the change is not concentrated in a part of the time."""
    (start, stop), (first, last) = times, values
    whole, end = stop - start, stop
    while stop - start > 0.5 * bounds.short:
        middle = 0.5 * (start + stop)
        value = float(at(middle)[coordinate])
        earlier, later = abs(value - first), abs(last - value)
        if max(earlier, later) < _CONCENTRATED * (earlier + later):
            break
        if earlier > later:
            stop, last = middle, value
        else:
            start, first = middle, value
    if stop - start >= whole or abs(last - first) < bounds.least:
        return None
    width = stop - start
    if width > bounds.short:
        return Jump(start, width)
    # At the end of the step it has the value after the jump already.
    return Jump(min(start, end - bounds.short), 0.0)
