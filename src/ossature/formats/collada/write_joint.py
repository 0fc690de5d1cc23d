"""Joints of the model → joints of COLLADA, and what is said about their axes elsewhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.joint_decomposition import chain_of
from ossature.formats.collada.native_extension.joint import joint_extras
from ossature.formats.collada.read_joint import joint_type_of
from ossature.formats.collada.schema_kinematics import (
    AxisDirectionElement,
    BoundElement,
    JointElement,
    JointLimitsElement,
    PrismaticElement,
    RevoluteElement,
)
from ossature.formats.collada.write_link_joint_info import representable_infos
from ossature.model import (
    UNBOUNDED,
    UNCONSTRAINED_COORDINATE,
    Actuation,
    Axis,
    Coordinate,
    Coupling,
    Fixed,
    HardLimits,
    Joint,
    Range,
)
from ossature.spatial import unit

_NOWHERE = Coordinate(position_limits=Range(lower=0.0, upper=0.0))
"""What is said about the axis of a joint that does not move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAxis:
    """One axis of a joint, in SI units.

    Attributes:
        axis: Its direction and kind.
        coordinate: What it says about the coordinate that it is.
        start: Where it stands at the start [rad or m].
        locked: Whether it is held fast.
        active: Whether it takes commands.
    """

    axis: Axis
    coordinate: Coordinate
    start: float
    locked: bool
    active: bool

    def in_document(self, value: float) -> float:
        """Return a position, a speed and so on in the document's unit."""
        return math.degrees(value) if self.axis.is_revolute else value

    @property
    def is_circular(self) -> bool:
        """Whether it turns without end."""
        hard = self.coordinate.hard_limits
        is_limited = self.coordinate.position_limits.bounded or (hard is not None and hard.position.bounded)
        return self.axis.is_revolute and (self.coordinate.continuous or not is_limited)

    @property
    def hard_position(self) -> Range | None:
        """The limits that stand at the joint itself."""
        hard = self.coordinate.hard_limits
        limits = hard.position if hard is not None else UNBOUNDED if self.is_circular else self.coordinate.position_limits
        return limits if limits.bounded else None

    @property
    def soft_position(self) -> Range | None:
        """The limits that stand in the kinematics system: always both."""
        limits = self.coordinate.position_limits
        if (
            self.is_circular
            or self.coordinate.hard_limits is None
            or not (math.isfinite(limits.lower) and math.isfinite(limits.upper))
        ):
            return None
        return limits

    @property
    def read(self) -> Coordinate:
        """The coordinate as it is read from the axis."""
        hard, soft = self.hard_position, self.soft_position
        position = UNBOUNDED if self.is_circular else soft or hard or UNBOUNDED
        stated = self.coordinate.hard_limits or HardLimits()
        limits = HardLimits(
            position=hard if hard is not None and (soft is not None or self.is_circular) else UNBOUNDED,
            velocity=_symmetric(stated.velocity),
            acceleration=_symmetric(stated.acceleration),
            jerk=_symmetric(stated.jerk),
        )
        return Coordinate(
            position_limits=position,
            velocity_limits=_symmetric(self.coordinate.velocity_limits),
            acceleration_limits=_symmetric(self.coordinate.acceleration_limits),
            jerk_limits=_symmetric(self.coordinate.jerk_limits),
            hard_limits=None if limits == HardLimits() else limits,
            continuous=self.is_circular,
            initial_position=_within(self.start, position),
            planning_weight=self.coordinate.planning_weight,
            planning_resolution=self.coordinate.planning_resolution,
        )


def largest(limits: Range) -> float | None:
    """Return the one number that COLLADA says of limits on both sides, or None where there are none."""
    bound = max(abs(limits.lower), abs(limits.upper))
    return bound if math.isfinite(bound) else None


def _symmetric(limits: Range) -> Range:
    bound = largest(limits)
    return UNBOUNDED if bound is None else Range(lower=-bound, upper=bound)


def _within(value: float, limits: Range) -> float:
    return min(max(value, limits.lower), limits.upper) if limits.lower <= limits.upper else value


def written_axes(joint: Joint) -> list[WrittenAxis]:
    """Return the axes by which a joint is said."""
    chain = chain_of(joint.type)
    is_fixed = isinstance(joint.type, Fixed)
    starts = chain.positions(joint.initial_positions)
    return [
        WrittenAxis(
            axis=axis,
            coordinate=_NOWHERE if is_fixed else UNCONSTRAINED_COORDINATE if index is None else joint.coordinates[index],
            start=start,
            locked=is_fixed or joint.actuation is Actuation.LOCKED,
            active=joint.actuation is not Actuation.PASSIVE,
        )
        for axis, index, start in zip(chain.axes, chain.coordinates, starts, strict=True)
    ]


def axis_sid(index: int) -> str:
    """Return the identifier of an axis of a joint."""
    return f"axis{index}"


def write_joint(joint: Joint, sid: str, path: str, ledger: Ledger, formulas: Mapping[int, Coupling]) -> JointElement:
    """Return the element that says a joint.

    Args:
        joint: The joint.
        sid: Its identifier.
        path: Where in the model it is.
        ledger: Where goes what is said differently, or not at all.
        formulas: The formulas that are said of its axes, by number.
    """
    axes = written_axes(joint)
    return JointElement(
        sid=sid,
        name=joint.name,
        axes=tuple([_axis(axis, axis_sid(index)) for index, axis in enumerate(axes)]),
        extra=joint_extras(joint, _as_read(joint, axes, formulas), path, ledger),
    )


def _axis(axis: WrittenAxis, sid: str) -> RevoluteElement | PrismaticElement:
    kind = RevoluteElement if axis.axis.is_revolute else PrismaticElement
    direction = AxisDirectionElement(value=axis.axis.direction)
    return kind(sid=sid, axis=direction, limits=_limits(axis, axis.hard_position))


def _limits(axis: WrittenAxis, limits: Range | None) -> JointLimitsElement | None:
    if limits is None:
        return None
    lower, upper = (
        BoundElement(value=axis.in_document(bound)) if math.isfinite(bound) else None for bound in (limits.lower, limits.upper)
    )
    return JointLimitsElement(min=lower, max=upper)


def _as_read(joint: Joint, axes: list[WrittenAxis], formulas: Mapping[int, Coupling]) -> Joint:
    """Return a joint as it is read from its axes and from what is said about them."""
    locked, active = any(axis.locked for axis in axes), all(axis.active for axis in axes)
    return Joint(
        name=joint.name,
        type=joint_type_of([_direction_read(axis.axis) for axis in axes]),
        parent=joint.parent,
        child=joint.child,
        pose=joint.pose,
        coordinates=tuple(
            [
                replace(axis.read, name=axis_sid(index) if len(axes) > 1 else None, coupling=formulas.get(index))
                for index, axis in enumerate(axes)
            ]
        ),
        actuation=Actuation.LOCKED if locked else Actuation.FORCE if active else Actuation.PASSIVE,
        extensions=representable_infos(joint.extensions),
    )


def _direction_read(axis: Axis) -> Axis:
    try:
        return Axis(direction=unit(axis.direction), is_revolute=axis.is_revolute)
    except ValueError:
        return Axis(is_revolute=axis.is_revolute)
