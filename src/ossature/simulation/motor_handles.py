"""Handles of the electric motors of a simulation: commands and measured quantities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from ossature.diagnostics import suggestion
from ossature.model import UnknownNameError
from ossature.simulation.commandable_simulation_protocol import CommandableSimulation
from ossature.simulation.stepping.command_signals import Signal, Values
from ossature.simulation.stepping.electric_motor_drive import MotorDrive, MotorQuantity


class MotorHandle:
    """One electric motor."""

    def __init__(self, simulation: CommandableSimulation, drive: MotorDrive) -> None:
        self._simulation, self._drive = simulation, drive

    def command(
        self,
        *,
        voltage: Values | Signal | Callable[[float], Values] | None = None,
        torque: Values | Signal | Callable[[float], Values] | None = None,
        velocity: Values | Signal | Callable[[float], Values] | None = None,
        position: Values | Signal | Callable[[float], Values] | None = None,
    ) -> None:
        """Command one quantity, from now on; without arguments the motor is disabled.

        Args:
            voltage: Terminal voltage [V].
            torque: Motor torque at the joint, before friction [N·m or N].
            velocity: Velocity of the joint [rad/s or m/s].
            position: Position of the joint [rad or m].

        Raises:
            ValueError: More than one quantity is given, the number of values is wrong, or the motor has no voltage input.
        """
        specified = {
            MotorQuantity.VOLTAGE: voltage,
            MotorQuantity.TORQUE: torque,
            MotorQuantity.VELOCITY: velocity,
            MotorQuantity.POSITION: position,
        }
        given = {quantity: values for quantity, values in specified.items() if values is not None}
        if len(given) > 1:
            raise ValueError(f"a motor accepts one command at a time, not {', '.join(given)}")
        built = self._drive.built
        if not given:
            self._simulation.disable_motor(built.model, built.actuator.name)
            return
        ((quantity, values),) = given.items()
        self._simulation.command(built.model, f"{built.actuator.name}:{quantity}", values)

    def _measured(self, quantity: str) -> float | None:
        built = self._drive.built
        found = self._simulation.elements()[built.model][built.actuator.name].get(quantity)
        return None if found is None else float(found)

    @property
    def speed(self) -> float:
        """Speed of the shaft [rad/s]."""
        return self._measured("speed") or 0.0

    @property
    def torque(self) -> float:
        """Torque of the shaft in the next step [N·m]."""
        return self._measured("torque") or 0.0

    @property
    def current(self) -> float | None:
        """Current of the windings [A], or None if the torque constant is unknown."""
        return self._measured("current")

    @property
    def voltage(self) -> float | None:
        """Terminal voltage [V], or None if the data of the motor are incomplete."""
        return self._measured("voltage")


class MotorHandles(Mapping[str, MotorHandle]):
    """The electric motors of a simulation by ``MODEL/NAME``, or by a name that is unique."""

    def __init__(self, simulation: CommandableSimulation, drives: list[MotorDrive]) -> None:
        self._motors = {f"{d.built.model}/{d.built.actuator.name}": MotorHandle(simulation, d) for d in drives}
        counts = Counter(path.partition("/")[2] for path in self._motors)
        self._paths = {path.partition("/")[2]: path for path in self._motors}
        self._ambiguous = {name for name, count in counts.items() if count > 1}

    def __getitem__(self, name: str) -> MotorHandle:
        """Return a motor.

        Raises:
            KeyError: The name is unknown or ambiguous.
        """
        if name in self._motors:
            return self._motors[name]
        if name in self._ambiguous:
            raise UnknownNameError(f"several models have a motor '{name}'; use MODEL/{name}")
        if name in self._paths:
            return self._motors[self._paths[name]]
        raise UnknownNameError(f"there is no motor '{name}': {suggestion(name, self._motors) or 'there are none'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._motors)

    def __len__(self) -> int:
        return len(self._motors)
