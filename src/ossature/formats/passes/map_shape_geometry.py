"""Maps a function over the shapes of a World."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from ossature.model import Body, Collision, Geometry, Model, Visual, World

ShapeT = TypeVar("ShapeT", Visual, Collision)

Change: TypeAlias = Callable[[str, Geometry], Geometry | None]
"""From a shape's path and geometry to its new geometry, or None to remove the shape."""


def with_geometry(world: World, change: Change) -> World:
    """Return a World with the geometry of every visual and collision shape changed; soft skins are unchanged."""
    return replace(world, models=world.models.map(lambda model: _changed_model(model, change)))


def _changed_model(model: Model, change: Change) -> Model:
    return replace(model, bodies=model.bodies.map(lambda body: _changed_body(body, f"{model.name}/{body.name}", change)))


def _changed_body(body: Body, path: str, change: Change) -> Body:
    visuals = _changed_shapes(body.visuals, f"{path}.visuals", change)
    collisions = _changed_shapes(body.collisions, f"{path}.collisions", change)
    inner = body.self_collisions
    if inner is not None:
        inner = _changed_shapes(inner, f"{path}.self_collisions", change)
    return replace(body, visuals=visuals, collisions=collisions, self_collisions=inner)


def _changed_shapes(shapes: Sequence[ShapeT], path: str, change: Change) -> tuple[ShapeT, ...]:
    changed = []
    for number, shape in enumerate(shapes):
        geometry = change(f"{path}[{number}]", shape.geometry)
        if geometry is not None:
            changed.append(shape if geometry is shape.geometry else replace(shape, geometry=geometry))
    return tuple(changed)
