"""The electric motors of a simulation, to command and to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ossature.diagnostics import suggestion
from ossature.simulation.stepping.motor_controller import MotorDrive, MotorQuantity
from ossature.simulation.stepping.signals import Signal, Values

if TYPE_CHECKING:
    from ossature.simulation.simulation import Simulation


class MotorHandle:
    """One electric motor.

    Args:
        simulation: Where it turns.
        drive: Its drive.
    """

    def __init__(self, simulation: Simulation, drive: MotorDrive) -> None:
        self._simulation, self._drive = simulation, drive

    def command(
        self,
        *,
        voltage: Values | Signal | Callable[[float], Values] | None = None,
        torque: Values | Signal | Callable[[float], Values] | None = None,
        velocity: Values | Signal | Callable[[float], Values] | None = None,
        position: Values | Signal | Callable[[float], Values] | None = None,
    ) -> None:
        """Command exactly one thing, from now on; nothing at all takes the current away.

        Args:
            voltage: Between its terminals [V].
            torque: Of the motor, seen at the joint, frictions not taken off [N·m or N].
            velocity: Of the joint [rad/s or m/s].
            position: Of the joint [rad or m].

        Raises:
            ValueError: More than one is given, the numbers do not fit, or it takes no voltage.
        """
        stated = {
            MotorQuantity.VOLTAGE: voltage,
            MotorQuantity.TORQUE: torque,
            MotorQuantity.VELOCITY: velocity,
            MotorQuantity.POSITION: position,
        }
        given = {quantity: values for quantity, values in stated.items() if values is not None}
        if len(given) > 1:
            raise ValueError(f"a motor takes one command, not {', '.join(given)} together")
        built = self._drive.built
        if not given:
            self._simulation.disable_motor(built.model, built.actuator.name)
            return
        ((quantity, values),) = given.items()
        self._simulation.command(built.model, f"{built.actuator.name}:{quantity}", values)

    def _looked_at(self, quantity: str) -> float | None:
        built = self._drive.built
        found = self._simulation.elements()[built.model][built.actuator.name].get(quantity)
        return None if found is None else float(found)

    @property
    def speed(self) -> float:
        """Of its shaft [rad/s]."""
        return self._looked_at("speed") or 0.0

    @property
    def torque(self) -> float:
        """Of its shaft, in the step that begins now [N·m]."""
        return self._looked_at("torque") or 0.0

    @property
    def current(self) -> float | None:
        """Through its windings [A], or None where nothing states its torque constant."""
        return self._looked_at("current")

    @property
    def voltage(self) -> float | None:
        """Between its terminals [V], or None where too little is known of it."""
        return self._looked_at("voltage")


class MotorHandles(Mapping[str, MotorHandle]):
    """The electric motors of a simulation by ``MODEL/NAME``; by the name alone where only one model has it."""

    def __init__(self, simulation: Simulation, drives: list[MotorDrive]) -> None:
        self._motors = {f"{d.built.model}/{d.built.actuator.name}": MotorHandle(simulation, d) for d in drives}
        counts = Counter(path.partition("/")[2] for path in self._motors)
        self._paths = {path.partition("/")[2]: path for path in self._motors}
        self._several = {name for name, count in counts.items() if count > 1}

    def __getitem__(self, name: str) -> MotorHandle:
        """Return a motor.

        Raises:
            KeyError: There is none of that name, or several models have one.
        """
        if name in self._motors:
            return self._motors[name]
        if name in self._several:
            raise KeyError(f"several models have a motor '{name}': say MODEL/{name}")
        if name in self._paths:
            return self._motors[self._paths[name]]
        raise KeyError(f"there is no motor '{name}': {suggestion(name, self._motors) or 'there are none'}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._motors)

    def __len__(self) -> int:
        return len(self._motors)
