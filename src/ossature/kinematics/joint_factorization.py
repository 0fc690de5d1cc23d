"""Joints as sequences of elementary transforms: rotations about axes, translations along axes, and rotation vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ossature import model
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import (
    IDENTITY_WXYZ,
    ZERO3,
    Pose,
    Vector3,
    add,
    cross,
    quaternion_from_axis_angle,
    quaternion_from_rotation_vector,
    rotate,
    scale,
    subtract,
    vector_from,
)

_BASIS: dict[str, Vector3] = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementaryMotion:
    """One factor of a joint's motion, in the frame that the factors before it have moved.

    Attributes:
        axis: Unit vector of the rotation and translation, or None for a rotation by a rotation vector.
        is_rotation: Whether it rotates, by its coordinate [rad].
        translation: The translation for each unit of its coordinate [m/rad or 1].
        coordinate: Number of its coordinate in the joint; of a rotation vector the first of three.
        anchor: A point that a rotation does not move [m].
    """

    axis: Vector3 | None = None
    is_rotation: bool = True
    translation: float = 0.0
    coordinate: int = 0
    anchor: Vector3 = ZERO3


def factor_joint(joint_type: model.JointType) -> tuple[ElementaryMotion, ...]:
    """Return the factors of a joint's motion in order; :func:`ossature.kinematics.motion_pose` is their product."""
    return tuple(_FACTORS[type(joint_type)](joint_type))


def factor_pose(factor: ElementaryMotion, q: Sequence[float]) -> Pose:
    """Return the transform of one factor, at the coordinates of its joint [rad or m]."""
    first = factor.coordinate
    if factor.axis is None:
        rotation, position = quaternion_from_rotation_vector(vector_from(q[first : first + 3])), ZERO3
    else:
        rotation = quaternion_from_axis_angle(factor.axis, q[first]) if factor.is_rotation else IDENTITY_WXYZ
        position = scale(factor.axis, factor.translation * q[first])
    if factor.anchor != ZERO3:
        position = add(position, subtract(factor.anchor, rotate(rotation, factor.anchor)))
    return Pose(position, rotation)


def _rotation(axis: Vector3, coordinate: int = 0) -> ElementaryMotion:
    return ElementaryMotion(axis=axis, coordinate=coordinate)


def _translation(axis: Vector3, coordinate: int = 0) -> ElementaryMotion:
    return ElementaryMotion(axis=axis, is_rotation=False, translation=1.0, coordinate=coordinate)


def _translations(first: Vector3, second: Vector3) -> list[ElementaryMotion]:
    return [_translation(first, 0), _translation(second, 1)]


def _translations_along_all(first: int) -> list[ElementaryMotion]:
    return [_translation(axis, first + number) for number, axis in enumerate(_BASIS.values())]


def factor_motion(motion: model.Axis | model.SphericalMotion, coordinate: int = 0) -> ElementaryMotion:
    """Return the factor that one motion of a compound joint is, with the number of its first coordinate."""
    if isinstance(motion, model.SphericalMotion):
        return ElementaryMotion(coordinate=coordinate, anchor=motion.anchor)
    if motion.is_revolute:
        return ElementaryMotion(axis=motion.direction, coordinate=coordinate, anchor=motion.anchor)
    return _translation(motion.direction, coordinate)


_FACTORS: dict[type, Callable[[Any], list[ElementaryMotion]]] = {
    model.Fixed: lambda fixed: [],
    model.Revolute: lambda revolute: [_rotation(revolute.axis)],
    model.Prismatic: lambda prismatic: [_translation(prismatic.axis)],
    model.Screw: lambda screw: [ElementaryMotion(axis=screw.axis, translation=screw.pitch / math.tau)],
    model.Cylindrical: lambda cylindrical: [_rotation(cylindrical.axis, 0), _translation(cylindrical.axis, 1)],
    model.Universal: lambda universal: [_rotation(universal.axis1, 0), _rotation(universal.axis2, 1)],
    model.Spherical: lambda spherical: [ElementaryMotion()],
    model.Euler: lambda euler: [_rotation(_BASIS[axis], number) for number, axis in enumerate(euler.order)],
    model.Translational: lambda translational: _translations_along_all(0),
    model.Translational2D: lambda plane: _translations(plane.axis1, plane.axis2),
    model.Planar: lambda planar: [*_translations(planar.axis1, planar.axis2), _rotation(cross(planar.axis1, planar.axis2), 2)],
    model.PointOnLine: lambda line: [_translation(line.axis, 0), ElementaryMotion(coordinate=1)],
    model.PointOnPlane: lambda plane: [*_translations(plane.axis1, plane.axis2), ElementaryMotion(coordinate=2)],
    model.Compound: lambda compound: [factor_motion(motion, coordinate) for coordinate, motion in compound.motions],
    model.Floating: lambda free: [*_translations_along_all(3), ElementaryMotion(coordinate=0)],
}
