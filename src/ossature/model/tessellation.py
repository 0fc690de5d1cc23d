"""Tessellation of primitive shapes, for programs that only support meshes. A box is exact, round shapes are faceted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ossature.model.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    HeightField,
    MultiSphere,
    Plane,
    Pyramid,
    Sphere,
)
from ossature.model.triangle_mesh import MeshData
from ossature.spatial import cross, perpendicular, unit

SIDES = 24
"""Default number of sides of a circle."""
EXTENT_OF_PLANE = 20.0
"""Edge length of the square that approximates an infinite plane [m]."""

_CORNERS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
_BOX_FACES = [
    *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5)),
    *((0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6)),
    *((0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
]


def tessellate(solid: Geometry, sides: int = SIDES) -> MeshData:
    """Return the triangles of a primitive shape, in its own frame.

    Args:
        solid: Any shape but a mesh.
        sides: How many sides a circle has, a multiple of four.
    """
    return _FACETS[type(solid)](solid, sides)


def _make_mesh(vertices: Any, faces: Any) -> MeshData:
    return MeshData(vertices=np.array(vertices, float), faces=np.array(faces, np.int64))


def _tessellate_box(box: Box, sides: int) -> MeshData:
    return _make_mesh(np.array(_CORNERS) * np.array(box.size), _BOX_FACES)


def _revolve_profile(profile: Sequence[tuple[float, float]], sides: int) -> MeshData:
    """Return the surface of revolution of a polyline about z.

    Args:
        profile: Radius and height of each point of the polyline, from the bottom upwards; it starts and ends
            on the axis.
        sides: How many sides a circle has.
    """
    angles = [math.tau * side / sides for side in range(sides)]
    vertices = [(0.0, 0.0, profile[0][1])]
    for radius, height in profile[1:-1]:
        vertices.extend((radius * math.cos(angle), radius * math.sin(angle), height) for angle in angles)
    vertices.append((0.0, 0.0, profile[-1][1]))
    rings = len(profile) - 2
    top = len(vertices) - 1
    faces = []
    for side in range(sides):
        following = (side + 1) % sides
        faces.append((0, 1 + following, 1 + side))
        for ring in range(rings - 1):
            lower, upper = 1 + ring * sides, 1 + (ring + 1) * sides
            faces.append((lower + side, lower + following, upper + following))
            faces.append((lower + side, upper + following, upper + side))
        last = 1 + (rings - 1) * sides
        faces.append((last + side, last + following, top))
    return _make_mesh(vertices, faces)


def _quarter_circle(radius: float, height: float, sides: int, *, upper: bool) -> list[tuple[float, float]]:
    """Return a quarter of a circle about a point of the axis, from the bottom upwards."""
    steps = sides // 4
    points = [
        (radius * math.cos(0.5 * math.pi * step / steps), radius * math.sin(0.5 * math.pi * step / steps))
        for step in range(steps + 1)
    ]
    return [(x, height + z) for x, z in points] if upper else [(x, height - z) for x, z in reversed(points)]


def _tessellate_capsule(capsule: Capsule, sides: int) -> MeshData:
    half = 0.5 * capsule.length
    return _revolve_profile(
        [
            *_quarter_circle(capsule.radius, -half, sides, upper=False),
            *_quarter_circle(capsule.radius, half, sides, upper=True),
        ],
        sides,
    )


def _tessellate_ball(radius: float, sides: int) -> MeshData:
    return _revolve_profile(
        [*_quarter_circle(radius, 0.0, sides, upper=False), *_quarter_circle(radius, 0.0, sides, upper=True)[1:]], sides
    )


def _tessellate_ellipsoid(ellipsoid: Ellipsoid, sides: int) -> MeshData:
    ball = _tessellate_ball(0.5, sides)
    return _make_mesh(ball.vertices * np.array(ellipsoid.diameters), ball.faces)


def _tessellate_cylinder(cylinder: Cylinder, sides: int) -> MeshData:
    radius, half = cylinder.radius, 0.5 * cylinder.length
    return _revolve_profile([(0.0, -half), (radius, -half), (radius, half), (0.0, half)], sides)


def _tessellate_cone(cone: Cone, sides: int) -> MeshData:
    half = 0.5 * cone.length
    return _revolve_profile([(0.0, -half), (cone.radius, -half), (0.0, half)], sides)


def _tessellate_pyramid(pyramid: Pyramid, sides: int) -> MeshData:
    x, y, z = 0.5 * pyramid.base_width, 0.5 * pyramid.base_depth, 0.5 * pyramid.height
    vertices = [(-x, -y, -z), (x, -y, -z), (x, y, -z), (-x, y, -z), (0.0, 0.0, z)]
    return _make_mesh(vertices, [(0, 2, 1), (0, 3, 2), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)])


def _tessellate_plane(plane: Plane, sides: int) -> MeshData:
    try:
        normal = unit(plane.normal)
    except ValueError:
        normal = (0.0, 0.0, 1.0)
    first = perpendicular(normal)
    across = np.array([first, cross(normal, first)]) * 0.5 * EXTENT_OF_PLANE
    center = plane.offset * np.array(normal)
    corners = [center + x * across[0] + y * across[1] for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return _make_mesh(corners, [(0, 1, 2), (0, 2, 3)])


def _tessellate_multi_sphere(multi_sphere: MultiSphere, sides: int) -> MeshData:
    vertices, faces, count = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    for ball in multi_sphere.balls:
        surface = _tessellate_ball(ball.radius, sides)
        vertices.append(surface.vertices + np.array(ball.position))
        faces.append(surface.faces + count)
        count += len(surface.vertices)
    return MeshData(vertices=np.concatenate(vertices), faces=np.concatenate(faces))


def _tessellate_height_field(field: HeightField, sides: int) -> MeshData:
    """Return the terrain with its base: the grid of points, the same grid on the bottom, and walls between their borders."""
    rows, columns = field.rows, field.columns
    half_x, half_y, height, base = field.size
    x, y = np.meshgrid(np.linspace(-half_x, half_x, columns), np.linspace(-half_y, half_y, rows))
    top = np.stack([x, y, height * np.reshape(field.elevations, (rows, columns))], axis=-1).reshape(-1, 3)
    vertices = np.concatenate([top, np.stack([x.ravel(), y.ravel(), np.full(rows * columns, -base)], axis=-1)])
    grid = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = grid[:-1, :-1].ravel(), grid[:-1, 1:].ravel(), grid[1:, 1:].ravel(), grid[1:, :-1].ravel()
    surface = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    border = np.concatenate([grid[0, :-1], grid[:-1, -1], grid[-1, :0:-1], grid[:0:-1, 0]])
    following, below = np.roll(border, -1), rows * columns
    walls = [(border, border + below, following + below), (border, following + below, following)]
    faces = [surface, surface[:, ::-1] + below, *(np.stack(wall, axis=1) for wall in walls)]
    return MeshData(vertices=vertices, faces=np.concatenate(faces))


_FACETS: dict[type, Callable[[Any, int], MeshData]] = {
    Box: _tessellate_box,
    Sphere: lambda sphere, sides: _tessellate_ball(sphere.radius, sides),
    Ellipsoid: _tessellate_ellipsoid,
    Cylinder: _tessellate_cylinder,
    Capsule: _tessellate_capsule,
    Cone: _tessellate_cone,
    Pyramid: _tessellate_pyramid,
    Plane: _tessellate_plane,
    MultiSphere: _tessellate_multi_sphere,
    HeightField: _tessellate_height_field,
}
