"""Iteration over shapes, and their sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ossature.assets import AssetError, embedded_triangles
from ossature.checks._field_locations import field_location
from ossature.diagnostics import Location
from ossature.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    HeightField,
    Mesh,
    MultiSphere,
    Pyramid,
    SoftSkin,
    Sphere,
    TriangleMesh,
    Visual,
    World,
)
from ossature.model.value_text import kind_text
from ossature.spatial import norm


def shapes(world: World) -> Iterator[tuple[str, Visual | Collision | SoftSkin]]:
    """Yield each shape of each body with the path of the body."""
    for model in world.models:
        for body in model.bodies:
            path = f"{model.name}/{body.name}"
            for visual in body.visuals:
                yield path, visual
            for collision in (*body.collisions, *(body.self_collisions or ())):
                yield path, collision
            if body.soft_skin is not None:
                yield path, body.soft_skin


def size_problem(geometry: Geometry) -> str | None:
    """Return a message about an invalid size of a shape, or None."""
    name = kind_text(type(geometry))
    if isinstance(geometry, Mesh):
        return "the scale of a mesh is zero" if 0.0 in geometry.scale else None
    if isinstance(geometry, MultiSphere) and not geometry.balls:
        return "a multi-sphere has no spheres"
    sizes = _SIZES.get(type(geometry))
    bad = [size for size in sizes(geometry) if not size > 0.0] if sizes is not None else []
    return f"a {name} has the size {bad[0]:g} m" if bad else None


def size_location(shape: Visual | Collision | SoftSkin) -> Location | None:
    """Return the location of the size of a shape that :func:`size_problem` reports."""
    fields = ["scale"] if isinstance(shape.geometry, Mesh) else ["radius", "length"]
    values = [getattr(shape.geometry, field, 1.0) for field in fields]
    invalid = [field for field, value in zip(fields, values, strict=True) if isinstance(value, tuple) or not value > 0.0]
    return field_location(shape.origin, *invalid, "size")


def has_negative_size(geometry: Geometry) -> bool:
    """Whether a size of a shape is negative or not a number; the scale of a mesh may be negative."""
    sizes = _SIZES.get(type(geometry))
    return sizes is not None and any(not size >= 0.0 for size in sizes(geometry))


def radius_around(geometry: Geometry) -> float | None:
    """Return the radius of the bounding sphere around the shape's frame [m], or None if its mesh is not available."""
    if isinstance(geometry, TriangleMesh):
        return _radius_around_triangles(geometry)
    radius = _RADII.get(type(geometry))
    return radius(geometry) if radius is not None else None


def _radius_around_triangles(mesh: TriangleMesh) -> float | None:
    try:
        vertices = embedded_triangles(mesh).vertices
    except AssetError:  # another check reports it
        return None
    return float(np.linalg.norm(vertices, axis=1).max())


_SIZES: dict[type, Callable[[Any], tuple[float, ...]]] = {
    Box: lambda box: box.size,
    Sphere: lambda sphere: (sphere.radius,),
    Ellipsoid: lambda ellipsoid: ellipsoid.diameters,
    Cylinder: lambda cylinder: (cylinder.radius, cylinder.length),
    Capsule: lambda capsule: (capsule.radius, capsule.length),
    Cone: lambda cone: (cone.radius, cone.length),
    Pyramid: lambda pyramid: (pyramid.base_width, pyramid.base_depth, pyramid.height),
    MultiSphere: lambda multi_sphere: tuple([ball.radius for ball in multi_sphere.balls]),
    HeightField: lambda field: field.size,
}

_RADII: dict[type, Callable[[Any], float]] = {
    Box: lambda box: norm(box.size) / 2.0,
    Sphere: lambda sphere: sphere.radius,
    Ellipsoid: lambda ellipsoid: max(ellipsoid.diameters) / 2.0,
    Cylinder: lambda cylinder: math.hypot(cylinder.radius, cylinder.length / 2.0),
    Capsule: lambda capsule: capsule.radius + capsule.length / 2.0,
    Cone: lambda cone: math.hypot(cone.radius, cone.length / 2.0),
    Pyramid: lambda pyramid: norm((pyramid.base_width, pyramid.base_depth, pyramid.height)) / 2.0,
    HeightField: lambda field: norm((field.size[0], field.size[1], max(field.size[2:]))),
    MultiSphere: lambda hull: max((norm(ball.position) + ball.radius for ball in hull.balls), default=0.0),
}
