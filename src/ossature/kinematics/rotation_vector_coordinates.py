"""Friction and limits of joints with several coordinates that the engine cannot apply to single coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ossature.model import Coordinate, Floating, Joint, PointOnLine, PointOnPlane, Spherical


def is_friction_uneven(coordinates: Sequence[Coordinate]) -> bool:
    """Whether the coordinates of one rotation or translation have different friction."""
    return len({coordinate.friction for coordinate in coordinates}) > 1


def multi_axis_coordinate_groups(joint: Joint) -> Iterator[tuple[Coordinate, ...]]:
    """Yield the groups of coordinates of a joint that are components of a rotation vector, or of a free joint's translation."""
    if isinstance(joint.type, Spherical | Floating):
        yield joint.coordinates[:3]
        if isinstance(joint.type, Floating):
            yield joint.coordinates[3:]
    elif isinstance(joint.type, PointOnLine | PointOnPlane):
        yield joint.coordinates[-3:]
