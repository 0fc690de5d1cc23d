"""Joint transforms: the child's joint frame in the parent's, as a function of the joint's coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ossature.kinematics.joint_factorization import factor_joint, factor_pose
from ossature.model import (
    Compound,
    Cylindrical,
    Euler,
    Fixed,
    Floating,
    JointType,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Translational,
    Translational2D,
    Universal,
)
from ossature.model.value_text import kind_text
from ossature.spatial import (
    IDENTITY,
    IDENTITY_WXYZ,
    Pose,
    Vector3,
    add,
    cross,
    multiply,
    quaternion_from_axis_angle,
    quaternion_from_euler,
    quaternion_from_rotation_vector,
    scale,
)


def motion_pose(joint_type: JointType, positions: Sequence[float]) -> Pose:
    """Return the child's joint frame in the parent's, at the given coordinates [rad or m].

    Raises:
        ValueError: There are too many or too few coordinates.
    """
    if len(positions) != joint_type.degrees_of_freedom:
        name = kind_text(type(joint_type))
        raise ValueError(f"a {name} joint has {joint_type.degrees_of_freedom} coordinates, not {len(positions)}")
    return _MOTIONS[type(joint_type)](joint_type, positions)


def _screw_pose(screw: Screw, q: Sequence[float]) -> Pose:
    return Pose(scale(screw.axis, screw.pitch * q[0] / math.tau), quaternion_from_axis_angle(screw.axis, q[0]))


def _universal_pose(universal: Universal, q: Sequence[float]) -> Pose:
    first = quaternion_from_axis_angle(universal.axis1, q[0])
    return Pose(wxyz=multiply(first, quaternion_from_axis_angle(universal.axis2, q[1])))


def _planar_translation(plane: Planar | Translational2D | PointOnPlane, q: Sequence[float]) -> Vector3:
    return add(scale(plane.axis1, q[0]), scale(plane.axis2, q[1]))


def _planar_pose(planar: Planar, q: Sequence[float]) -> Pose:
    return Pose(_planar_translation(planar, q), quaternion_from_axis_angle(cross(planar.axis1, planar.axis2), q[2]))


def _cylindrical_pose(cylindrical: Cylindrical, q: Sequence[float]) -> Pose:
    return Pose(scale(cylindrical.axis, q[1]), quaternion_from_axis_angle(cylindrical.axis, q[0]))


def _point_on_line_pose(line: PointOnLine, q: Sequence[float]) -> Pose:
    return Pose(scale(line.axis, q[0]), quaternion_from_rotation_vector((q[1], q[2], q[3])))


def _point_on_plane_pose(plane: PointOnPlane, q: Sequence[float]) -> Pose:
    return Pose(_planar_translation(plane, q), quaternion_from_rotation_vector((q[2], q[3], q[4])))


def _compound_pose(compound: Compound, q: Sequence[float]) -> Pose:
    pose = IDENTITY
    for factor in factor_joint(compound):
        pose @= factor_pose(factor, q)
    return pose


_MOTIONS: dict[type, Callable[[Any, Sequence[float]], Pose]] = {
    Fixed: lambda fixed, q: IDENTITY,
    Revolute: lambda revolute, q: Pose(wxyz=quaternion_from_axis_angle(revolute.axis, q[0])),
    Prismatic: lambda prismatic, q: Pose(scale(prismatic.axis, q[0])),
    Screw: _screw_pose,
    Cylindrical: _cylindrical_pose,
    Universal: _universal_pose,
    Spherical: lambda spherical, q: Pose(wxyz=quaternion_from_rotation_vector((q[0], q[1], q[2]))),
    Euler: lambda euler, q: Pose(wxyz=quaternion_from_euler((q[0], q[1], q[2]), euler.order)),
    Translational: lambda translational, q: Pose((q[0], q[1], q[2])),
    Translational2D: lambda plane, q: Pose(_planar_translation(plane, q), IDENTITY_WXYZ),
    Planar: _planar_pose,
    PointOnLine: _point_on_line_pose,
    PointOnPlane: _point_on_plane_pose,
    Compound: _compound_pose,
    Floating: lambda free, q: Pose((q[3], q[4], q[5]), quaternion_from_rotation_vector((q[0], q[1], q[2]))),
}
