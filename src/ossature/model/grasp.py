"""Grasps: rigid attachments of bodies to links of grippers."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.model.validated_element import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPath(Element):
    """A body of a world: the names of a model and of one of its bodies."""

    model: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grasp(Element):
    """A rigid attachment of a body to a link of a gripper.

    Attributes:
        link: The body of the gripper.
        body: The grasped body.
        ignored_bodies: Bodies of the gripper's model that do not collide with the grasped body.
    """

    link: BodyPath
    body: BodyPath
    ignored_bodies: tuple[str, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
