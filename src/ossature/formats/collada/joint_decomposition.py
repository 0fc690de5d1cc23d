"""Joint types as chains of revolute and prismatic axes, as COLLADA represents them.

Types without an equivalent in COLLADA become axes with the same degrees of freedom, as far as possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ossature.model import (
    Axis,
    Compound,
    Coordinate,
    Cylindrical,
    Euler,
    Fixed,
    Floating,
    JointType,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Range,
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
    """A chain of axes that is equivalent to a joint.

    Attributes:
        axes: The axes, from the parent to the child.
        coordinates: For each axis the index of its coordinate; None for an axis without a coordinate of its own.
        positions: Maps the positions of the coordinates to those of the axes [rad or m].
    """

    axes: tuple[Axis, ...]
    coordinates: tuple[int | None, ...]
    positions: Callable[[Sequence[float]], tuple[float, ...]] = tuple


def is_locked_by_limits(coordinate: Coordinate) -> bool:
    """Whether the position limits of an axis leave no range of motion: it is locked, as in OpenRAVE."""
    limits = coordinate.position_limits
    return not coordinate.continuous and not limits.lower < limits.upper


def clamp_to_range(position: float, limits: Range) -> float:
    """Return an initial position clamped to limits; unchanged if they leave no range of motion."""
    return min(max(position, limits.lower), limits.upper) if limits.lower < limits.upper else position


def chain_of(joint_type: JointType) -> AxisChain:
    """Return the chain of axes that represents a joint type."""
    return _CHAINS[type(joint_type)](joint_type)


def _revolute(direction: Vector3) -> Axis:
    return Axis(direction=direction)


def _prismatic(direction: Vector3) -> Axis:
    return Axis(direction=direction, is_revolute=False)


def _series(*axes: Axis) -> AxisChain:
    return AxisChain(axes=axes, coordinates=tuple(range(len(axes))))


def _screw(screw: Screw) -> AxisChain:
    return AxisChain(
        axes=(_revolute(screw.axis), _prismatic(screw.axis)),
        coordinates=(0, None),
        positions=lambda q: (q[0], screw.pitch * q[0] / math.tau),
    )


def _with_rotation(translations: tuple[int, ...], axes: tuple[Vector3, ...], rotation: int) -> AxisChain:
    """Return prismatic axes and then three Euler angles, from a rotation vector that starts at a coordinate."""

    def positions(q: Sequence[float]) -> tuple[float, ...]:
        angles = euler_from_quaternion(quaternion_from_rotation_vector((q[rotation], q[rotation + 1], q[rotation + 2])))
        return (*(q[index] for index in translations), *angles)

    return AxisChain(
        axes=(*map(_prismatic, axes), _revolute(X_AXIS), _revolute(Y_AXIS), _revolute(Z_AXIS)),
        coordinates=(*translations, None, None, None),
        positions=positions,
    )


_CHAINS: dict[type, Callable[[Any], AxisChain]] = {
    Fixed: lambda fixed: AxisChain(axes=(_revolute(Z_AXIS),), coordinates=(None,), positions=lambda q: (0.0,)),
    Revolute: lambda joint: _series(_revolute(joint.axis)),
    Prismatic: lambda joint: _series(_prismatic(joint.axis)),
    Screw: _screw,
    Cylindrical: lambda joint: _series(_revolute(joint.axis), _prismatic(joint.axis)),
    Universal: lambda joint: _series(_revolute(joint.axis1), _revolute(joint.axis2)),
    Euler: lambda joint: _series(*(_revolute(_BY_LETTER[letter]) for letter in joint.order)),
    Translational: lambda joint: _series(_prismatic(X_AXIS), _prismatic(Y_AXIS), _prismatic(Z_AXIS)),
    Translational2D: lambda joint: _series(_prismatic(joint.axis1), _prismatic(joint.axis2)),
    Planar: lambda joint: _series(_prismatic(joint.axis1), _prismatic(joint.axis2), _revolute(cross(joint.axis1, joint.axis2))),
    Compound: lambda joint: _series(*joint.axes),
    Spherical: lambda joint: _with_rotation((), (), 0),
    PointOnLine: lambda joint: _with_rotation((0,), (joint.axis,), 1),
    PointOnPlane: lambda joint: _with_rotation((0, 1), (joint.axis1, joint.axis2), 2),
    Floating: lambda joint: _with_rotation((3, 4, 5), (X_AXIS, Y_AXIS, Z_AXIS), 0),
}
