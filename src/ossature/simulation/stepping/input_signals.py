"""What motors and loads are told: by their functions of time, or by commands that take their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ossature.kinematics import integral_to, rate_at, value_at
from ossature.model import ConstantFunction, DriveMode, Function
from ossature.simulation.checkpointing import Memory, flatten_state, unflatten_state
from ossature.simulation.compile.force_elements import CompiledLoad, CompiledMotor
from ossature.simulation.stepping.signals import CallbackSignal, Signal, recalled_signal, signal_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class MotorInput:
    """What a motor is told at a time: by its function, or by a command that takes its place.

    Args:
        built: The motor.
    """

    def __init__(self, built: CompiledMotor) -> None:
        self.built = built
        self.drive = built.motor.drive
        self._command: Signal | None = None
        self._base = 0.0
        self._since = 0.0

    @property
    def commanded_signal(self) -> Signal | None:
        """The command that it follows, or None."""
        return self._command

    def adopt(self, before: Self) -> None:
        """Go on with the command of the same one in another compilation of the World."""
        self._command = before.commanded_signal
        self.recall(before.memory())

    @property
    def is_live(self) -> bool:
        """Whether it has to be asked at each step, because it may look at the state."""
        return isinstance(self._command, CallbackSignal)

    def command(self, signal: Signal, time: float, coordinate: float) -> None:
        """Follow a signal instead of the function from now on.

        Args:
            signal: The signal.
            time: The time [s].
            coordinate: The motor's coordinate.
        """
        self._command, self._since, self._base = signal, time, coordinate

    def values(self, times: Vector) -> Vector:
        """Return what it is told at times [s]: the target of its coordinate, or a force."""
        if self._command is not None:
            return np.array([self._commanded(float(time)) for time in times])
        function = self.built.motor.function
        return integral_to(function, times) if self.drive is DriveMode.SPEED else value_at(function, times)

    def _commanded(self, time: float) -> float:
        assert self._command is not None  # noqa: S101  # the caller looked
        if self.drive is not DriveMode.SPEED:
            return float(self._command.at(time)[0])
        travelled = self._base + float(self._command.integral(self._since, time)[0])
        if self.is_live:  # it cannot be asked again for times that are past
            self._base, self._since = travelled, time
        return travelled

    def rate(self, time: float) -> float:
        """Return the rate at which its coordinate is to move just after a time [s]."""
        if self._command is not None:
            return float(self._command.at(time)[0]) if self.drive is DriveMode.SPEED else 0.0
        function = self.built.motor.function
        return float(value_at(function, time)) if self.drive is DriveMode.SPEED else rate_at(function, time)

    def memory(self) -> Memory:
        """Return its command, and what that has come to: its coordinate and the time up to which it counts."""
        if self._command is None:
            return {}
        return {"reached": np.array([self._base, self._since])} | flatten_state({"command": signal_memory(self._command)})

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back the command and what it has come to."""
        commanded_signal = unflatten_state(memory).get("command")
        self._command = recalled_signal(commanded_signal, self._command) if commanded_signal else None
        self._base, self._since = memory["reached"].tolist() if commanded_signal else (0.0, 0.0)


class LoadInput:
    """How strong a load is at a time: by its modulation, or by a command that takes its place.

    Args:
        built: The load.
    """

    def __init__(self, built: CompiledLoad) -> None:
        self.built = built
        self._command: Signal | None = None

    @property
    def commanded_signal(self) -> Signal | None:
        """The command that it follows, or None."""
        return self._command

    def adopt(self, before: Self) -> None:
        """Go on with the command of the same one in another compilation of the World."""
        self._command = before.commanded_signal
        self.recall(before.memory())

    @property
    def is_live(self) -> bool:
        """Whether it has to be asked at each step."""
        return isinstance(self._command, CallbackSignal)

    @property
    def is_steady(self) -> bool:
        """Whether its actuators need nothing."""
        return (
            self._command is None
            and isinstance(self.built.load.modulation, ConstantFunction)
            and self.built.load.value is not None
        )

    def command(self, signal: Signal) -> None:
        """Follow a signal instead of the modulation from now on."""
        self._command = signal

    def memory(self) -> Memory:
        """Return its command."""
        return {} if self._command is None else flatten_state({"command": signal_memory(self._command)})

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back the command."""
        commanded_signal = unflatten_state(memory).get("command")
        self._command = recalled_signal(commanded_signal, self._command) if commanded_signal else None

    def values(self, times: Vector) -> Vector:
        """Return its factor, or the vector of a load from outside, at times [s]: shape (times, 1) or (times, 3)."""
        width = 1 if self.built.load.value is not None else 3
        if self._command is not None:
            return np.array([np.broadcast_to(self._command.at(float(time)), width) for time in times])
        if width == 3:
            return np.zeros((len(times), 3))
        function: Function = self.built.load.modulation
        return value_at(function, times)[:, None]
