"""Commands by name: of joints, motors, loads and electric motors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ossature.diagnostics import suggestion
from ossature.model import Actuation
from ossature.simulation.compiling.compiled import Compiled
from ossature.simulation.compiling.elements import BuiltMotor
from ossature.simulation.moving.driving import Driving
from ossature.simulation.moving.inputs import Inputs
from ossature.simulation.moving.motor_drive import MotorDrive, split_command
from ossature.simulation.moving.signals import Signal, Values, signal

Command: TypeAlias = "Values | Signal | Callable[[float], Values]"
"""What something is to do: numbers, numbers over time, or a function of time [s] that returns them."""


class Commander:
    """Hands commands to what has the name.

    Args:
        compiled: The World in the engine.
        data: The engine's data.
        driving: The drives of joints.
        inputs: Motors, loads and electric motors.
    """

    def __init__(self, compiled: Compiled, data: Any, driving: Driving, inputs: Inputs) -> None:
        self._compiled, self._data, self._driving, self._inputs = compiled, data, driving, inputs

    def command(self, model: str, name: str, values: Command, time: float) -> None:
        """Command whatever has the name, from now on.

        Raises:
            KeyError: There is no such model, joint, motor or load.
            ValueError: The joint takes no command, or the numbers do not fit.
        """
        if not (
            self._command_motor(model, name, values, time)
            or self._command_load(model, name, values)
            or self._command_electric_motor(model, name, values)
        ):
            self._command_joint(model, name, values, time)

    def electric_motor(self, model: str, name: str) -> MotorDrive:
        """Return an electric motor by name.

        Raises:
            KeyError: There is none.
        """
        drive = self._electric_motor(model, name)
        if drive is None:
            names = [f"{drive.built.model}/{drive.built.actuator.name}" for drive in self._inputs.drives]
            raise KeyError(f"there is no electric motor '{model}/{name}': {suggestion(name, names)}")
        return drive

    def _electric_motor(self, model: str, name: str) -> MotorDrive | None:
        drives = self._inputs.drives
        return next((drive for drive in drives if (drive.built.model, drive.built.actuator.name) == (model, name)), None)

    def _command_motor(self, model: str, name: str, values: Command, time: float) -> bool:
        for motor in self._inputs.motors:
            if (motor.built.model, motor.built.motor.name) == (model, name):
                motor.command(signal(values, 1), time, self._coordinate(motor.built))
                return True
        return False

    def _command_load(self, model: str, name: str, values: Command) -> bool:
        for load in self._inputs.loads:
            if (load.built.model, load.built.load.name) == (model, name):
                load.command(signal(values, 3 if load.built.load.value is None else 1))
                return True
        return False

    def _command_electric_motor(self, model: str, name: str, values: Command) -> bool:
        named = split_command(name)
        drive = None if named is None else self._electric_motor(model, named[0])
        if named is None or drive is None:
            return False
        drive.command(signal(values, 1), named[1])
        return True

    def _command_joint(self, model: str, name: str, values: Command, time: float) -> None:
        index = self._compiled.index.joint(model, name)
        actuation = index.joint.actuation
        if actuation in (Actuation.PASSIVE, Actuation.LOCKED):
            raise ValueError(f"joint '{name}' is {actuation.value} and takes no command")
        if index.dof_count == 0:
            raise ValueError(f"joint '{name}' has nothing to drive and takes no command")
        self._driving.command(index, signal(values, index.joint.degrees_of_freedom), time)

    def _coordinate(self, built: BuiltMotor) -> float:
        if built.joint is None:
            return 0.0
        address = int(self._compiled.model.jnt_qposadr[built.joint.id])
        return built.sign * (float(self._data.qpos[address]) - built.start)
