"""Iteration over coordinates of joints."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.model import UNCONSTRAINED_COORDINATE, Coordinate, Joint, Model, World


def coordinates(world: World) -> Iterator[tuple[Model, Joint, int, Coordinate]]:
    """Yield each specified coordinate with its index in its joint."""
    for model in world.models:
        for joint in model.joints:
            for index, coordinate in enumerate(joint.coordinates):
                if coordinate is not UNCONSTRAINED_COORDINATE:
                    yield model, joint, index, coordinate


def label(joint: Joint, index: int) -> str:
    """Return the name of a coordinate for messages."""
    return f"joint '{joint.name}'" if joint.degrees_of_freedom == 1 else f"coordinate {index} of joint '{joint.name}'"
