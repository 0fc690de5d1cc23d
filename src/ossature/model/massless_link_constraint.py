"""Constraints between two bodies that are not joints: massless rods and links."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ossature.diagnostics import Location
from ossature.model.joint import X_AXIS, Z_AXIS
from ossature.model.validated_element import Element
from ossature.spatial import ZERO3, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance(Element):
    """The distance of the two points stays constant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RevoluteSpherical(Element):
    """A massless rod of constant length: a hinge on the first body, a ball on the second.

    Attributes:
        axis: The hinge's axis, unit vector in the frame of the first body.
    """

    axis: Vector3 = Z_AXIS


@dataclass(frozen=True, slots=True, kw_only=True)
class RevoluteTranslational(Element):
    """A massless link: a hinge on the first body, a slide on the second.

    Attributes:
        axis: The hinge's axis, unit vector in the frame of the first body.
        direction: The slide's direction, unit vector in the frame of the second body; at the start perpendicular to the
            hinge's axis.
    """

    axis: Vector3 = Z_AXIS
    direction: Vector3 = X_AXIS


ConstraintType: TypeAlias = Distance | RevoluteSpherical | RevoluteTranslational
"""The type of a constraint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint(Element):
    """A constraint between two bodies; None is the world.

    Attributes:
        name: Its name, unique among the model's constraints.
        type: What it constrains.
        body1: The first body.
        body2: The second body.
        point1: The point on the first body, in its frame [m].
        point2: The point on the second body, in its frame [m].
    """

    name: str
    type: ConstraintType
    body1: str | None
    body2: str | None
    point1: Vector3 = ZERO3
    point2: Vector3 = ZERO3
    origin: Location | None = field(default=None, compare=False, repr=False)
