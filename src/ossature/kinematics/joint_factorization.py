"""Joints taken apart: every joint is turns and slides along axes, one after the other, and turns by a rotation vector."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import Vector3, cross

_BASIS: dict[str, Vector3] = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementaryMotion:
    """One part of a joint's motion, in the frame that the parts before it have moved.

    Attributes:
        axis: Unit vector along which and about which it moves, or None for a turn by a rotation vector.
        turns: Whether it turns, by its coordinate [rad].
        slide: How far it slides for each unit of its coordinate [m/rad or 1].
        coordinate: Number of its coordinate in the joint; of a rotation vector the first of three.
    """

    axis: Vector3 | None = None
    turns: bool = True
    slide: float = 0.0
    coordinate: int = 0


def factor_joint(joint_type: JointType) -> tuple[ElementaryMotion, ...]:
    """Return the parts of a joint's motion in their order; :func:`ossature.kinematics.motion_pose` is their product."""
    return tuple(_STAGES[type(joint_type)](joint_type))


def _turn(axis: Vector3, coordinate: int = 0) -> ElementaryMotion:
    return ElementaryMotion(axis=axis, coordinate=coordinate)


def _slide(axis: Vector3, coordinate: int = 0) -> ElementaryMotion:
    return ElementaryMotion(axis=axis, turns=False, slide=1.0, coordinate=coordinate)


def _slides(first: Vector3, second: Vector3) -> list[ElementaryMotion]:
    return [_slide(first, 0), _slide(second, 1)]


def _slides_along_all(first: int) -> list[ElementaryMotion]:
    return [_slide(axis, first + number) for number, axis in enumerate(_BASIS.values())]


def _compound(compound: Compound) -> list[ElementaryMotion]:
    return [(_turn if axis.is_revolute else _slide)(axis.direction, number) for number, axis in enumerate(compound.axes)]


_STAGES: dict[type, Callable[[Any], list[ElementaryMotion]]] = {
    Fixed: lambda fixed: [],
    Revolute: lambda revolute: [_turn(revolute.axis)],
    Prismatic: lambda prismatic: [_slide(prismatic.axis)],
    Screw: lambda screw: [ElementaryMotion(axis=screw.axis, slide=screw.pitch / math.tau)],
    Cylindrical: lambda cylindrical: [_turn(cylindrical.axis, 0), _slide(cylindrical.axis, 1)],
    Universal: lambda universal: [_turn(universal.axis1, 0), _turn(universal.axis2, 1)],
    Spherical: lambda spherical: [ElementaryMotion()],
    Euler: lambda euler: [_turn(_BASIS[axis], number) for number, axis in enumerate(euler.order)],
    Translational: lambda translational: _slides_along_all(0),
    Translational2D: lambda plane: _slides(plane.axis1, plane.axis2),
    Planar: lambda planar: [*_slides(planar.axis1, planar.axis2), _turn(cross(planar.axis1, planar.axis2), 2)],
    PointOnLine: lambda line: [_slide(line.axis, 0), ElementaryMotion(coordinate=1)],
    PointOnPlane: lambda plane: [*_slides(plane.axis1, plane.axis2), ElementaryMotion(coordinate=2)],
    Compound: _compound,
    Floating: lambda free: [*_slides_along_all(3), ElementaryMotion(coordinate=0)],
}
