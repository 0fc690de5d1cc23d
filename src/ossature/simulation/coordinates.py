"""Joint coordinates and velocities of the model ⇄ the engine's vectors.

The engine describes a ball by a quaternion in axes of its body, and a free joint by the body's place in the world and
its velocity in mixed axes. ``docs/conventions.md`` says what the model's coordinates are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.kinematics import motion_pose
from ossature.model import Screw
from ossature.simulation.index import JointIndex, Layout
from ossature.spatial import (
    Pose,
    Quaternion,
    Vector3,
    conjugate,
    cross,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    rotation_vector_from_quaternion,
    scale,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


def advance(screw: Screw) -> float:
    """Return how far a screw advances for each radian [m]."""
    return screw.pitch / math.tau


def write_positions(index: JointIndex, positions: Sequence[float], qpos: Vector) -> None:
    """Set the engine's positions of a joint from its coordinates."""
    start, layout = index.qpos, index.layout
    if layout is Layout.SCALARS:
        qpos[start : start + len(positions)] = positions
    elif layout is Layout.SCREW:
        assert isinstance(index.joint.type, Screw)  # noqa: S101  # the layout is built for no other
        qpos[start : start + 2] = (advance(index.joint.type) * positions[0], positions[0])
    elif layout is Layout.BALL:
        qpos[start : start + 4] = _ball_quaternion(index, _three(positions, 0))
    elif layout is Layout.STACK:
        qpos[start : start + 3] = positions[3:6]
        qpos[start + 3 : start + 7] = _ball_quaternion(index, _three(positions, 0))
    elif layout is Layout.FREE:
        pose = index.pose_parent_joint @ motion_pose(index.joint.type, positions) @ index.joint.pose.inverse()
        qpos[start : start + 3] = pose.position
        qpos[start + 3 : start + 7] = pose.wxyz


def read_positions(index: JointIndex, qpos: Vector) -> tuple[float, ...]:
    """Return the coordinates of a joint."""
    start, layout = index.qpos, index.layout
    if layout is Layout.SCALARS:
        return tuple(qpos[start : start + index.joint.degrees_of_freedom].tolist())
    if layout is Layout.SCREW:
        return (float(qpos[start + 1]),)
    if layout is Layout.BALL:
        return _rotation_vector(index, qpos, start)
    if layout is Layout.STACK:
        return (*_rotation_vector(index, qpos, start + 3), *qpos[start : start + 3].tolist())
    if layout is Layout.FREE:
        motion = index.pose_parent_joint.inverse() @ _pose(qpos, start) @ index.joint.pose
        return (*rotation_vector_from_quaternion(motion.wxyz), *motion.position)
    return index.joint.initial_positions


def write_velocities(index: JointIndex, velocities: Sequence[float], qpos: Vector, qvel: Vector) -> None:
    """Set the engine's velocities of a joint from its own; its positions must be set already."""
    if index.layout is not Layout.NONE:
        start = index.dof
        qvel[start : start + index.dof_count] = velocity_map(index, qpos) @ np.asarray(velocities, dtype=float)


def read_velocities(index: JointIndex, qpos: Vector, qvel: Vector) -> tuple[float, ...]:
    """Return the velocities of a joint."""
    start, layout = index.dof, index.layout
    if layout is Layout.NONE:
        return (0.0,) * index.joint.degrees_of_freedom
    if layout is Layout.SCALARS:
        return tuple(qvel[start : start + index.joint.degrees_of_freedom].tolist())
    if layout is Layout.SCREW:
        return (float(qvel[start + 1]),)
    # The map of the others is square and regular.
    engine = qvel[start : start + index.dof_count]
    return tuple(np.linalg.solve(velocity_map(index, qpos), engine).tolist())


def velocity_map(index: JointIndex, qpos: Vector) -> Vector:
    """Return the matrix that turns a joint's velocities into the engine's.

    Its transpose turns the engine's forces into the joint's.
    """
    layout = index.layout
    if layout is Layout.NONE:
        return np.zeros((0, index.joint.degrees_of_freedom))
    if layout is Layout.SCALARS:
        return np.eye(index.joint.degrees_of_freedom)
    if layout is Layout.SCREW:
        assert isinstance(index.joint.type, Screw)  # noqa: S101
        return np.array([[advance(index.joint.type)], [1.0]])
    if layout is Layout.BALL:
        return _matrix(index.joint.pose.wxyz)
    result = np.zeros((6, 6))
    if layout is Layout.STACK:
        outer = index.pose_parent_joint.wxyz
        result[:3, 3:] = _matrix(outer).T
        parent_joint_child = multiply(outer, conjugate(index.joint.pose.wxyz))
        result[3:, :3] = _matrix(multiply(parent_joint_child, _quaternion(qpos, index.qpos + 3))).T
    else:
        result[:3, :3] = -_skew(_arm(index, qpos))
        result[:3, 3:] = np.eye(3)
        result[3:, :3] = _matrix(_quaternion(qpos, index.qpos + 3)).T
    return result


def velocity_map_rate(index: JointIndex, qpos: Vector, velocities: Sequence[float]) -> Vector:
    """Return the engine's acceleration of a joint whose own velocities are constant (J̇·v)."""
    result = np.zeros(index.dof_count)
    if index.layout is Layout.FREE:
        spin = _three(velocities, 0)
        result[:3] = cross(spin, cross(spin, _arm(index, qpos)))
    return result


def _arm(index: JointIndex, qpos: Vector) -> Vector3:
    """Return the way from the joint frame's origin to the body frame's, in axes of the world."""
    return rotate(_quaternion(qpos, index.qpos + 3), scale(index.joint.pose.position, -1.0))


def _ball_quaternion(index: JointIndex, rotation_vector: Vector3) -> Quaternion:
    turn = index.joint.pose.wxyz
    return multiply(multiply(turn, quaternion_from_rotation_vector(rotation_vector)), conjugate(turn))


def _joint_quaternion(index: JointIndex, qpos: Vector, start: int) -> Quaternion:
    turn = index.joint.pose.wxyz
    return multiply(multiply(conjugate(turn), _quaternion(qpos, start)), turn)


def _rotation_vector(index: JointIndex, qpos: Vector, start: int) -> Vector3:
    return rotation_vector_from_quaternion(_joint_quaternion(index, qpos, start))


def _quaternion(qpos: Vector, start: int) -> Quaternion:
    w, x, y, z = qpos[start : start + 4].tolist()
    return (w, x, y, z)


def _pose(qpos: Vector, start: int) -> Pose:
    x, y, z = qpos[start : start + 3].tolist()
    return Pose((x, y, z), _quaternion(qpos, start + 3))


def _three(values: Sequence[float], start: int) -> Vector3:
    return (float(values[start]), float(values[start + 1]), float(values[start + 2]))


def _matrix(wxyz: Quaternion) -> Vector:
    return Pose(wxyz=wxyz).matrix()[:3, :3]


def _skew(v: Vector3) -> Vector:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
