"""Which joints are driven by what: the drives of a simulation, and the commands that they follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ossature.model import Actuation
from ossature.simulation.checkpointing import Memory, flatten_state, label, unflatten_state
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.compiled_world import Compiled
from ossature.simulation.compile.equality_constraints import find_equalities
from ossature.simulation.compile.joint_actuation import DRIVEN, is_limited_servo
from ossature.simulation.stepping.gripper_motion import ContactTest, Fingers, GripperMotion, moving_fingers
from ossature.simulation.stepping.joint_drives import (
    FollowDrive,
    ForceDrive,
    JointDrive,
    ServoDrive,
    WeldDrive,
    needs_force_drive,
)
from ossature.simulation.stepping.signals import CallbackSignal, Constant, SampledSignal, Signal, recalled_signal, signal_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

Order: TypeAlias = "Signal | GripperMotion"
"""What a joint is to do."""


class DriveSet:
    """The drives of all joints.

    Args:
        compiled: The World in the engine.
        data: The engine's data.

    Attributes:
        active: The drives that have something to do before each step.
        servos: Those that have something to do in the middle of each step.
    """

    def __init__(self, compiled: Compiled, data: Any) -> None:
        self._compiled, self._model, self._data = compiled, compiled.model, data
        self._touches = ContactTest(compiled.model, data)
        self._equalities = find_equalities(compiled.model, compiled.holding.weld_names)
        joints = [index for group in compiled.index.joints.values() for index in group.values()]
        self._joints = {label(index.model, index.joint.name): index for index in joints}
        self._drives: dict[str, list[JointDrive]] = {}
        self.active: list[JointDrive] = []
        self.servos: list[ServoDrive] = []

    def start(self) -> None:
        """Drive what is driven from the start, where the engine's data stand now."""
        for index in self._joints.values():
            if index.dof_count and (index.joint.actuation in DRIVEN or needs_force_drive(index)):
                self._drive(index, Constant(_initial_command(index)), 0.0)
        self._sort()

    def command(self, index: JointAddress, order: Order, time: float) -> None:
        """Let a joint follow a command from now on."""
        self._drive(index, order, time)
        self._sort()

    def command_of(self, index: JointAddress) -> Signal | None:
        """Return the command that a joint follows, or None."""
        drives = self._drives.get(label(index.model, index.joint.name))
        return drives[0].command if drives else None

    def restart(self, time: float) -> None:
        """Follow the same commands from where the engine's data stand now."""
        for name, drives in list(self._drives.items()):
            if drives:
                self._drive(self._joints[name], _order(drives[0]), time)
        self._sort()

    def adopt(self, before: DriveSet, time: float) -> None:
        """Go on with the drives that the same World had before it was compiled anew."""
        for name, drives in before._drives.items():
            self._drives[name] = self._drives_for(self._joints[name], _order(drives[0]))
            _same_fingers(drives[0].command, self._drives[name][0].command)
            for drive, old in zip(self._drives[name], drives, strict=True):
                drive.recall(old.memory())
                drive.before(time, 0.0)
        self._sort()

    def efforts(self, time: float) -> dict[tuple[str, str], NDArray[np.float64]]:
        """Return the commanded force or torque of each coordinate of joints that take one, by model and joint."""
        return {
            (drive.index.model, drive.index.joint.name): drive.force(time)
            for drives in self._drives.values()
            for drive in drives
            if isinstance(drive, ForceDrive)
        }

    def memory(self) -> Memory:
        """Return the commands, and what drives remember."""
        return flatten_state({name: self._memory_of(drives) for name, drives in self._drives.items()})

    def _memory_of(self, drives: list[JointDrive]) -> Memory:
        parts = {str(number): drive.memory() for number, drive in enumerate(drives)}
        if not drives:
            return flatten_state(parts)
        command = drives[0].command
        if isinstance(command, Fingers):
            return flatten_state(parts | {"command": command.motion.memory(), "fingers": command.memory()})
        return flatten_state(parts | {"command": signal_memory(command)})

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back commands, and what drives remember.

        Raises:
            ValueError: A joint followed a function of time, and follows none now.
        """
        parts = unflatten_state(memory)
        unknown = parts.keys() - self._joints.keys()
        if unknown:
            raise ValueError(f"there is no joint '{min(unknown)}'")
        told = {name: unflatten_state(part) for name, part in parts.items()}
        # All of them before anything changes: a function of time that was given up could not be taken back.
        orders = {name: self._recalled_order(name, part) for name, part in told.items()}
        self._drives = {name: drives for name, drives in self._drives.items() if name in parts}
        for name, part in told.items():
            self._recall(name, orders[name], part)
        self._sort()

    def restore_commands(self, memory: Mapping[str, NDArray[Any]], time: float, *, efforts: bool) -> None:
        """Go on with commands that :meth:`memory` gave, perhaps of another World, from where the engine's data stand now.

        Commands of joints that this World does not have, or has in another kind, are passed over, and functions of time.

        Args:
            memory: What :meth:`memory` gave.
            time: The time [s].
            efforts: Whether to take commands of joints that follow forces.
        """
        for name, part in unflatten_state(memory).items():
            index, parts = self._joints.get(name), unflatten_state(part)
            if index is None or "command" not in parts or not (efforts or index.joint.actuation is not Actuation.FORCE):
                continue
            order = self._order_of_drive(name, index, parts["command"])
            if order is not None and index.dof_count:
                self._drive(index, order, time)
        self._sort()

    def _order_of_drive(self, name: str, index: JointAddress, command: Memory) -> Order | None:
        if "function" in command and not isinstance(self._present(name), CallbackSignal):
            return None
        try:
            order = _recalled_order(command, self._present(name), index)
        except (ValueError, KeyError, IndexError):
            return None  # it is one of another kind of joint
        if isinstance(order, Constant | SampledSignal) and order.at(0.0).shape != (index.joint.degrees_of_freedom,):
            return None
        return order

    def _recalled_order(self, name: str, parts: Mapping[str, Memory]) -> Order:
        try:
            return _recalled_order(parts["command"], self._present(name), self._joints[name])
        except ValueError as error:
            raise ValueError(f"joint '{name}': {error}") from None

    def _present(self, name: str) -> Order | None:
        drives = self._drives.get(name)
        return _order(drives[0]) if drives else None

    def _recall(self, name: str, order: Order, parts: Mapping[str, Memory]) -> None:
        if order is not self._present(name):
            self._drives[name] = self._drives_for(self._joints[name], order)
        drives = self._drives[name]
        if drives and isinstance(drives[0].command, Fingers):
            drives[0].command.recall(parts["fingers"])
        for number, drive in enumerate(drives):
            drive.recall(parts.get(str(number), {}))

    def _drive(self, index: JointAddress, order: Order, time: float) -> None:
        drives = self._drives_for(index, order)
        if drives:
            self._drives[label(index.model, index.joint.name)] = drives
        for drive in drives:
            drive.before(time, 0.0)

    def _drives_for(self, index: JointAddress, order: Order) -> list[JointDrive]:
        model, data, of_integrator = self._model, self._data, self._compiled.choice.scheme.order
        command = self._fingers(index, order) if isinstance(order, GripperMotion) else order
        if index.joint.actuation not in DRIVEN:
            return [ForceDrive(index, command, data)]
        if index.layout in (JointLayout.BALL, JointLayout.STACK):
            return [WeldDrive(index, command, self._equalities.welds[index.body], model, data, order=of_integrator)]
        engine_joints = model.dof_jntid[index.coordinate_dofs].tolist()
        following = {
            number: self._equalities.joints[engine_joint]
            for number, engine_joint in enumerate(engine_joints)
            if engine_joint in self._equalities.joints
        }
        drives: list[JointDrive] = (
            [FollowDrive(index, command, following, model, data, order=of_integrator)] if following else []
        )
        if is_limited_servo(index.joint):
            drives.append(ServoDrive(index, command, model, data))
        return drives

    def _fingers(self, index: JointAddress, motion: GripperMotion) -> Fingers:
        return moving_fingers(motion, index, self._compiled, self._data, self._touches)

    def _sort(self) -> None:
        active = [drive for drives in self._drives.values() for drive in drives if not drive.steady]
        self.servos = [drive for drive in active if isinstance(drive, ServoDrive)]
        self.active = [drive for drive in active if not isinstance(drive, ServoDrive)]


def _initial_command(index: JointAddress) -> NDArray[np.float64]:
    coordinates = index.joint.coordinates
    if index.joint.actuation is Actuation.FORCE:
        return np.array([coordinate.initial_effort for coordinate in coordinates])
    if index.joint.actuation is Actuation.ACCELERATION:
        return np.array([coordinate.initial_acceleration for coordinate in coordinates])
    return np.zeros(len(coordinates))


def _order(drive: JointDrive) -> Order:
    """Return what a drive was told; what came of it belongs to the engine's data that it was made for."""
    return drive.command.motion if isinstance(drive.command, Fingers) else drive.command


def _same_fingers(before: Signal, now: Signal) -> None:
    if isinstance(before, Fingers) and isinstance(now, Fingers):
        now.recall(before.memory())


def _recalled_order(memory: Mapping[str, NDArray[Any]], present: Order | None, index: JointAddress) -> Order:
    """Return what a joint was told; the present order where that is the same."""
    if "ways" in memory:
        motion = GripperMotion.recalled(memory, index)
        return present if isinstance(present, GripperMotion) and present == motion else motion
    width = index.joint.degrees_of_freedom
    return recalled_signal(memory, None if isinstance(present, GripperMotion) else present, width)
