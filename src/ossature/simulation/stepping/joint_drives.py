"""Drives of joints at each step: commands, and springs of ball and free joints that the engine has no element for.

A drive writes into the engine's inputs before a step; a servo corrects the engine's constraints in the middle of one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ossature.array_types import AnyArray, Vector
from ossature.kinematics import motion_pose, reverse_coordinates
from ossature.model import Actuation, Coordinate, Floating
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import engine_velocity_matrix, read_positions, read_velocities
from ossature.simulation.compile.joint_actuation import is_effort_limited_servo, servo_bias_force
from ossature.simulation.compile.joints import engine_coordinates, is_displaced_free_joint
from ossature.simulation.stateful_components import ComponentState
from ossature.simulation.stepping.command_signals import CallbackSignal, Constant, SampledSignal, Signal, require_width
from ossature.simulation.stepping.gripper_motion import FingerSignal
from ossature.spatial import (
    Quaternion,
    Vector3,
    add,
    conjugate,
    cross,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    rotation_matrix,
    rotation_vector_from_quaternion,
    subtract,
)

if TYPE_CHECKING:
    import mujoco


class JointDrive(Protocol):
    """A drive that acts at each step."""

    command: Signal

    def prepare_step(self, time: float, step: float) -> None:
        """Prepare the step that starts at a time [s]."""

    @property
    def is_steady(self) -> bool:
        """Whether it needs no update at each step with its present command."""

    def get_state(self) -> ComponentState:
        """Return its state from step to step, without its command."""

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""


_LAYOUTS_WITH_BALL = (JointLayout.BALL, JointLayout.STACK, JointLayout.POINT)
"""Layouts with one rotation vector, whose components can have different springs and dampers."""


class StatelessDrive:
    """A drive without saved_state."""

    def get_state(self) -> ComponentState:
        """Return nothing."""
        return {}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore nothing."""


def _advance(command: Signal, time: float) -> None:
    if isinstance(command, FingerSignal):
        command.advance(time)


class ForceDrive(StatelessDrive):
    """Applies a commanded force or torque, within the effort limits, and the springs that the engine does not simulate.

    Args:
        command: The force or torque of each coordinate.
    """

    def __init__(self, index: JointAddress, command: Signal, data: mujoco.MjData) -> None:
        self.command = command
        self.index = index
        coordinates = index.joint.coordinates
        self._lower = np.array([coordinate.effort_limits.lower for coordinate in coordinates])
        self._upper = np.array([coordinate.effort_limits.upper for coordinate in coordinates])
        self._is_limited = bool(np.isfinite(self._lower).any() or np.isfinite(self._upper).any())
        self._springs = _RemainingSprings(index) if index.layout in _LAYOUTS_WITH_BALL else None
        self._qpos, self._qvel = data.qpos, data.qvel
        self._applied = data.qfrc_applied[index.coordinate_dofs]
        self._is_scalar = index.layout in (JointLayout.SCALARS, JointLayout.SCREW)

    @property
    def is_steady(self) -> bool:
        """Whether the force is constant."""
        return self._is_scalar and isinstance(self.command, Constant)

    def set_constant(self, values: Vector) -> None:
        """Command a constant force or torque of each coordinate; only if it is :attr:`is_steady`.

        Raises:
            ValueError: The number of values is wrong.
        """
        require_width(values, self._applied.size)
        self.command = Constant(values)
        # Two operations are several times as fast as ``numpy.clip``, with the same results.
        self._applied[:] = np.minimum(np.maximum(values, self._lower), self._upper) if self._is_limited else values

    def force(self, time: float) -> Vector:
        """Return the commanded force or torque of each coordinate at a time [s], within the limits."""
        return np.clip(self.command.at(time), self._lower, self._upper)

    def prepare_step(self, time: float, step: float) -> None:
        """Apply the force of a time [s]."""
        force = self.force(time)
        _advance(self.command, time)
        if self._is_scalar:
            self._applied[:] = force
            return
        if self._springs is not None:
            force = force + self._springs.force(self._qpos, self._qvel)
        # Forces and velocities of one joint map oppositely: power is the same in both coordinates.
        self._applied[:] = np.linalg.solve(engine_velocity_matrix(self.index, self._qpos).T, force)


class _RemainingSprings:
    """Springs and dampers of a ball, free or point joint that the engine does not simulate, with DART's law."""

    def __init__(self, index: JointAddress) -> None:
        self._index = index
        coordinates, engine = index.joint.coordinates, engine_coordinates(index.joint)
        stiffness = np.array([coordinate.stiffness for coordinate in coordinates])
        self._constant = stiffness * np.array([coordinate.spring_reference for coordinate in coordinates])
        self._stiffness = np.diag(stiffness) - _engine_stiffness(index, engine)
        damping = np.array([coordinate.damping for coordinate in coordinates])
        self._damping = damping - np.array([coordinate.damping for coordinate in engine])
        self._is_displaced = is_displaced_free_joint(index.joint)
        self._to_parent = np.array(rotation_matrix(index.joint.pose.wxyz))

    @property
    def is_needed(self) -> bool:
        """Whether a coefficient is not zero."""
        return bool(self._constant.any() or self._stiffness.any() or self._damping.any())

    def force(self, qpos: Vector, qvel: Vector) -> Vector:
        """Return the generalised force in the joint's coordinates."""
        q = np.array(read_positions(self._index, qpos))
        v = np.array(read_velocities(self._index, qpos, qvel))
        if not self._is_displaced:
            return np.asarray(self._constant - self._stiffness @ q - self._damping * v)
        # DART's velocities are those of a point that is as far from the child's origin as the joint frame at the start, but
        # along axes of the parent; its forces do their work on them.
        turn, position = self._to_parent, self._index.joint.pose.position
        rotation = quaternion_from_rotation_vector((float(q[0]), float(q[1]), float(q[2])))
        lever_arm = np.subtract(joint_arm(self._index, rotation), position)
        v = np.concatenate([turn.T @ v[:3], turn.T @ (v[3:] - np.cross(v[:3], lever_arm))])
        in_dart = self._constant - self._stiffness @ q - self._damping * v
        force = turn @ in_dart[3:]
        return np.concatenate([turn @ in_dart[:3] - np.cross(lever_arm, force), force])


def _engine_stiffness(index: JointAddress, engine: Sequence[Coordinate]) -> AnyArray:
    """Return the matrix from the coordinates of a joint to the generalised force of the engine's springs, negated.

    The engine applies the spring of a ball about axes of the joint, DART that of a free joint about axes of the parent body.
    """
    stiffness: AnyArray = np.diag([coordinate.stiffness for coordinate in engine])
    if isinstance(index.joint.type, Floating):
        stiffness[:3, :3] = np.array(rotation_matrix(parent_rotation(index))) @ stiffness[:3, :3]
    return stiffness


def joint_arm(index: JointAddress, rotation: Quaternion) -> Vector3:
    """Return the vector from the origin of a joint's child to that of its frame, in axes of its parent [m]."""
    pose = index.joint.pose
    return rotate(multiply(multiply(parent_rotation(index), rotation), conjugate(pose.wxyz)), pose.position)


def parent_rotation(index: JointAddress) -> Quaternion:
    """Return the rotation of a joint's frame in its own parent."""
    # Parent and child are those of the tree exchanged if the tree passes the joint backwards.
    return (index.built.pose if index.is_reversed else index.pose_parent_joint).wxyz


class PrescribedMotion(ABC):
    """A commanded velocity or acceleration, as the displacement of a joint in each step.

    Args:
        command: The velocity or acceleration of each coordinate.
        data: The engine's data, with the joint at the start of the motion.
    """

    def __init__(self, index: JointAddress, command: Signal, data: mujoco.MjData, *, order: int) -> None:
        self.command = command
        self._index = index
        self._order = order
        self._start, self._data = float(data.time), data
        self._position: Any = list(read_positions(index, data.qpos))
        self._accelerates = index.joint.actuation is Actuation.ACCELERATION
        self._velocity = np.zeros(index.joint.degrees_of_freedom)
        if self._accelerates:
            self._velocity[:] = read_velocities(index, data.qpos, data.qvel)

    @property
    def path(self) -> str:
        """The model and the joint."""
        return f"{self._index.model}/{self._index.joint.name}"

    @property
    def prescribes_velocity(self) -> bool:
        """Whether its command is a velocity, not an acceleration."""
        return not self._accelerates

    @contextmanager
    def moved_by(self, signal: Signal) -> Iterator[None]:
        """Use a signal without a change of its command."""
        kept, self.command = self.command, signal
        try:
            yield
        finally:
            self.command = kept

    def starts_with_jump(self, time: float, least: float) -> bool:
        """Whether a velocity is commanded at a time [s] that differs by a least change from the present one [m/s or rad/s]."""
        command, data = self.command, self._data
        if self._start != time or self._accelerates or not isinstance(command, Constant | SampledSignal):
            return False
        change = command.at(time) - read_velocities(self._index, data.qpos, data.qvel)
        return bool(np.abs(change).max(initial=0.0) >= least)

    @property
    def is_steady(self) -> bool:
        """Whether the joint is commanded to stay at its position."""
        return isinstance(self.command, Constant) and not self.command.values.any() and not self._velocity.any()

    def get_state(self) -> ComponentState:
        """Return the commanded position and velocity so far, and the time of the command."""
        start = np.array([self._start])
        return {"position": np.array(self._position, dtype=float), "velocity": self._velocity.copy(), "start": start}

    def set_state(self, saved_state: Mapping[str, AnyArray]) -> None:
        """Restore what :meth:`get_state` returned."""
        self._position[:] = saved_state["position"].tolist()
        self._velocity[:] = saved_state["velocity"]
        if "start" in saved_state:  # states of earlier versions do not have it
            self._start = float(saved_state["start"][0])
        self._write_target()

    @abstractmethod
    def _write_target(self) -> None:
        """Write the target of the joint into the engine."""

    def displacement(self, time: float, step: float) -> Vector:
        """Return the displacement of each coordinate in the step that starts at a time [s]."""
        change = self.command.integral(time, time + step)
        _advance(self.command, time)
        if not self._accelerates:
            return change
        self._velocity += change
        # A first-order integrator moves the joint with the new velocity, as DART does.
        return np.asarray(step * (self._velocity if self._order == 1 else self._velocity - 0.5 * change))


class FollowDrive(PrescribedMotion):
    """Moves the targets of equality constraints, so that the joint's coordinates follow a velocity or acceleration.

    Args:
        command: The velocity or acceleration of each coordinate.
        equalities: The engine's index of the constraint of each coordinate that follows exactly.
        data: The engine's data, with the joint at the start of the motion.
    """

    def __init__(
        self,
        index: JointAddress,
        command: Signal,
        equalities: dict[int, int],
        model: mujoco.MjModel,
        data: mujoco.MjData,
        *,
        order: int,
    ) -> None:
        super().__init__(index, command, data, order=order)
        self._equalities = equalities
        self._targets = model.eq_data
        self._position = np.array(self._position)
        self._lower, self._upper = _enforced_limits(index, equalities, model)
        self._write_target()

    def rates(self) -> Iterator[tuple[int, Callable[[float], float]]]:
        """Yield the engine's constraint of each coordinate with a commanded velocity, and its rate just after a time [s].

        The rate of a function that may depend on the state is that for which it was called last.
        """
        command = self.command
        is_known = isinstance(command, Constant | SampledSignal | CallbackSignal) and not self._accelerates
        for coordinate, equality in self._equalities.items() if is_known else ():
            yield equality, partial(_value_at, command, coordinate)

    def prepare_step(self, time: float, step: float) -> None:
        """Set the targets of the end of the step; the motion stops at limits, or at once if it starts beyond them."""
        lower, upper = np.minimum(self._lower, self._position), np.maximum(self._upper, self._position)
        self._position = np.clip(self._position + self.displacement(time, step), lower, upper)
        self._write_target()

    def _write_target(self) -> None:
        for coordinate, equality in self._equalities.items():
            self._targets[equality, 0] = self._position[coordinate]


def _enforced_limits(index: JointAddress, equalities: Collection[int], model: mujoco.MjModel) -> tuple[Vector, Vector]:
    """Return the limits of each coordinate of a joint that the engine enforces, and infinity for the others."""
    is_enforced = np.zeros(index.joint.degrees_of_freedom, dtype=bool)
    is_enforced[list(equalities)] = model.jnt_limited[model.dof_jntid[index.coordinate_dofs]][list(equalities)] > 0
    limits = [coordinate.position_limits for coordinate in index.joint.coordinates]
    lower = np.where(is_enforced, [one.lower for one in limits], -math.inf)
    return lower, np.where(is_enforced, [one.upper for one in limits], math.inf)


def _value_at(command: Signal, coordinate: int, time: float) -> float:
    values = command.last if isinstance(command, CallbackSignal) and command.last is not None else command.at(time)
    return float(values[coordinate])


class WeldDrive(PrescribedMotion):
    """Moves the target pose of a weld, so that a ball or free joint follows a velocity or acceleration.

    An acceleration of a free joint is that of the origin of its child body, as in DART.

    Args:
        command: The velocity or acceleration of each coordinate.
        equality: The engine's index of the weld.
        data: The engine's data, with the joint at the start of the motion.
    """

    def __init__(
        self, index: JointAddress, command: Signal, equality: int, model: mujoco.MjModel, data: mujoco.MjData, *, order: int
    ) -> None:
        super().__init__(index, command, data, order=order)
        self._outer = parent_rotation(index)
        self._is_free = isinstance(index.joint.type, Floating)
        if self._is_free and self._accelerates:
            spin = (float(self._velocity[0]), float(self._velocity[1]), float(self._velocity[2]))
            self._velocity[3:] -= cross(spin, joint_arm(index, self._rotation()))
        self._target = model.eq_data[equality]
        # At the centre of a ball the weld constrains only the rotation.
        self._target[3:6] = index.built.pose.position
        self._write_target()

    def prepare_step(self, time: float, step: float) -> None:
        """Set the target of the end of the step."""
        displacement = self.displacement(time, step).tolist()
        rotation_step = quaternion_from_rotation_vector((displacement[0], displacement[1], displacement[2]))
        rotation = self._rotation()
        if self._is_free:
            # A free joint's velocity is expressed in the parent frame, a ball joint's in the child frame.
            to_joint = conjugate(self._outer)
            new_rotation = multiply(multiply(to_joint, multiply(rotation_step, self._outer)), rotation)
            translation = (displacement[3], displacement[4], displacement[5])
            if self._accelerates:
                translation = add(translation, subtract(joint_arm(self._index, new_rotation), joint_arm(self._index, rotation)))
            self._position[3:] = add((self._position[3], self._position[4], self._position[5]), rotate(to_joint, translation))
        else:
            new_rotation = multiply(rotation, rotation_step)
        self._position[:3] = rotation_vector_from_quaternion(new_rotation)
        self._write_target()

    def _rotation(self) -> Quaternion:
        a, b, c = self._position[:3]
        return quaternion_from_rotation_vector((a, b, c))

    def _write_target(self) -> None:
        # The engine's target is the pose of its second body, the parent, in the first one, the child.
        built = self._index.built
        positions = reverse_coordinates(built, self._position) if self._index.is_reversed else self._position
        pose_parent_joint = self._index.pose_parent_joint @ motion_pose(built.type, positions)
        self._target[:3] = pose_parent_joint.position
        self._target[6:10] = multiply(built.pose.wxyz, conjugate(pose_parent_joint.wxyz))


class ServoDrive(StatelessDrive):
    """Drives a joint by friction: friction relative to the commanded velocity is a force-limited velocity servo.

    Args:
        command: The velocity of each coordinate.
    """

    def __init__(self, index: JointAddress, command: Signal, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.command = command
        self._data = data
        self._rows: list[tuple[int, int]] = []
        friction_dofs = np.flatnonzero(np.array(model.dof_frictionloss) > 0.0).tolist()
        dofs = range(model.nv)[index.coordinate_dofs]
        for number, (dof, coordinate) in enumerate(zip(dofs, index.joint.coordinates, strict=True)):
            if not is_effort_limited_servo(index.joint, coordinate):
                continue
            data.qfrc_applied[dof] = servo_bias_force(coordinate)
            if dof in friction_dofs:
                self._rows.append((number, friction_dofs.index(dof)))

    @property
    def is_steady(self) -> bool:
        """Whether the commanded velocity is zero."""
        return isinstance(self.command, Constant) and not self.command.values.any()

    def prepare_step(self, time: float, step: float) -> None:
        """Prepare nothing; the constraints of the step do not exist yet."""

    def correct_constraints(self, time: float, step: float) -> None:
        """Request the commanded velocity at the end of the step; friction rows come after the equality rows."""
        velocity = self.command.at(time)
        first = self._data.ne
        for coordinate, rank in self._rows:
            self._data.efc_aref[first + rank] += velocity[coordinate] / step


def needs_force_drive(index: JointAddress) -> bool:
    """Whether a joint needs a drive without a command: it has springs that the engine does not simulate, or a force."""
    is_commanded = index.joint.actuation is Actuation.FORCE and any(each.initial_effort for each in index.joint.coordinates)
    if is_commanded:
        return index.layout is not JointLayout.NONE
    return index.layout in _LAYOUTS_WITH_BALL and _RemainingSprings(index).is_needed
