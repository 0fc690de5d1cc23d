"""Joint types as chains of revolute and prismatic axes, as COLLADA represents them.

Types without an equivalent in COLLADA become axes with the same degrees of freedom, as far as possible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ossature.formats.format import WriteContext
from ossature.formats.passes.split_multi_dof_joints import split_joints
from ossature.model import (
    Axis,
    Compound,
    Coordinate,
    Cylindrical,
    Euler,
    Fixed,
    Floating,
    Joint,
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
    World,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import ZERO3, Vector3, cross, euler_from_quaternion, quaternion_from_rotation_vector

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


def split_anchored_joints(world: World, context: WriteContext) -> World:
    """Return a World without compound joints whose motions are about other points than the origin of the joint frame."""
    return split_joints(world, context.ledger, _anchored_reason, ())


def _anchored_reason(joint: Joint) -> str | None:
    if not isinstance(joint.type, Compound):
        return None
    if all(isinstance(axis, Axis) and (axis.anchor == ZERO3 or not axis.is_revolute) for axis in joint.type.axes):
        return None
    return "COLLADA has no compound joint with axes through different points or a spherical motion"


def chain_of(joint_type: JointType) -> AxisChain:
    """Return the chain of axes that represents a joint type."""
    return _CHAINS[type(joint_type)](joint_type)


def _revolute_axis(direction: Vector3) -> Axis:
    return Axis(direction=direction)


def _prismatic_axis(direction: Vector3) -> Axis:
    return Axis(direction=direction, is_revolute=False)


def _axes_in_series(*axes: Axis) -> AxisChain:
    return AxisChain(axes=axes, coordinates=tuple(range(len(axes))))


def _screw_chain(screw: Screw) -> AxisChain:
    return AxisChain(
        axes=(_revolute_axis(screw.axis), _prismatic_axis(screw.axis)),
        coordinates=(0, None),
        positions=lambda q: (q[0], screw.pitch * q[0] / math.tau),
    )


def _with_rotation(translations: tuple[int, ...], axes: tuple[Vector3, ...], rotation: int) -> AxisChain:
    """Return prismatic axes and then three Euler angles, from a rotation vector that starts at a coordinate."""

    def positions(q: Sequence[float]) -> tuple[float, ...]:
        angles = euler_from_quaternion(quaternion_from_rotation_vector((q[rotation], q[rotation + 1], q[rotation + 2])))
        return (*(q[index] for index in translations), *angles)

    return AxisChain(
        axes=(*map(_prismatic_axis, axes), _revolute_axis(X_AXIS), _revolute_axis(Y_AXIS), _revolute_axis(Z_AXIS)),
        coordinates=(*translations, None, None, None),
        positions=positions,
    )


_CHAINS: dict[type, Callable[[Any], AxisChain]] = {
    Fixed: lambda fixed: AxisChain(axes=(_revolute_axis(Z_AXIS),), coordinates=(None,), positions=lambda q: (0.0,)),
    Revolute: lambda joint: _axes_in_series(_revolute_axis(joint.axis)),
    Prismatic: lambda joint: _axes_in_series(_prismatic_axis(joint.axis)),
    Screw: _screw_chain,
    Cylindrical: lambda joint: _axes_in_series(_revolute_axis(joint.axis), _prismatic_axis(joint.axis)),
    Universal: lambda joint: _axes_in_series(_revolute_axis(joint.axis1), _revolute_axis(joint.axis2)),
    Euler: lambda joint: _axes_in_series(*(_revolute_axis(_BY_LETTER[letter]) for letter in joint.order)),
    Translational: lambda joint: _axes_in_series(_prismatic_axis(X_AXIS), _prismatic_axis(Y_AXIS), _prismatic_axis(Z_AXIS)),
    Translational2D: lambda joint: _axes_in_series(_prismatic_axis(joint.axis1), _prismatic_axis(joint.axis2)),
    Planar: lambda joint: _axes_in_series(
        _prismatic_axis(joint.axis1), _prismatic_axis(joint.axis2), _revolute_axis(cross(joint.axis1, joint.axis2))
    ),
    Compound: lambda joint: _axes_in_series(*(axis for axis in joint.axes if isinstance(axis, Axis))),
    Spherical: lambda joint: _with_rotation((), (), 0),
    PointOnLine: lambda joint: _with_rotation((0,), (joint.axis,), 1),
    PointOnPlane: lambda joint: _with_rotation((0, 1), (joint.axis1, joint.axis2), 2),
    Floating: lambda joint: _with_rotation((3, 4, 5), (X_AXIS, Y_AXIS, Z_AXIS), 0),
}
