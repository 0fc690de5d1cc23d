"""Types of joints ⇄ the axes by which COLLADA says them, one after the other.

Types that COLLADA has no word for are said by axes that let the same moves happen, as far as axes can.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ossature.model import (
    Axis,
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
from ossature.spatial import Vector3, cross, euler_from_quaternion, quaternion_from_rotation_vector

_BY_LETTER = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}


@dataclass(frozen=True, slots=True, kw_only=True)
class AxisChain:
    """Axes that let a joint move.

    Attributes:
        axes: The axes, the outermost first.
        coordinates: For each axis the coordinate of the joint that it is; None for one that is none of its own.
        positions: The positions of the axes for those of the coordinates.
    """

    axes: tuple[Axis, ...]
    coordinates: tuple[int | None, ...]
    positions: Callable[[Sequence[float]], tuple[float, ...]] = tuple


def chain_of(joint_type: JointType) -> AxisChain:
    """Return the axes by which a joint is said."""
    return _CHAINS[type(joint_type)](joint_type)


def _turn(direction: Vector3) -> Axis:
    return Axis(direction=direction)


def _slide(direction: Vector3) -> Axis:
    return Axis(direction=direction, is_revolute=False)


def _plain(*axes: Axis) -> AxisChain:
    return AxisChain(axes=axes, coordinates=tuple(range(len(axes))))


def _screw(screw: Screw) -> AxisChain:
    return AxisChain(
        axes=(_turn(screw.axis), _slide(screw.axis)),
        coordinates=(0, None),
        positions=lambda q: (q[0], screw.pitch * q[0] / math.tau),
    )


def _turning(slides: tuple[int, ...], axes: tuple[Vector3, ...], turn: int) -> AxisChain:
    """Return slides and then any turn, whose rotation vector begins at a coordinate."""

    def positions(q: Sequence[float]) -> tuple[float, ...]:
        angles = euler_from_quaternion(quaternion_from_rotation_vector((q[turn], q[turn + 1], q[turn + 2])))
        return (*(q[slide] for slide in slides), *angles)

    return AxisChain(
        axes=(*map(_slide, axes), _turn(X_AXIS), _turn(Y_AXIS), _turn(Z_AXIS)),
        coordinates=(*slides, None, None, None),
        positions=positions,
    )


_CHAINS: dict[type, Callable[[Any], AxisChain]] = {
    Fixed: lambda fixed: AxisChain(axes=(_turn(Z_AXIS),), coordinates=(None,), positions=lambda q: (0.0,)),
    Revolute: lambda joint: _plain(_turn(joint.axis)),
    Prismatic: lambda joint: _plain(_slide(joint.axis)),
    Screw: _screw,
    Cylindrical: lambda joint: _plain(_turn(joint.axis), _slide(joint.axis)),
    Universal: lambda joint: _plain(_turn(joint.axis1), _turn(joint.axis2)),
    Euler: lambda joint: _plain(*(_turn(_BY_LETTER[letter]) for letter in joint.order)),
    Translational: lambda joint: _plain(_slide(X_AXIS), _slide(Y_AXIS), _slide(Z_AXIS)),
    Translational2D: lambda joint: _plain(_slide(joint.axis1), _slide(joint.axis2)),
    Planar: lambda joint: _plain(_slide(joint.axis1), _slide(joint.axis2), _turn(cross(joint.axis1, joint.axis2))),
    Compound: lambda joint: _plain(*joint.axes),
    Spherical: lambda joint: _turning((), (), 0),
    PointOnLine: lambda joint: _turning((0,), (joint.axis,), 1),
    PointOnPlane: lambda joint: _turning((0, 1), (joint.axis1, joint.axis2), 2),
    Floating: lambda joint: _turning((3, 4, 5), (X_AXIS, Y_AXIS, Z_AXIS), 0),
}
