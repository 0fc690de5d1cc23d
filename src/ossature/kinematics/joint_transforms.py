"""Joint transforms: the child's joint frame in the parent's, as a function of the joint's coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ossature import model
from ossature.diagnostics.counted_nouns import counted
from ossature.kinematics.joint_factorization import factor_joint, factor_pose
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


def motion_pose(joint_type: model.JointType, positions: Sequence[float]) -> Pose:
    """Return the child's joint frame in the parent's, at the given coordinates [rad or m].

    Raises:
        ValueError: There are too many or too few coordinates.
    """
    if len(positions) != joint_type.degrees_of_freedom:
        name = kind_text(type(joint_type))
        raise ValueError(f"a {name} joint has {counted(joint_type.degrees_of_freedom, 'coordinate')}, not {len(positions)}")
    return _MOTIONS[type(joint_type)](joint_type, positions)


def _screw_pose(screw: model.Screw, q: Sequence[float]) -> Pose:
    return Pose(scale(screw.axis, screw.pitch * q[0] / math.tau), quaternion_from_axis_angle(screw.axis, q[0]))


def _universal_pose(universal: model.Universal, q: Sequence[float]) -> Pose:
    first = quaternion_from_axis_angle(universal.axis1, q[0])
    return Pose(wxyz=multiply(first, quaternion_from_axis_angle(universal.axis2, q[1])))


def _planar_translation(plane: model.Planar | model.Translational2D | model.PointOnPlane, q: Sequence[float]) -> Vector3:
    return add(scale(plane.axis1, q[0]), scale(plane.axis2, q[1]))


def _planar_pose(planar: model.Planar, q: Sequence[float]) -> Pose:
    return Pose(_planar_translation(planar, q), quaternion_from_axis_angle(cross(planar.axis1, planar.axis2), q[2]))


def _cylindrical_pose(cylindrical: model.Cylindrical, q: Sequence[float]) -> Pose:
    return Pose(scale(cylindrical.axis, q[1]), quaternion_from_axis_angle(cylindrical.axis, q[0]))


def _point_on_line_pose(line: model.PointOnLine, q: Sequence[float]) -> Pose:
    return Pose(scale(line.axis, q[0]), quaternion_from_rotation_vector((q[1], q[2], q[3])))


def _point_on_plane_pose(plane: model.PointOnPlane, q: Sequence[float]) -> Pose:
    return Pose(_planar_translation(plane, q), quaternion_from_rotation_vector((q[2], q[3], q[4])))


def _compound_pose(compound: model.Compound, q: Sequence[float]) -> Pose:
    pose = IDENTITY
    for factor in factor_joint(compound):
        pose @= factor_pose(factor, q)
    return pose


_MOTIONS: dict[type, Callable[[Any, Sequence[float]], Pose]] = {
    model.Fixed: lambda fixed, q: IDENTITY,
    model.Revolute: lambda revolute, q: Pose(wxyz=quaternion_from_axis_angle(revolute.axis, q[0])),
    model.Prismatic: lambda prismatic, q: Pose(scale(prismatic.axis, q[0])),
    model.Screw: _screw_pose,
    model.Cylindrical: _cylindrical_pose,
    model.Universal: _universal_pose,
    model.Spherical: lambda spherical, q: Pose(wxyz=quaternion_from_rotation_vector((q[0], q[1], q[2]))),
    model.Euler: lambda euler, q: Pose(wxyz=quaternion_from_euler((q[0], q[1], q[2]), euler.order)),
    model.Translational: lambda translational, q: Pose((q[0], q[1], q[2])),
    model.Translational2D: lambda plane, q: Pose(_planar_translation(plane, q), IDENTITY_WXYZ),
    model.Planar: _planar_pose,
    model.PointOnLine: _point_on_line_pose,
    model.PointOnPlane: _point_on_plane_pose,
    model.Compound: _compound_pose,
    model.Floating: lambda free, q: Pose((q[3], q[4], q[5]), quaternion_from_rotation_vector((q[0], q[1], q[2]))),
}
