"""Conversion between joint coordinates and velocities of the model and the engine's ``qpos`` and ``qvel``.

The engine describes a ball joint by a quaternion in axes of its body, and a free joint by the body's pose in the world and
its velocity in mixed axes. ``docs/conventions.md`` defines the model's coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ossature.array_types import Matrix, Vector
from ossature.kinematics import motion_pose, reverse_coordinates, swaps_axes
from ossature.kinematics.batched_rotations import skew
from ossature.model import Compound, Fixed, Floating, Screw, Spherical, SphericalMotion
from ossature.simulation.compile.address_map import JointAddress, JointLayout
from ossature.spatial import (
    Pose,
    Quaternion,
    Vector3,
    add,
    conjugate,
    cross,
    multiply,
    pose_from,
    quaternion_from,
    quaternion_from_rotation_vector,
    rotate,
    rotation_vector_from_quaternion,
    scale,
    subtract,
    vector_from,
)


def screw_advance(screw: Screw) -> float:
    """Return the advance of a screw per radian [m]."""
    return screw.pitch / math.tau


def write_positions(index: JointAddress, positions: Sequence[float], qpos: Vector) -> None:
    """Set the engine's positions of a joint from its coordinates."""
    if index.is_reversed:
        positions = reverse_coordinates(index.built, positions)
    start, layout, built = index.qpos, index.layout, index.built
    if layout is JointLayout.SCALARS:
        qpos[start : start + len(positions)] = positions
    elif layout is JointLayout.SCREW:
        assert isinstance(built.type, Screw)  # noqa: S101  # the only type with this layout
        qpos[start : start + 2] = (screw_advance(built.type) * positions[0], positions[0])
    elif layout is JointLayout.BALL:
        qpos[start : start + 4] = _ball_quaternion(index, _read_vector(positions, 0))
    elif layout is JointLayout.STACK:
        qpos[start : start + 3] = positions[3:6]
        qpos[start + 3 : start + 7] = _ball_quaternion(index, _read_vector(positions, 0))
    elif layout is JointLayout.POINT:
        slides = len(positions) - 3
        qpos[start : start + slides] = positions[:slides]
        qpos[start + slides : start + slides + 4] = _ball_quaternion(index, _read_vector(positions, slides))
    elif layout is JointLayout.COMPOUND:
        for first, stop, address in _compound_parts(index):
            part = positions[first:stop]
            is_ball = stop - first == 3
            qpos[address : address + (4 if is_ball else 1)] = (
                _ball_quaternion(index, _read_vector(part, 0)) if is_ball else part
            )
    elif layout is JointLayout.FREE:
        pose = index.pose_parent_joint @ motion_pose(built.type, positions) @ built.pose.inverse()
        qpos[start : start + 3] = pose.position
        qpos[start + 3 : start + 7] = pose.wxyz


def read_positions(index: JointAddress, qpos: Vector) -> tuple[float, ...]:
    """Return the coordinates of a joint; for a derived joint use :func:`derived_positions`."""
    positions = _read_compiled(index, qpos)
    return tuple(reverse_coordinates(index.built, positions)) if index.is_reversed else positions


def _read_compiled(index: JointAddress, qpos: Vector) -> tuple[float, ...]:
    start, layout = index.qpos, index.layout
    if layout is JointLayout.SCALARS:
        return tuple(qpos[start : start + index.joint.degrees_of_freedom].tolist())
    if layout is JointLayout.SCREW:
        return (float(qpos[start + 1]),)
    if layout is JointLayout.BALL:
        return _rotation_vector(index, qpos, start)
    if layout is JointLayout.STACK:
        return (*_rotation_vector(index, qpos, start + 3), *qpos[start : start + 3].tolist())
    if layout is JointLayout.POINT:
        slides = index.joint.degrees_of_freedom - 3
        return (*qpos[start : start + slides].tolist(), *_rotation_vector(index, qpos, start + slides))
    if layout is JointLayout.COMPOUND:
        parts = [
            _rotation_vector(index, qpos, address) if stop - first == 3 else (float(qpos[address]),)
            for first, stop, address in _compound_parts(index)
        ]
        return tuple([value for part in parts for value in part])
    if layout is JointLayout.FREE:
        motion = index.pose_parent_joint.inverse() @ _read_pose(qpos, start) @ index.built.pose
        return (*rotation_vector_from_quaternion(motion.wxyz), *motion.position)
    return index.built.initial_positions


def derived_positions(index: JointAddress, parent: Pose, child: Pose) -> tuple[float, ...]:
    """Return the coordinates of a derived ball or free joint from the poses of its two bodies in the world."""
    if isinstance(index.joint.type, Fixed):
        return ()
    motion = (parent @ index.pose_parent_joint).inverse() @ child @ index.joint.pose
    rotation = rotation_vector_from_quaternion(motion.wxyz)
    return (*rotation, *motion.position) if isinstance(index.joint.type, Floating) else rotation


def derived_velocities(
    index: JointAddress, parent: Pose, child: Pose, spins: tuple[Vector3, Vector3], velocities: tuple[Vector3, Vector3]
) -> tuple[float, ...]:
    """Return the velocities of a derived ball or free joint.

    Args:
        parent: Pose of the parent body in the world.
        child: Pose of the child body in the world.
        spins: Angular velocities of parent and child, each in axes of its own body [rad/s].
        velocities: Velocities of their origins, in axes of the world [m/s].
    """
    if isinstance(index.joint.type, Fixed):
        return ()
    if isinstance(index.joint.type, Floating):
        return _free_velocities(index, parent, child, spins, velocities)
    spin_parent = rotate(multiply(conjugate(child.wxyz), parent.wxyz), spins[0])
    return rotate(conjugate(index.joint.pose.wxyz), subtract(spins[1], spin_parent))


def _free_velocities(
    index: JointAddress, parent: Pose, child: Pose, spins: tuple[Vector3, Vector3], velocities: tuple[Vector3, Vector3]
) -> tuple[float, ...]:
    """Return angular and linear velocity of a joint frame relative to its parent body, in axes of the parent body."""
    world_to_parent = conjugate(parent.wxyz)
    spin = subtract(rotate(world_to_parent, rotate(child.wxyz, spins[1])), spins[0])
    position = rotate(world_to_parent, subtract((child @ index.joint.pose).position, parent.position))
    arm = rotate(world_to_parent, rotate(child.wxyz, index.joint.pose.position))
    relative_velocity = rotate(world_to_parent, subtract(velocities[1], velocities[0]))
    spin_child = rotate(multiply(world_to_parent, child.wxyz), spins[1])
    return (*spin, *subtract(add(relative_velocity, cross(spin_child, arm)), cross(spins[0], position)))


def write_velocities(index: JointAddress, velocities: Sequence[float], qpos: Vector, qvel: Vector) -> None:
    """Set the engine's velocities of a joint from its own; its positions must be set before."""
    start, count = index.dof, index.dof_count
    if not any(velocities):
        qvel[start : start + count] = 0.0
    elif count:
        with np.errstate(over="ignore", invalid="ignore"):  # the first step reports what is not finite
            qvel[start : start + count] = engine_velocity_matrix(index, qpos) @ np.asarray(velocities, dtype=float)


def read_velocities(index: JointAddress, qpos: Vector, qvel: Vector) -> tuple[float, ...]:
    """Return the velocities of a joint; for a derived joint use :func:`derived_velocities`."""
    start, layout = index.dof, index.layout
    if layout in (JointLayout.NONE, JointLayout.DERIVED):
        return (0.0,) * index.joint.degrees_of_freedom
    if layout is JointLayout.SCALARS and not index.is_reversed:
        return tuple(qvel[start : start + index.joint.degrees_of_freedom].tolist())
    if layout is JointLayout.SCREW:
        return (float(qvel[start + 1]),)
    # The map of the other layouts is square and regular.
    engine = qvel[start : start + index.dof_count]
    return tuple(np.linalg.solve(engine_velocity_matrix(index, qpos), engine).tolist())


def engine_velocity_matrix(index: JointAddress, qpos: Vector) -> Matrix:
    """Return the matrix that maps a joint's velocities to the engine's.

    Its transpose maps the engine's generalised forces to the joint's.
    """
    return _compiled_matrix(index, qpos) @ _reversal_matrix(index, qpos) if index.is_reversed else _compiled_matrix(index, qpos)


def _reversal_matrix(index: JointAddress, qpos: Vector) -> Matrix:
    """Return the matrix that maps a joint's velocities to those of the joint with parent and child exchanged."""
    count = index.joint.degrees_of_freedom
    if swaps_axes(index.built.type):
        return np.eye(count)[::-1]
    if isinstance(index.built.type, Spherical):
        rotation = quaternion_from_rotation_vector(_read_vector(_read_compiled(index, qpos), 0))
        return -_rotation_matrix(rotation).T
    return _free_reversal_matrix(index, qpos) if isinstance(index.built.type, Floating) else np.eye(count)


def _free_reversal_matrix(index: JointAddress, qpos: Vector) -> Matrix:
    """Return the matrix that maps the velocities of a free joint to those of the free joint with the inverse motion."""
    to_built, to_joint, position = _free_reversal(index, qpos)
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = -to_built @ to_joint
    result[3:, :3] = -to_built @ skew(np.asarray(position)) @ to_joint
    return result


def _free_reversal(index: JointAddress, qpos: Vector) -> tuple[Vector, Vector, Vector3]:
    """Return the rotations from the joint frame to the parent of the compiled joint, and from the joint's own parent to it.

    The last value is the translation of the joint [m].
    """
    motion = motion_pose(index.built.type, _read_compiled(index, qpos)).inverse()
    to_built = _rotation_matrix(index.pose_parent_joint.wxyz) @ _rotation_matrix(motion.wxyz).T
    return to_built, _rotation_matrix(index.built.pose.wxyz).T, motion.position


def _compiled_matrix(index: JointAddress, qpos: Vector) -> Matrix:
    layout, built = index.layout, index.built
    if layout in (JointLayout.NONE, JointLayout.DERIVED):
        return np.zeros((0, index.joint.degrees_of_freedom))
    if layout is JointLayout.SCALARS:
        return np.eye(index.joint.degrees_of_freedom)
    if layout is JointLayout.SCREW:
        assert isinstance(built.type, Screw)  # noqa: S101
        return np.array([[screw_advance(built.type)], [1.0]])
    if layout is JointLayout.BALL:
        return _rotation_matrix(built.pose.wxyz)
    if layout is JointLayout.POINT:
        result = np.eye(index.joint.degrees_of_freedom)
        result[-3:, -3:] = _rotation_matrix(built.pose.wxyz)
        return result
    if layout is JointLayout.COMPOUND:
        result = np.eye(index.joint.degrees_of_freedom)
        for first, stop, _ in _compound_parts(index):
            if stop - first == 3:
                result[first:stop, first:stop] = _rotation_matrix(built.pose.wxyz)
        return result
    result = np.zeros((6, 6))
    if layout is JointLayout.STACK:
        outer = index.pose_parent_joint.wxyz
        result[:3, 3:] = _rotation_matrix(outer).T
        parent_joint_child = multiply(outer, conjugate(index.built.pose.wxyz))
        result[3:, :3] = _rotation_matrix(multiply(parent_joint_child, _read_quaternion(qpos, index.qpos + 3))).T
    else:
        result[:3, :3] = -skew(np.array(_lever_arm(index, qpos)))
        result[:3, 3:] = np.eye(3)
        result[3:, :3] = _rotation_matrix(_read_quaternion(qpos, index.qpos + 3)).T
    return result


def engine_bias_acceleration(index: JointAddress, qpos: Vector, velocities: Sequence[float]) -> Vector:
    """Return the engine's acceleration of a joint with constant joint velocities (J̇·v)."""
    result = np.zeros(index.dof_count)
    if index.layout is JointLayout.FREE:
        spin = _read_vector(velocities, 0)
        result[:3] = cross(spin, cross(spin, _lever_arm(index, qpos)))
    if index.layout is JointLayout.STACK and index.is_reversed:
        to_built, to_joint, position = _free_reversal(index, qpos)
        turning, velocity = to_joint @ velocities[:3], to_joint @ velocities[3:]
        rate = 2.0 * np.cross(turning, velocity) - np.cross(turning, np.cross(turning, position))
        result[:] = _compiled_matrix(index, qpos) @ np.concatenate([np.zeros(3), to_built @ rate])
    return result


def _compound_parts(index: JointAddress) -> Iterator[tuple[int, int, int]]:
    """Yield for each motion of a compound joint its first coordinate, the one after its last, and its index in ``qpos``."""
    assert isinstance(index.built.type, Compound)  # noqa: S101  # the only type with this layout
    address = index.qpos
    for first, motion in index.built.type.motions:
        yield first, first + motion.degrees_of_freedom, address
        address += 4 if isinstance(motion, SphericalMotion) else 1


def _lever_arm(index: JointAddress, qpos: Vector) -> Vector3:
    """Return the vector from the joint frame's origin to the body frame's, in axes of the world."""
    return rotate(_read_quaternion(qpos, index.qpos + 3), scale(index.built.pose.position, -1.0))


def _ball_quaternion(index: JointAddress, rotation_vector: Vector3) -> Quaternion:
    rotation = index.built.pose.wxyz
    return multiply(multiply(rotation, quaternion_from_rotation_vector(rotation_vector)), conjugate(rotation))


def _joint_quaternion(index: JointAddress, qpos: Vector, start: int) -> Quaternion:
    rotation = index.built.pose.wxyz
    return multiply(multiply(conjugate(rotation), _read_quaternion(qpos, start)), rotation)


def _rotation_vector(index: JointAddress, qpos: Vector, start: int) -> Vector3:
    return rotation_vector_from_quaternion(_joint_quaternion(index, qpos, start))


def _read_quaternion(qpos: Vector, start: int) -> Quaternion:
    return quaternion_from(qpos[start : start + 4].tolist())


def _read_pose(qpos: Vector, start: int) -> Pose:
    return pose_from(qpos[start : start + 3].tolist(), qpos[start + 3 : start + 7].tolist())


def _read_vector(values: Sequence[float], start: int) -> Vector3:
    return vector_from(values[start : start + 3])


def _rotation_matrix(wxyz: Quaternion) -> Matrix:
    return Pose(wxyz=wxyz).matrix()[:3, :3]
