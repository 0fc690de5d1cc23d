"""Joint types as chains of revolute and prismatic axes, as COLLADA represents them.

Types without an equivalent in COLLADA become axes with the same degrees of freedom, as far as possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from ossature.formats.format import WriteContext
from ossature.formats.passes.split_multi_dof_joints import split_joints
from ossature.kinematics import factor_joint
from ossature.model import Axis, Compound, Coordinate, Fixed, Joint, JointType, Range, World
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import ZERO3, euler_from_quaternion, quaternion_from_rotation_vector, vector_from


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
    positions: Callable[[Sequence[float]], tuple[float, ...]]


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
    """Return the chain of axes that represents a joint type: a rotation vector becomes three Euler angles."""
    if isinstance(joint_type, Fixed):
        return AxisChain(axes=(Axis(direction=Z_AXIS),), coordinates=(None,), positions=lambda q: (0.0,))
    axes: list[Axis] = []
    coordinates: list[int | None] = []
    for factor in factor_joint(joint_type):
        if factor.axis is None:
            axes += [Axis(direction=direction) for direction in (X_AXIS, Y_AXIS, Z_AXIS)]
            coordinates += [None, None, None]
            continue
        axes.append(Axis(direction=factor.axis, is_revolute=factor.is_rotation))
        coordinates.append(factor.coordinate)
        if factor.is_rotation and factor.translation:
            axes.append(Axis(direction=factor.axis, is_revolute=False))
            coordinates.append(None)
    return AxisChain(axes=tuple(axes), coordinates=tuple(coordinates), positions=partial(_axis_positions, joint_type))


def _axis_positions(joint_type: JointType, q: Sequence[float]) -> tuple[float, ...]:
    positions: list[float] = []
    for factor in factor_joint(joint_type):
        if factor.axis is None:
            vector = vector_from(q[factor.coordinate : factor.coordinate + 3])
            positions += euler_from_quaternion(quaternion_from_rotation_vector(vector))
            continue
        positions.append(q[factor.coordinate])
        if factor.is_rotation and factor.translation:
            positions.append(factor.translation * q[factor.coordinate])
    return tuple(positions)
