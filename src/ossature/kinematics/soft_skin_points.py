"""The point masses of a soft skin: the positions of DART's lattices, and the edges that connect them.

DART 6.20 connects the points of ellipsoids and spheres: each with those beside it in its ring, and with the three nearest ones
in each ring beside its own. It connects no points of boxes, whatever the edge stiffness.
``tests/kinematics/test_soft_skin_inertia.py`` compares the sums of the positions with DART.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

from ossature.model import Box, Cylinder, SoftSkin, Sphere
from ossature.spatial import Vector3

LEAST_OF_BOX = 3
"""Points along each edge of a box, at least, as in DART; also those of a box whose file names none, which DART refuses."""
_LEAST_SLICES, _LEAST_STACKS, _LEAST_RINGS = 3, 2, 1
_SLICES, _STACKS, _RINGS = 8, 8, 4
"""Subdivisions of a rounded surface whose file names none."""


def skin_points(skin: SoftSkin) -> list[Vector3]:
    """Return the rest positions of the points of a soft skin in the frame of its body [m]."""
    geometry, counts = skin.geometry, subdivisions_of(skin)
    if isinstance(geometry, Box):
        points = _points_of_box(geometry.size, counts)
    elif isinstance(geometry, Cylinder):
        points = _points_of_cylinder(geometry, counts)
    else:
        size = (2.0 * geometry.radius,) * 3 if isinstance(geometry, Sphere) else geometry.diameters
        points = _points_of_ellipsoid(size, counts)
    return [skin.pose.transform(point) for point in points]


def point_count(skin: SoftSkin) -> int:
    """Return the number of points of a soft skin."""
    counts = subdivisions_of(skin)
    if isinstance(skin.geometry, Box):
        return math.prod(counts) - math.prod([count - 2 for count in counts])
    slices, stacks = counts[:2]
    if isinstance(skin.geometry, Cylinder):
        return 2 + slices * (stacks + 1 + 2 * (counts[2] - 1))
    return 2 + slices * (stacks - 1)


def skin_edges(skin: SoftSkin) -> list[tuple[int, int]]:
    """Return the pairs of points of a soft skin that an edge connects, as in DART; of a cylinder none."""
    if isinstance(skin.geometry, Box | Cylinder):
        return []
    slices, stacks = subdivisions_of(skin)

    def point(ring: int, number: int) -> int:
        return 1 + (ring - 1) * slices + number % slices

    last = 1 + (stacks - 1) * slices
    edges = set[tuple[int, int]]()
    for number in range(slices):
        edges |= {(0, point(1, number)), (point(stacks - 1, number), last)}
        for ring in range(1, stacks):
            first, second = sorted((point(ring, number), point(ring, number + 1)))
            edges.add((first, second))
            if ring + 1 < stacks:
                edges |= {(point(ring, number), point(ring + 1, number + shift)) for shift in (-1, 0, 1)}
    return sorted(edges)


def subdivisions_of(skin: SoftSkin) -> tuple[int, ...]:
    """Return how finely a soft skin is cut, with the default and the least numbers of DART: see :class:`SoftSkin`."""
    if isinstance(skin.geometry, Box):
        return tuple([max(LEAST_OF_BOX, count) for count in skin.subdivisions or (0, 0, 0)])
    is_cylinder = isinstance(skin.geometry, Cylinder)
    default = (_SLICES, _STACKS, _RINGS) if is_cylinder else (_SLICES, _STACKS)
    least = (_LEAST_SLICES, 1, _LEAST_RINGS) if is_cylinder else (_LEAST_SLICES, _LEAST_STACKS)
    return tuple([max(bound, count) for count, bound in zip(skin.subdivisions or default, least, strict=True)])


def _points_of_box(size: Vector3, counts: tuple[int, ...]) -> list[Vector3]:
    return [
        (_on_line(size[0], i, counts[0]), _on_line(size[1], j, counts[1]), _on_line(size[2], k, counts[2]))
        for i, j, k in itertools.product(*map(range, counts))
        if any(number in (0, count - 1) for number, count in zip((i, j, k), counts, strict=True))
    ]


def _points_of_ellipsoid(size: Vector3, counts: tuple[int, ...]) -> list[Vector3]:
    slices, stacks = counts
    x, y, z = [0.5 * length for length in size]
    points = [(0.0, 0.0, z)]
    for ring in range(1, stacks):
        angle = math.pi * ring / stacks
        across = math.sin(angle)
        points += [(x * across * a, y * across * b, z * math.cos(angle)) for a, b in _circle(slices)]
    return [*points, (0.0, 0.0, -z)]


def _points_of_cylinder(cylinder: Cylinder, counts: tuple[int, ...]) -> list[Vector3]:
    slices, stacks, rings = counts
    circle, top = list(_circle(slices)), 0.5 * cylinder.length
    inner = [cylinder.radius * ring / rings for ring in range(1, rings)]
    on_side = [(cylinder.radius, -_on_line(cylinder.length, stack, stacks + 1)) for stack in range(stacks + 1)]
    heights = [*[(radius, top) for radius in inner], *on_side, *[(radius, -top) for radius in reversed(inner)]]
    on_rings = [(radius * a, radius * b, height) for radius, height in heights for a, b in circle]
    return [(0.0, 0.0, top), *on_rings, (0.0, 0.0, -top)]


def _circle(slices: int) -> Iterator[tuple[float, float]]:
    for number in range(slices):
        angle = 2.0 * math.pi * number / slices
        yield -math.sin(angle), math.cos(angle)


def _on_line(length: float, number: int, count: int) -> float:
    """Return the coordinate of one of equally spaced points from one end of a centred line to the other."""
    return length * (number / (count - 1) - 0.5)
