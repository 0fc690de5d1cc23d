"""Writes joints of the model as joints of COLLADA, with the properties of their axes."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ossature import model
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.kinematics import schema
from ossature.formats.collada.kinematics.joint_decomposition import chain_of, clamp_to_range, is_locked_by_limits
from ossature.formats.collada.kinematics.read_joint import joint_type_of
from ossature.formats.collada.native_extension.joint import joint_extras
from ossature.formats.collada.openrave.write_link_joint_info import representable_infos
from ossature.spatial import unit

_FIXED = model.Coordinate(position_limits=model.Range(lower=0.0, upper=0.0))
"""The coordinate of the axis of a fixed joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAxis:
    """One axis of a joint, in SI units.

    Attributes:
        axis: Its direction and type.
        initial_position: Its initial position [rad or m].
        active: Whether it accepts commands.
    """

    axis: model.Axis
    coordinate: model.Coordinate
    initial_position: float
    locked: bool
    active: bool

    def in_document(self, value: float) -> float:
        """Return a position or one of its derivatives in the unit of the document: degrees for revolute axes.

        Angles whose degrees exceed the largest number have the largest number of degrees.
        """
        if not self.axis.is_revolute:
            return value
        return min(max(math.degrees(value), -sys.float_info.max), sys.float_info.max) if math.isfinite(value) else value

    @property
    def is_circular(self) -> bool:
        """Whether it is continuous: revolute without position limits."""
        hard = self.coordinate.hard_limits
        is_limited = self.coordinate.position_limits.bounded or (hard is not None and hard.position.bounded)
        return self.axis.is_revolute and (self.coordinate.continuous or not is_limited)

    @property
    def hard_position(self) -> model.Range | None:
        """The hard position limits, which are written to the joint, or None."""
        hard = self.coordinate.hard_limits
        limits = hard.position if hard is not None else model.UNBOUNDED if self.is_circular else self.coordinate.position_limits
        return limits if limits.bounded else None

    @property
    def soft_position(self) -> model.Range | None:
        """The soft position limits, which are written to the kinematics system, or None; both are finite."""
        limits = self.coordinate.position_limits
        if (
            self.is_circular
            or self.coordinate.hard_limits is None
            or not (math.isfinite(limits.lower) and math.isfinite(limits.upper))
        ):
            return None
        return limits

    @property
    def read(self) -> model.Coordinate:
        """The coordinate that is read from the axis."""
        hard, soft = self.hard_position, self.soft_position
        position = model.UNBOUNDED if self.is_circular else soft or hard or model.UNBOUNDED
        specified = self.coordinate.hard_limits or model.HardLimits()
        limits = model.HardLimits(
            position=hard if hard is not None and (soft is not None or self.is_circular) else model.UNBOUNDED,
            velocity=_make_symmetric(specified.velocity),
            acceleration=_make_symmetric(specified.acceleration),
            jerk=_make_symmetric(specified.jerk),
        )
        return model.Coordinate(
            position_limits=position,
            velocity_limits=_make_symmetric(self.coordinate.velocity_limits),
            acceleration_limits=_make_symmetric(self.coordinate.acceleration_limits),
            jerk_limits=_make_symmetric(self.coordinate.jerk_limits),
            hard_limits=None if limits == model.HardLimits() else limits,
            continuous=self.is_circular,
            initial_position=clamp_to_range(self.initial_position, position),
            hints=tuple([hint for hint in self.coordinate.hints if isinstance(hint, model.OpenravePlanning)]),
        )


def largest_absolute_bound(limits: model.Range) -> float | None:
    """Return the larger absolute value of two bounds, as COLLADA states symmetric limits, or None if it is infinite."""
    bound = max(abs(limits.lower), abs(limits.upper))
    return bound if math.isfinite(bound) else None


def _make_symmetric(limits: model.Range) -> model.Range:
    bound = largest_absolute_bound(limits)
    return model.UNBOUNDED if bound is None else model.Range(lower=-bound, upper=bound)


def written_axes(joint: model.Joint) -> list[WrittenAxis]:
    """Return the axes that represent a joint."""
    chain = chain_of(joint.type)
    is_fixed = isinstance(joint.type, model.Fixed)
    positions = chain.positions(joint.initial_positions)
    return [
        WrittenAxis(
            axis=axis,
            coordinate=_FIXED if is_fixed else model.UNCONSTRAINED_COORDINATE if index is None else joint.coordinates[index],
            initial_position=position,
            locked=is_fixed or joint.actuation is model.Actuation.LOCKED,
            active=joint.actuation is not model.Actuation.PASSIVE,
        )
        for axis, index, position in zip(chain.axes, chain.coordinates, positions, strict=True)
    ]


def axis_sid(index: int) -> str:
    """Return the sid of an axis of a joint."""
    return f"axis{index}"


def write_joint(
    joint: model.Joint, sid: str, path: str, ledger: Ledger, formulas: Mapping[int, model.Coupling]
) -> schema.JointElement:
    """Return the element of a joint.

    Args:
        path: Its path in the model.
        ledger: Receives what is not represented, or represented differently.
        formulas: The written couplings of its coordinates, by index.
    """
    axes = written_axes(joint)
    _record_largest_angles(joint, axes, path, ledger)
    return schema.JointElement(
        sid=sid,
        name=joint.name,
        axes=tuple([_axis_element(axis, axis_sid(index)) for index, axis in enumerate(axes)]),
        extra=joint_extras(joint, _joint_as_read(joint, axes, formulas), path, ledger),
    )


_LIMITS = ("position_limits", "velocity_limits", "acceleration_limits", "jerk_limits")


def _record_largest_angles(joint: model.Joint, axes: Sequence[WrittenAxis], path: str, ledger: Ledger) -> None:
    """Record limits of rotations whose degrees exceed the largest number."""
    rotating = [axis.coordinate for axis in axes if axis.axis.is_revolute]
    for number, coordinate in enumerate(joint.coordinates):
        for field in _LIMITS if any(one is coordinate for one in rotating) else ():
            limits = getattr(coordinate, field)
            if any(math.isfinite(bound) and math.isinf(math.degrees(bound)) for bound in (limits.lower, limits.upper)):
                detail = "COLLADA has degrees: the largest number of them is written"
                ledger.approximated(f"{path}.coordinates[{number}].{field}", detail)


def _axis_element(axis: WrittenAxis, sid: str) -> schema.RevoluteElement | schema.PrismaticElement:
    kind = schema.RevoluteElement if axis.axis.is_revolute else schema.PrismaticElement
    direction = schema.AxisDirectionElement(value=axis.axis.direction)
    return kind(sid=sid, axis=direction, limits=_limits_element(axis, axis.hard_position))


def _limits_element(axis: WrittenAxis, limits: model.Range | None) -> schema.JointLimitsElement | None:
    if limits is None:
        return None
    lower, upper = (
        schema.BoundElement(value=axis.in_document(bound)) if math.isfinite(bound) else None
        for bound in (limits.lower, limits.upper)
    )
    return schema.JointLimitsElement(min=lower, max=upper)


def _joint_as_read(joint: model.Joint, axes: list[WrittenAxis], formulas: Mapping[int, model.Coupling]) -> model.Joint:
    locked = bool(axes) and all(axis.locked or is_locked_by_limits(axis.read) for axis in axes)
    active = all(axis.active for axis in axes)
    return model.Joint(
        name=joint.name,
        type=joint_type_of([_normalize_axis(axis.axis) for axis in axes]),
        parent=joint.parent,
        child=joint.child,
        pose=joint.pose,
        coordinates=tuple(
            replace(axis.read, name=axis_sid(index) if len(axes) > 1 else None, coupling=formulas.get(index))
            for index, axis in enumerate(axes)
        ),
        actuation=model.Actuation.LOCKED if locked else model.Actuation.FORCE if active else model.Actuation.PASSIVE,
        extensions=representable_infos(joint.extensions),
    )


def _normalize_axis(axis: model.Axis) -> model.Axis:
    try:
        return model.Axis(direction=unit(axis.direction), is_revolute=axis.is_revolute)
    except ValueError:
        return model.Axis(is_revolute=axis.is_revolute)
