"""What is done at each step for what the engine has no element for: commands, and springs of ball and free joints.

A drive writes into the engine's inputs before a step; a servo corrects the engine's constraints in the middle of one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ossature.kinematics import motion_pose
from ossature.model import Actuation, Floating
from ossature.simulation.checkpointing import Memory
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import read_positions, read_velocities, velocity_map
from ossature.simulation.compile.joint_actuation import add_servo_force, is_effort_limited_servo
from ossature.simulation.compile.joints import engine_share
from ossature.simulation.stepping.gripper_motion import Fingers
from ossature.simulation.stepping.signals import Constant, Signal
from ossature.spatial import (
    conjugate,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    rotation_vector_from_quaternion,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class JointDrive(Protocol):
    """Something that acts at each step."""

    command: Signal

    def before(self, time: float, step: float) -> None:
        """Prepare the step that begins at a time [s]."""

    @property
    def steady(self) -> bool:
        """Whether it has nothing to do at each step as things stand."""

    def memory(self) -> Memory:
        """Return what it remembers from step to step, its command aside."""

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back what :meth:`memory` gave."""


class _Forgetful:
    """A drive that remembers nothing."""

    def memory(self) -> Memory:
        """Return nothing."""
        return {}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take nothing back."""


def _go_on(command: Signal, time: float) -> None:
    if isinstance(command, Fingers):
        command.go_on(time)


class ForceDrive(_Forgetful):
    """Applies a commanded force or torque, within the effort limits, and what springs the engine leaves over.

    Args:
        index: The joint.
        command: The force or torque of each coordinate.
        data: The engine's data.
    """

    def __init__(self, index: JointAddress, command: Signal, data: Any) -> None:
        self.command = command
        self.index = index
        coordinates = index.joint.coordinates
        self._lower = np.array([coordinate.effort_limits.lower for coordinate in coordinates])
        self._upper = np.array([coordinate.effort_limits.upper for coordinate in coordinates])
        self._springs = _LeftoverSprings(index) if index.layout in (JointLayout.BALL, JointLayout.STACK) else None
        self._qpos, self._qvel = data.qpos, data.qvel
        self._applied = data.qfrc_applied[index.coordinate_dofs]
        self._is_scalar = index.layout in (JointLayout.SCALARS, JointLayout.SCREW)

    @property
    def steady(self) -> bool:
        """Whether the force stays what it is."""
        return self._is_scalar and isinstance(self.command, Constant)

    def force(self, time: float) -> Vector:
        """Return the commanded force or torque of each coordinate at a time [s], within the limits."""
        return np.clip(self.command.at(time), self._lower, self._upper)

    def before(self, time: float, step: float) -> None:
        """Apply the force of a time [s]."""
        force = self.force(time)
        _go_on(self.command, time)
        if self._is_scalar:
            self._applied[:] = force
            return
        if self._springs is not None:
            force = force + self._springs.force(self._qpos, self._qvel)
        # Forces and velocities of one joint map oppositely: power is the same in both coordinates.
        self._applied[:] = np.linalg.solve(velocity_map(self.index, self._qpos).T, force)


class _LeftoverSprings:
    """Springs and dampers of a ball or free joint beyond what the engine does by itself, with DART's law."""

    def __init__(self, index: JointAddress) -> None:
        self._index = index
        coordinates, share = index.joint.coordinates, engine_share(index.joint)
        engine = [share.ball] * 3 + [share.slides] * (len(coordinates) - 3)
        stiffness = np.array([coordinate.stiffness for coordinate in coordinates])
        rest = np.array([coordinate.spring_reference for coordinate in coordinates])
        self._constant = stiffness * rest
        self._stiffness = stiffness - np.array([coordinate.stiffness for coordinate in engine])
        damping = np.array([coordinate.damping for coordinate in coordinates])
        self._damping = damping - np.array([coordinate.damping for coordinate in engine])

    @property
    def present(self) -> bool:
        """Whether there is anything left to do."""
        return bool(self._constant.any() or self._stiffness.any() or self._damping.any())

    def force(self, qpos: Vector, qvel: Vector) -> Vector:
        """Return the generalised force in the joint's coordinates."""
        q = np.array(read_positions(self._index, qpos))
        v = np.array(read_velocities(self._index, qpos, qvel))
        return np.asarray(self._constant - self._stiffness * q - self._damping * v)


class _Prescription(ABC):
    """A commanded velocity or acceleration, as the way that a joint is to go in each step.

    Args:
        index: The joint.
        command: The velocity or acceleration of each coordinate.
        data: The engine's data, with the joint where the motion begins.
        order: That of the integrator's error in the step.
    """

    def __init__(self, index: JointAddress, command: Signal, data: Any, *, order: int) -> None:
        self.command = command
        self._index = index
        self._order = order
        self._position: Any = list(read_positions(index, data.qpos))
        self._accelerates = index.joint.actuation is Actuation.ACCELERATION
        self._velocity = np.zeros(index.joint.degrees_of_freedom)
        if self._accelerates:
            self._velocity[:] = read_velocities(index, data.qpos, data.qvel)

    @property
    def steady(self) -> bool:
        """Whether the joint is to stay where it is."""
        at_rest = not self._velocity.any()
        return isinstance(self.command, Constant) and not self.command.values.any() and at_rest

    def memory(self) -> Memory:
        """Return position and velocity that the command has led to so far."""
        return {"position": np.array(self._position, dtype=float), "velocity": self._velocity.copy()}

    def recall(self, memory: Mapping[str, NDArray[Any]]) -> None:
        """Take back position and velocity."""
        self._position[:] = memory["position"].tolist()
        self._velocity[:] = memory["velocity"]
        self._place()

    @abstractmethod
    def _place(self) -> None:
        """Write where the joint is to be into the engine."""

    def way(self, time: float, step: float) -> Vector:
        """Return how far each coordinate is to go in the step that begins at a time [s]."""
        change = self.command.integral(time, time + step)
        _go_on(self.command, time)
        if not self._accelerates:
            return change
        self._velocity += change
        # As DART steps, which is first order: the new velocity moves the joint.
        return np.asarray(step * (self._velocity if self._order == 1 else self._velocity - 0.5 * change))


class FollowDrive(_Prescription):
    """Moves the targets of equality constraints, so that the joint's coordinates follow a velocity or acceleration.

    Args:
        index: The joint.
        command: The velocity or acceleration of each coordinate.
        equalities: The engine's number of the constraint of each coordinate that follows exactly.
        model: The engine's model.
        data: The engine's data, with the joint where the motion begins.
        order: That of the integrator's error in the step.
    """

    def __init__(
        self, index: JointAddress, command: Signal, equalities: dict[int, int], model: Any, data: Any, *, order: int
    ) -> None:
        super().__init__(index, command, data, order=order)
        self._equalities = equalities
        self._targets = model.eq_data
        self._position = np.array(self._position)
        self._place()

    def before(self, time: float, step: float) -> None:
        """Move the targets to where they are at the end of the step."""
        self._position += self.way(time, step)
        self._place()

    def _place(self) -> None:
        for coordinate, equality in self._equalities.items():
            self._targets[equality, 0] = self._position[coordinate]


class WeldDrive(_Prescription):
    """Moves the target pose of a weld, so that a ball or free joint follows a velocity or acceleration.

    Args:
        index: The joint.
        command: The velocity or acceleration of each coordinate.
        equality: The engine's number of the weld.
        model: The engine's model.
        data: The engine's data, with the joint where the motion begins.
        order: That of the integrator's error in the step.
    """

    def __init__(self, index: JointAddress, command: Signal, equality: int, model: Any, data: Any, *, order: int) -> None:
        super().__init__(index, command, data, order=order)
        self._target = model.eq_data[equality]
        self._place()

    def before(self, time: float, step: float) -> None:
        """Move the target to where it is at the end of the step."""
        way = self.way(time, step).tolist()
        turn = quaternion_from_rotation_vector((way[0], way[1], way[2]))
        rotation = quaternion_from_rotation_vector((self._position[0], self._position[1], self._position[2]))
        if isinstance(self._index.joint.type, Floating):
            # A free joint's velocity is in axes of the parent, a ball's in axes of the child.
            outer = self._index.pose_parent_joint.wxyz
            moved = multiply(multiply(conjugate(outer), multiply(turn, outer)), rotation)
            slide = rotate(conjugate(outer), (way[3], way[4], way[5]))
            self._position[3:] = [a + b for a, b in zip(self._position[3:], slide, strict=True)]
        else:
            moved = multiply(rotation, turn)
        self._position[:3] = rotation_vector_from_quaternion(moved)
        self._place()

    def _place(self) -> None:
        # The engine wants the pose of its second body, the parent, in the first one, the child.
        motion = motion_pose(self._index.joint.type, self._position)
        pose_child_parent = (self._index.pose_parent_joint @ motion @ self._index.joint.pose.inverse()).inverse()
        self._target[3:6] = pose_child_parent.position
        self._target[6:10] = pose_child_parent.wxyz


class ServoDrive(_Forgetful):
    """Lets friction pull a joint along: friction against the commanded velocity is a servo that gives way.

    Args:
        index: The joint.
        command: The velocity of each coordinate.
        model: The engine's model.
        data: The engine's data.
    """

    def __init__(self, index: JointAddress, command: Signal, model: Any, data: Any) -> None:
        self.command = command
        self._data = data
        self._rows: list[tuple[int, int]] = []
        rubbing = np.flatnonzero(np.array(model.dof_frictionloss) > 0.0).tolist()
        dofs = range(model.nv)[index.coordinate_dofs]
        for number, (dof, coordinate) in enumerate(zip(dofs, index.joint.coordinates, strict=True)):
            if not is_effort_limited_servo(index.joint, coordinate):
                continue
            data.qfrc_applied[dof] = add_servo_force(coordinate)
            if dof in rubbing:
                self._rows.append((number, rubbing.index(dof)))

    @property
    def steady(self) -> bool:
        """Whether it has nothing to do: it holds still."""
        return isinstance(self.command, Constant) and not self.command.values.any()

    def before(self, time: float, step: float) -> None:
        """Prepare nothing; the constraints of the step do not exist yet."""

    def between(self, time: float, step: float) -> None:
        """Ask for the commanded velocity at the end of the step; friction rows follow the equality rows."""
        velocity = self.command.at(time)
        first = self._data.ne
        for coordinate, rank in self._rows:
            self._data.efc_aref[first + rank] += velocity[coordinate] / step


def needs_force_drive(index: JointAddress) -> bool:
    """Whether a joint needs a drive even without a command: it has springs that the engine leaves over, or a force."""
    if any(coordinate.initial_effort for coordinate in index.joint.coordinates):
        return index.layout is not JointLayout.NONE and index.joint.actuation is Actuation.FORCE
    return index.layout in (JointLayout.BALL, JointLayout.STACK) and _LeftoverSprings(index).present
