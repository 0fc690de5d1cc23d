"""The drives of all joints of a simulation, and their commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ossature.array_types import AnyArray, Array
from ossature.model import Actuation, Checkpoint, World
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.joint_actuation import DRIVEN, is_limited_servo
from ossature.simulation.stateful_components import ComponentState, flatten_state, label, unflatten_state
from ossature.simulation.stepping.command_signals import (
    CallbackSignal,
    Constant,
    SampledSignal,
    Signal,
    restore_signal,
    signal_state,
)
from ossature.simulation.stepping.gripper_motion import ContactTest, FingerSignal, GripperMotion, make_finger_signal
from ossature.simulation.stepping.joint_drives import (
    FollowDrive,
    ForceDrive,
    JointDrive,
    ServoDrive,
    WeldDrive,
    needs_force_drive,
)

if TYPE_CHECKING:
    import mujoco

JointCommand: TypeAlias = "Signal | GripperMotion"
"""The command of a joint: a signal, or a motion of gripper fingers."""


class DriveSet:
    """The drives of all joints.

    Attributes:
        active: The drives that act before each step.
        servos: The drives that act in the middle of each step.
    """

    def __init__(self, compiled: EngineModel, data: mujoco.MjData) -> None:
        self._compiled, self._model, self._data = compiled, compiled.model, data
        self._contact_test = ContactTest(compiled.model, data)
        self._equalities = compiled.drive_equalities
        self._joints = compiled.shared_results.get(_find_joints, compiled, None)
        self._drives: dict[str, list[JointDrive]] = {}
        self.active: list[JointDrive] = []
        self.servos: list[ServoDrive] = []

    def start(self) -> None:
        """Create the drives that are active from the start, at the state of the engine's data."""
        for index in self._compiled.shared_results.get(_find_initially_driven, self._compiled, None):
            self._set_drives(index, Constant(_initial_command(index)), 0.0)
        self._select_active()

    def command(self, index: JointAddress, joint_command: JointCommand, time: float) -> None:
        """Set the command of a joint from now on."""
        self._set_drives(index, joint_command, time)
        self._select_active()

    def set_constant_force(self, model: str, joint: str, values: Array) -> bool:
        """Set the values of a constant force that is the command of a joint already; return whether it is.

        The result is that of :meth:`command` with a constant, at a small part of its cost.
        """
        drives = self._drives.get(label(model, joint))
        drive = drives[0] if drives else None
        if not isinstance(drive, ForceDrive) or not drive.is_steady:
            return False
        drive.set_constant(values)
        return True

    def command_of(self, index: JointAddress) -> Signal | None:
        """Return the command of a joint, or None."""
        drives = self._drives.get(label(index.model, index.joint.name))
        return drives[0].command if drives else None

    def restart(self, time: float) -> None:
        """Continue with the same commands from the present state of the engine's data."""
        for name, drives in list(self._drives.items()):
            if drives:
                self._set_drives(self._joints[name], _command_of_drive(drives[0]), time)
        self._select_active()

    def adopt(self, before: DriveSet, time: float) -> None:
        """Continue with the drives of an earlier compilation of the same World.

        Joints without degrees of freedom, such as the floating ones of bodies that are attached to grippers now, have none.
        """
        for name, drives in before._drives.items():
            if not self._joints[name].dof_count:
                continue
            self._drives[name] = self._make_drives(self._joints[name], _command_of_drive(drives[0]))
            _copy_finger_state(drives[0].command, self._drives[name][0].command)
            for drive, old in zip(self._drives[name], drives, strict=True):
                drive.set_state(old.get_state())
                drive.prepare_step(time, 0.0)
        self._select_active()

    def efforts(self, time: float) -> dict[tuple[str, str], Array]:
        """Return the commanded force or torque of each coordinate of force-driven joints, by model and joint."""
        return {
            (drive.index.model, drive.index.joint.name): drive.force(time)
            for drives in self._drives.values()
            for drive in drives
            if isinstance(drive, ForceDrive)
        }

    def commanded_forces(self) -> frozenset[tuple[str, str]]:
        """Return model and name of the joints with a commanded force that is not always zero."""
        return frozenset(
            (drive.index.model, drive.index.joint.name)
            for drives in self._drives.values()
            for drive in drives
            if isinstance(drive, ForceDrive) and not (isinstance(drive.command, Constant) and not drive.command.values.any())
        )

    def get_state(self) -> ComponentState:
        """Return the commands and the state of the drives."""
        return flatten_state({name: self._state_of(drives) for name, drives in self._drives.items()})

    def _state_of(self, drives: list[JointDrive]) -> ComponentState:
        parts = {str(number): drive.get_state() for number, drive in enumerate(drives)}
        if not drives:
            return flatten_state(parts)
        command = drives[0].command
        if isinstance(command, FingerSignal):
            return flatten_state(parts | {"command": command.motion.get_state(), "fingers": command.get_state()})
        return flatten_state(parts | {"command": signal_state(command)})

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore the commands and the state of the drives.

        Raises:
            ValueError: The command of a joint was a function of time, and is none now.
        """
        parts = unflatten_state(saved_state)
        unknown = parts.keys() - self._joints.keys()
        if unknown:
            raise ValueError(f"there is no joint '{min(unknown)}'")
        states = {name: unflatten_state(part) for name, part in parts.items()}
        # All commands are created before anything changes: a function of time that was replaced could not be restored.
        commands = {name: self._restored_command(name, part) for name, part in states.items()}
        self._drives = {name: drives for name, drives in self._drives.items() if name in parts}
        for name, part in states.items():
            self._restore_joint(name, commands[name], part)
        self._select_active()

    def restore_commands(self, saved_state: Mapping[str, AnyArray], time: float, *, efforts: bool) -> None:
        """Restore commands that :meth:`get_state` returned, also of another World, at the present state of the engine.

        Functions of time, and commands of joints that this World does not have or has with another type, are ignored.

        Args:
            saved_state: The value of :meth:`get_state`.
            time: The time [s].
            efforts: Whether to restore commands of force-driven joints.
        """
        for name, part in unflatten_state(saved_state).items():
            index, parts = self._joints.get(name), unflatten_state(part)
            if index is None or "command" not in parts or not (efforts or index.joint.actuation is not Actuation.FORCE):
                continue
            joint_command = self._compatible_command(name, index, parts["command"])
            if joint_command is not None and index.dof_count:
                self._set_drives(index, joint_command, time)
        self._select_active()

    def _compatible_command(self, name: str, index: JointAddress, command: ComponentState) -> JointCommand | None:
        if "function" in command and not isinstance(self._present_command(name), CallbackSignal):
            return None
        try:
            restored = _restored_command(command, self._present_command(name), index)
        except (ValueError, KeyError, IndexError):
            return None  # the command is for another type of joint
        if isinstance(restored, Constant | SampledSignal) and restored.at(0.0).shape != (index.joint.degrees_of_freedom,):
            return None
        return restored

    def _restored_command(self, name: str, parts: Mapping[str, ComponentState]) -> JointCommand:
        try:
            return _restored_command(parts["command"], self._present_command(name), self._joints[name])
        except ValueError as error:
            raise ValueError(f"joint '{name}': {error}") from None

    def _present_command(self, name: str) -> JointCommand | None:
        drives = self._drives.get(name)
        return _command_of_drive(drives[0]) if drives else None

    def _restore_joint(self, name: str, joint_command: JointCommand, parts: Mapping[str, ComponentState]) -> None:
        if joint_command is not self._present_command(name):
            self._drives[name] = self._make_drives(self._joints[name], joint_command)
        drives = self._drives[name]
        if drives and isinstance(drives[0].command, FingerSignal):
            drives[0].command.set_state(parts["fingers"])
        for number, drive in enumerate(drives):
            drive.set_state(parts.get(str(number), {}))

    def _set_drives(self, index: JointAddress, joint_command: JointCommand, time: float) -> None:
        drives = self._make_drives(index, joint_command)
        if drives:
            self._drives[label(index.model, index.joint.name)] = drives
        for drive in drives:
            drive.prepare_step(time, 0.0)

    def _make_drives(self, index: JointAddress, joint_command: JointCommand) -> list[JointDrive]:
        model, data, integrator_order = self._model, self._data, self._compiled.choice.integrator.order
        command = self._finger_signal(index, joint_command) if isinstance(joint_command, GripperMotion) else joint_command
        if index.joint.actuation not in DRIVEN:
            return [ForceDrive(index, command, data)]
        if index.layout in (JointLayout.BALL, JointLayout.STACK):
            return [WeldDrive(index, command, self._equalities.welds[index.body], model, data, order=integrator_order)]
        engine_joints = model.dof_jntid[index.coordinate_dofs].tolist()
        following = {
            number: self._equalities.joints[engine_joint]
            for number, engine_joint in enumerate(engine_joints)
            if engine_joint in self._equalities.joints
        }
        drives: list[JointDrive] = (
            [FollowDrive(index, command, following, model, data, order=integrator_order)] if following else []
        )
        if is_limited_servo(index.joint):
            drives.append(ServoDrive(index, command, model, data))
        return drives

    def _finger_signal(self, index: JointAddress, motion: GripperMotion) -> FingerSignal:
        return make_finger_signal(motion, index, self._compiled, self._data, self._contact_test)

    def _select_active(self) -> None:
        active = [drive for drives in self._drives.values() for drive in drives if not drive.is_steady]
        self.servos = [drive for drive in active if isinstance(drive, ServoDrive)]
        self.active = [drive for drive in active if not isinstance(drive, ServoDrive)]


def _find_joints(compiled: EngineModel, _: None) -> Mapping[str, JointAddress]:
    """Return the joints by their labels."""
    return {label(index.model, index.joint.name): index for index in compiled.index.all_joints()}


def _find_initially_driven(compiled: EngineModel, _: None) -> Sequence[JointAddress]:
    """Return the joints with drives that are active from the start."""
    joints = [index for index in compiled.index.all_joints() if index.dof_count]
    return [index for index in joints if index.joint.actuation in DRIVEN or needs_force_drive(index)]


def _initial_command(index: JointAddress) -> Array:
    coordinates = index.joint.coordinates
    if index.joint.actuation is Actuation.FORCE:
        return np.array([coordinate.initial_effort for coordinate in coordinates])
    if index.joint.actuation is Actuation.ACCELERATION:
        return np.array([coordinate.initial_acceleration for coordinate in coordinates])
    return np.zeros(len(coordinates))


def commanded_forces_of(checkpoint: Checkpoint, world: World) -> frozenset[tuple[str, str]]:
    """Return model and name of the joints with a commanded force that is not always zero, in a simulation with a checkpoint.

    Args:
        checkpoint: The checkpoint; its arrays have the names of the component ``driving``.
        world: The World that it belongs to.
    """
    commanded = {
        array.name.split("/")[1]
        for array in checkpoint.arrays
        if array.name.startswith("driving/") and "/command/" in array.name
        if not array.name.endswith("/command/constant") or any(array.values)
    }
    return frozenset(
        (model.name, joint.name)
        for model in world.models
        for joint in model.joints
        if joint.actuation is Actuation.FORCE and label(model.name, joint.name) in commanded
    )


def _command_of_drive(drive: JointDrive) -> JointCommand:
    """Return the command of a drive without the state that belongs to the engine's data that it was made for."""
    return drive.command.motion if isinstance(drive.command, FingerSignal) else drive.command


def _copy_finger_state(before: Signal, now: Signal) -> None:
    if isinstance(before, FingerSignal) and isinstance(now, FingerSignal):
        now.set_state(before.get_state())


def _restored_command(saved_state: Mapping[str, AnyArray], present: JointCommand | None, index: JointAddress) -> JointCommand:
    """Return the command of a joint from its saved state; the present one if it is equal."""
    if "ways" in saved_state:
        motion = GripperMotion.from_state(saved_state, index)
        return present if isinstance(present, GripperMotion) and present == motion else motion
    width = index.joint.degrees_of_freedom
    return restore_signal(saved_state, None if isinstance(present, GripperMotion) else present, width)
