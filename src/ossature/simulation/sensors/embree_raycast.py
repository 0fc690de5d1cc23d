"""Embree, if it is installed: the distance to the first triangle along a ray, to single precision.

It only brackets the distance that :mod:`ossature.simulation.sensors.triangle_bvh` then computes. So that it misses no
triangle that the exact test hits, triangles are enlarged by more than the rounding of corners and rays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ossature.array_types import Int64Array, Vector

_ENLARGEMENT = 1e-5
"""Enlargement of triangles, relative to the scene's radius: a hundred times the rounding of single precision."""
_BRACKET = 1e-4
"""Half width of the bracket around Embree's distance, relative to the scene's radius."""
_MIN_SINE = 0.05
"""Sine of the smallest corner angle for which corners are moved exactly, which bounds their displacement."""


def is_installed() -> bool:
    """Whether Embree can be used."""
    try:
        import embreex.rtcore_scene  # noqa: F401
    except ImportError:
        return False
    return True


class EmbreeTriangles:
    """Static triangles.

    Args:
        corners: Their corners in the world, shape (n, 3, 3) [m].
    """

    def __init__(self, corners: Vector) -> None:
        from embreex.mesh_construction import TriangleMesh
        from embreex.rtcore_scene import EmbreeScene

        points = corners.reshape(-1, 3)
        self._center = 0.5 * (points.min(axis=0) + points.max(axis=0))
        corners = corners - self._center
        self._radius = float(np.sqrt((corners**2).sum(axis=2).max()))
        self._bracket = _BRACKET * self._radius
        self._scene: Any = EmbreeScene(robust=True)
        margin = _ENLARGEMENT * self._radius
        enlarged = np.concatenate([_enlarge_triangles(corners, margin), _rim_strips(corners, margin)])
        TriangleMesh(self._scene, enlarged.astype(np.float32))

    def brackets(self, origins: Vector, directions: Vector) -> tuple[Vector, Vector]:
        """Return lower and upper bounds of the distance to the first triangle along each ray; infinite if there is none.

        Args:
            origins: The origins of the rays, shape (n, 3) or (1, 3) [m].
            directions: Their unit directions, shape (n, 3).
        """
        offsets = origins - self._center
        nearest = -(offsets * directions).sum(axis=1)
        # Rays start shortly before the scene: single precision is not sufficient for large distances to it.
        start = np.maximum(nearest - 1.01 * self._radius, 0.0) - self._bracket
        starts = (offsets + start[:, None] * directions).astype(np.float32)
        found = self._scene.run(starts, directions.astype(np.float32), output=True)
        distances = np.where(found["primID"] >= 0, found["tfar"].astype(float) + start, np.inf)
        return distances - self._bracket, distances + self._bracket


def _enlarge_triangles(corners: Vector, margin: float) -> Vector:
    """Return triangles with each edge moved outwards in its plane by a margin."""
    sides = np.roll(corners, -1, axis=1) - corners
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.nan_to_num(sides / np.linalg.norm(sides, axis=2, keepdims=True))
    back = -np.roll(along, 1, axis=1)
    sines = np.linalg.norm(np.cross(along, back), axis=2, keepdims=True)
    return np.asarray(corners - margin * (along + back) / np.maximum(sines, _MIN_SINE))


def _rim_strips(corners: Vector, margin: float) -> Vector:
    """Return strips across the edges of a single triangle: a sheet that is hit edge-on has no area."""
    numbers = _vertex_numbers(corners.reshape(-1, 3)).reshape(-1, 3)
    edges = np.sort(np.stack([numbers, np.roll(numbers, -1, axis=1)], axis=2), axis=2).reshape(-1, 2)
    _, first, counts = np.unique(edges[:, 0] * numbers.size + edges[:, 1], return_index=True, return_counts=True)
    triangles, sides = np.divmod(first[counts == 1], 3)
    begin, end = corners[triangles, sides], corners[triangles, (sides + 1) % 3]
    first_corner, second, third = corners[triangles].swapaxes(0, 1)
    normals = np.cross(second - first_corner, third - first_corner)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    shift = margin * np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
    low = np.stack([begin - shift, end - shift, end + shift], axis=1)
    return np.concatenate([low, np.stack([begin - shift, end + shift, begin + shift], axis=1)])


def _vertex_numbers(points: Vector) -> Int64Array:
    """Return a number for each point, the same for points that are equal in single precision."""
    x, y, z = (points.astype(np.float32) + np.float32(0.0)).view(np.uint32).astype(np.uint64).T
    hashes = (x * np.uint64(0x9E3779B97F4A7C15)) ^ (y * np.uint64(0xC2B2AE3D27D4EB4F)) ^ (z * np.uint64(0x165667B19E3779F9))
    return np.asarray(np.unique(hashes, return_inverse=True)[1].astype(np.int64))
