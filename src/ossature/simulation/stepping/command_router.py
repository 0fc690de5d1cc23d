"""Commands by name: of joints, motors, loads, electric motors and actuators of MuJoCo."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from ossature.array_types import Array
from ossature.diagnostics import suggestion
from ossature.model import Actuation, UnknownNameError, World
from ossature.simulation.compile.address_map import JointAddress
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.force_elements import CompiledMotor
from ossature.simulation.stepping.actuator_inputs import ActuatorInputs
from ossature.simulation.stepping.command_names import command_names
from ossature.simulation.stepping.command_signals import SampledSignal, Signal, Values, make_signal
from ossature.simulation.stepping.drive_set import DriveSet
from ossature.simulation.stepping.electric_motor_drive import MotorDrive, MotorQuantity, split_command
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.simulation.stepping.gripper_motion import GripperMotion
from ossature.simulation.stepping.motor_and_load_inputs import LoadInput, MotorInput

if TYPE_CHECKING:
    import mujoco

Command: TypeAlias = "Values | Signal | Callable[[float], Values]"
"""The values of a command: constant, sampled over time, or a function of time [s] that returns them."""


class CommandRouter:
    """Passes commands to joints, motors, loads and electric motors by name.

    Args:
        inputs: Motors, loads and electric motors.
        actuators: The actuators of MuJoCo.
    """

    def __init__(
        self,
        world: World,
        compiled: EngineModel,
        data: mujoco.MjData,
        driving: DriveSet,
        inputs: Inputs,
        actuators: ActuatorInputs,
    ) -> None:
        self._world, self._compiled, self._data, self._driving, self._inputs = world, compiled, data, driving, inputs
        self._actuators = actuators

    def command(self, model: str, name: str, values: Command, time: float) -> None:
        """Set the command of the joint, motor, load or electric motor of a name, from now on.

        Raises:
            KeyError: There is no such model, joint, motor or load.
            ValueError: The joint accepts no command, or the number of values is wrong.
        """
        if not (
            self._command_motor(model, name, values, time)
            or self._command_load(model, name, values)
            or self._command_electric_motor(model, name, values)
            or self._command_actuator(model, name, values, time)
        ):
            self._command_joint(model, name, values, time)

    def command_constant(self, model: str, name: str, values: Array, time: float) -> bool:
        """Set constant values, as :meth:`command` does; return whether the inputs of steps are still sorted.

        Raises:
            KeyError: There is no such model, joint, motor or load.
            ValueError: The joint accepts no command, or the number of values is wrong.
        """
        has_others = bool(self._inputs.motors or self._inputs.loads)
        is_joint = not (has_others and (self._find_motor(model, name) or self._find_load(model, name)))
        if is_joint and name in self._compiled.index.actuators.get(model, ()):
            return self._command_actuator(model, name, values.tolist(), time)
        if is_joint and self._driving.set_constant_force(model, name, values):
            return True
        self.command(model, name, values.tolist(), time)
        return False

    def move_fingers(self, model: str, joint: str, motion: GripperMotion, time: float) -> None:
        """Start to close or open the fingers that a joint moves.

        Raises:
            KeyError: There is no such model or joint.
            ValueError: The joint accepts no command.
        """
        self._driving.command(self._drivable_joint(model, joint), motion, time)

    def follows(self, model: str, name: str, values: Command) -> bool:
        """Whether the present command of a name is this sampled signal already."""
        commanded_signal = self._current_signal(model, name) if isinstance(values, SampledSignal) else None
        return (
            isinstance(commanded_signal, SampledSignal)
            and isinstance(values, SampledSignal)
            and commanded_signal.equals(values)
        )

    def electric_motor(self, model: str, name: str) -> MotorDrive:
        """Return an electric motor by name.

        Raises:
            KeyError: There is no such electric motor.
        """
        drive = self._find_electric_motor(model, name)
        if drive is None:
            names = [f"{drive.built.model}/{drive.built.actuator.name}" for drive in self._inputs.drives]
            raise UnknownNameError(
                f"there is no electric motor '{model}/{name}': {suggestion(name, names) or 'there are none'}"
            )
        return drive

    def _find_electric_motor(self, model: str, name: str) -> MotorDrive | None:
        drives = self._inputs.drives
        return next((drive for drive in drives if (drive.built.model, drive.built.actuator.name) == (model, name)), None)

    def _find_motor(self, model: str, name: str) -> MotorInput | None:
        motors = self._inputs.motors
        return next((motor for motor in motors if (motor.built.model, motor.built.motor.name) == (model, name)), None)

    def _find_load(self, model: str, name: str) -> LoadInput | None:
        loads = self._inputs.loads
        return next((load for load in loads if (load.built.model, load.built.load.name) == (model, name)), None)

    def _find_electric_command(self, model: str, name: str) -> tuple[MotorDrive, MotorQuantity] | None:
        """Return the electric motor and the commanded quantity of a name such as ``ACTUATOR:voltage``."""
        named = split_command(name)
        drive = None if named is None else self._find_electric_motor(model, named[0])
        return None if named is None or drive is None else (drive, named[1])

    def _current_signal(self, model: str, name: str) -> Signal | None:
        motor_or_load = self._find_motor(model, name) or self._find_load(model, name)
        if motor_or_load is not None:
            return motor_or_load.commanded_signal
        electric = self._find_electric_command(model, name)
        if electric is not None:
            drive, quantity = electric
            return drive.commanded_signal if drive.quantity is quantity else None
        if name in self._compiled.index.actuators.get(model, {}):
            return self._actuators.command_of(model, name)
        index = self._compiled.index.joints.get(model, {}).get(name)
        return None if index is None else self._driving.command_of(index)

    def _command_motor(self, model: str, name: str, values: Command, time: float) -> bool:
        motor = self._find_motor(model, name)
        if motor is None:
            return False
        motor.command(make_signal(values, 1), time, *self._motor_coordinate(motor.built))
        return True

    def _command_load(self, model: str, name: str, values: Command) -> bool:
        load = self._find_load(model, name)
        if load is not None:
            load.command(make_signal(values, 3 if load.built.load.value is None else 1))
        return load is not None

    def _command_electric_motor(self, model: str, name: str, values: Command) -> bool:
        electric = self._find_electric_command(model, name)
        if electric is not None:
            drive, quantity = electric
            drive.command(make_signal(values, 1), quantity)
        return electric is not None

    def _command_actuator(self, model: str, name: str, values: Command, time: float) -> bool:
        address = self._compiled.index.actuators.get(model, {}).get(name)
        if address is not None:
            self._actuators.command(model, name, make_signal(values, address.control_count), time)
        return address is not None

    def _command_joint(self, model: str, name: str, values: Command, time: float) -> None:
        index = self._drivable_joint(model, name)
        self._driving.command(index, make_signal(values, index.joint.degrees_of_freedom), time)

    def _drivable_joint(self, model: str, name: str) -> JointAddress:
        index = self._joint(model, name)
        actuation = index.joint.actuation
        if actuation in (Actuation.PASSIVE, Actuation.LOCKED):
            raise ValueError(f"joint '{name}' is {actuation.value} and accepts no command")
        if index.dof_count == 0:
            raise ValueError(f"joint '{name}' has no degrees of freedom and accepts no command")
        return index

    def _joint(self, model: str, name: str) -> JointAddress:
        joints = self._compiled.index.joints
        if model in joints and name not in joints[model]:
            owner = self._world.models[model]
            if name in owner.actuators:
                raise ValueError(f"actuator '{name}' is not simulated with this integrator, and accepts no command")
            hint = suggestion(name, command_names(owner)) or "there are none"
            raise UnknownNameError(f"model '{model}' has no joint, motor, load or actuator '{name}': {hint}")
        return self._compiled.index.joint(model, name)

    def _motor_coordinate(self, built: CompiledMotor) -> tuple[float, float]:
        """Return the coordinate of a motor and its rate."""
        if built.joint is None:
            return 0.0, 0.0
        model, data, joint = self._compiled.model, self._data, built.joint.id
        coordinate = float(data.qpos[int(model.jnt_qposadr[joint])]) - built.start
        return built.sign * coordinate, built.sign * float(data.qvel[int(model.jnt_dofadr[joint])])
