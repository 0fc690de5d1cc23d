"""Inputs of motors and loads: functions of time of the model, or commands that replace them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Self

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.kinematics import angle_at, integral_to, mean_over_step, rate_at, value_at
from ossature.model import ConstantFunction, DriveMode, Function
from ossature.simulation.compile.force_elements import CompiledLoad, CompiledMotor
from ossature.simulation.stateful_components import ComponentState, flatten_state, unflatten_state
from ossature.simulation.stepping.command_signals import (
    CallbackSignal,
    Constant,
    SampledSignal,
    Signal,
    restore_signal,
    signal_state,
)
from ossature.simulation.stepping.commanded_positions import Approach, FarPosition, PositionFunction, far_position


class CommandableInput:
    """An input of the model that a command can replace: the command, its state, and its transfer to another compilation."""

    _command: Signal | None = None

    @property
    def commanded_signal(self) -> Signal | None:
        """Its command, or None."""
        return self._command

    @property
    def is_live(self) -> bool:
        """Whether it is evaluated at each step, because it may depend on the state."""
        return isinstance(self._command, CallbackSignal)

    def adopt(self, before: Self) -> None:
        """Continue with the command of the same element in another compilation of the World."""
        self._command = before.commanded_signal
        self.set_state(before.get_state())

    def get_state(self) -> ComponentState:
        """Return its command."""
        return {} if self._command is None else flatten_state({"command": signal_state(self._command)})

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the command."""
        saved_signal = unflatten_state(saved_state).get("command")
        self._command = restore_signal(saved_signal, self._command) if saved_signal else None


class MotorInput(CommandableInput):
    """The input of a motor: its function of time, or a command that replaces it.

    Args:
        step: The time step [s].

    Attributes:
        position_function: The positions that a function in Python commands, or None.
    """

    def __init__(self, built: CompiledMotor, step: float) -> None:
        self.built, self._step = built, step
        self.drive = built.motor.drive
        self._origin = self._start = 0.0
        self._approach = Approach()
        self._far_position: FarPosition | None = None
        self.position_function: PositionFunction | None = None

    def command(self, signal: Signal, time: float, coordinate: float, velocity: float = 0.0) -> None:
        """Use a signal instead of the function from now on.

        Args:
            time: The time [s].
            coordinate: The motor's coordinate.
            velocity: Its velocity [m/s or rad/s].
        """
        self._command, self._far_position = signal, None
        self._start_command(time, coordinate)
        if self._approach.is_fast:
            distance = float(self.values(np.array([time + self._step]))[0]) - coordinate
            self._far_position = far_position(distance, self._step, velocity)

    def _start_command(self, time: float, coordinate: float) -> None:
        self._start, self._origin = time, coordinate
        self._approach, self.position_function = Approach(), None
        if self.drive is DriveMode.POSITION and isinstance(self._command, CallbackSignal):
            self.position_function = PositionFunction(self._command, self._step, time, coordinate)
        elif self.drive is DriveMode.POSITION and self._command is not None:
            self._approach = Approach(float(self._command.at(time)[0]) - coordinate, time + self._step, self._step)

    @property
    def approach(self) -> Approach:
        """Its motion to the commanded position."""
        return self._approach if self.position_function is None else self.position_function.approach

    @property
    def far_position(self) -> FarPosition | None:
        """The first far position that the present command has, or None."""
        return self._far_position if self.position_function is None else self.position_function.far_position

    @contextmanager
    def moved_by(self, signal: Signal, time: float) -> Iterator[None]:
        """Use a signal from a time [s] on, without a change of its command."""
        kept = self._command, self._start, self._origin, self._approach
        origin = float(self.values(np.array([time]))[0])
        self._command, self._start, self._origin, self._approach = signal, time, origin, Approach()
        try:
            yield
        finally:
            self._command, self._start, self._origin, self._approach = kept

    def values(self, times: Vector, averaged_step: float = 0.0) -> Vector:
        """Return its input at times [s]: the target of its coordinate, or a force.

        Args:
            times: The times [s].
            averaged_step: Forces that jump or bend are averaged over a step of this length [s] around each time.
        """
        if isinstance(self._command, Constant):
            # The operations are those of single times, in the same order.
            value = float(self._command.values[0])
            if self.drive is DriveMode.SPEED:
                return self._origin + value * (times - self._start)
            return value - self._approach.remaining(times)
        function = self.built.motor.function
        if self.drive is DriveMode.FORCE:
            if self._command is None:
                return _values_of(function, times, mean_over_step, averaged_step)
            return _mean_values(self._command, times, averaged_step)[:, 0]
        if self._command is not None:
            values = np.array([self._evaluate_command(float(time)) for time in times])
            return values - self._approach.remaining(times)
        if self.drive is DriveMode.SPEED:
            return _values_of(function, times, integral_to)
        return _values_of(function, times, angle_at if self.built.motor.guide.is_rotational else value_at)

    def values_from(self, time: float, times: Vector) -> Vector:
        """Return its input at times [s] if it moved on as from a time [s] on: the approach to a position has no end."""
        if not self._approach.is_under_way(time):
            return self.values(times)
        return self.values(times) + self._approach.velocity * np.maximum(times - self._approach.end, 0.0)

    def _evaluate_command(self, time: float) -> float:
        assert self._command is not None  # noqa: S101  # checked by the caller
        if self.position_function is not None:
            return self.position_function.at(time)
        if self.drive is not DriveMode.SPEED:
            return float(self._command.at(time)[0])
        position = self._origin + float(self._command.integral(self._start, time)[0])
        if self.is_live:  # a callback is not evaluated for past times
            self._origin, self._start = position, time
        return position

    def starts_command(self, time: float) -> bool:
        """Whether a motion that is no function of the state is commanded at a time [s]."""
        return not self.is_live and self._command is not None and self._start == time

    def rate(self, time: float) -> float:
        """Return the desired rate of its coordinate just after a time [s]; that of the last call of a function of the state."""
        command = self._command
        if command is not None and self.drive is not DriveMode.SPEED:
            return self.approach.velocity if self.approach.is_under_way(time) else 0.0
        if isinstance(command, CallbackSignal) and command.last is not None:
            return float(command.last[0])
        if command is not None:
            return float(command.at(time)[0])
        function = self.built.motor.function
        return float(value_at(function, time)) if self.drive is DriveMode.SPEED else rate_at(function, time)

    def get_state(self) -> ComponentState:
        """Return its command, and the coordinate and time from which it is integrated."""
        command = super().get_state()
        reached = {"reached": np.array([self._origin, self._start])}
        return (reached if self.position_function is None else self.position_function.get_state()) | command if command else {}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the command and its progress."""
        before = self._command
        super().set_state(saved_state)
        if self._command is not before or self.position_function is None:
            self._start_command(*((0.0, 0.0) if self._command is None else reversed(saved_state["reached"].tolist())))
        if self.position_function is not None:
            self.position_function.set_state(saved_state)


class LoadInput(CommandableInput):
    """The input of a load: its modulation, or a command that replaces it."""

    def __init__(self, built: CompiledLoad) -> None:
        self.built = built

    @property
    def is_steady(self) -> bool:
        """Whether its actuators have constant controls."""
        return (
            self._command is None
            and isinstance(self.built.load.modulation, ConstantFunction)
            and self.built.load.value is not None
        )

    def command(self, signal: Signal) -> None:
        """Use a signal instead of the modulation from now on."""
        self._command = signal

    def values(self, times: Vector, averaged_step: float = 0.0) -> Vector:
        """Return its factor, or the vector of a load without a value, at times [s]: shape (times, 1) or (times, 3).

        Args:
            times: The times [s].
            averaged_step: Values that jump or bend are averaged over a step of this length [s] around each time.
        """
        width = 1 if self.built.load.value is not None else 3
        if isinstance(self._command, Constant):
            return np.broadcast_to(self._command.values, (len(times), width))
        if self._command is not None:
            return np.broadcast_to(_mean_values(self._command, times, averaged_step), (len(times), width))
        if width == 3:
            return np.zeros((len(times), 3))
        return _mean_values(self.built.load.modulation, times, averaged_step)


class Identity:
    """A function of time or a signal, equal to itself only: to compare points takes as long as to evaluate them."""

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.function is self.function

    def __hash__(self) -> int:
        return id(self.function)


def _values_of(function: Function, times: Vector, evaluate: Callable[..., Vector], *arguments: float) -> Vector:
    """Return what a function of time has at times [s], which are the same in all runs of a sweep."""
    return _remembered_values(Identity(function), times.tobytes(), evaluate, arguments)


@lru_cache(maxsize=64)
def _remembered_values(
    identity: Identity, times: bytes, evaluate: Callable[..., Vector], arguments: tuple[float, ...]
) -> Vector:
    values = evaluate(identity.function, np.frombuffer(times), *arguments)
    values.flags.writeable = False
    return values


def _mean_values(source: Signal | Function, times: Vector, step: float) -> Vector:
    """Return values at times [s], averaged over a step [s] around each if they can jump: shape (times, coordinates)."""
    if isinstance(source, Function):
        return mean_over_step(source, times, step)[:, None]
    if step == 0.0 or not isinstance(source, SampledSignal):
        return np.array([source.at(float(time)) for time in times])
    return np.array([source.integral(float(time) - 0.5 * step, float(time) + 0.5 * step) / step for time in times])
