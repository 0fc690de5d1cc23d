"""Embree, where it is installed: how far away the first triangle along a ray is, to single precision.

Its answer only brackets the distance that :mod:`ossature.simulation.sensors.triangle_bvh` then computes. So that it misses no
triangle which the exact test meets, triangles are enlarged by more than the rounding of corners and rays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]

_ENLARGED = 1e-5
"""By how much triangles are enlarged, as a share of the scene's radius: a hundred times the rounding of numbers of 32 bits."""
_BRACKET = 1e-4
"""How far from Embree's distance the exact one is sought, as a share of the scene's radius."""
_SHARPEST = 0.05
"""Sine of an angle: sharper corners of triangles are moved as one of this angle, which bounds how far they move."""


def is_installed() -> bool:
    """Whether Embree can be used."""
    try:
        import embreex.rtcore_scene  # noqa: F401
    except ImportError:
        return False
    return True


class EmbreeTriangles:
    """Triangles that do not move.

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
        margin = _ENLARGED * self._radius
        solid = np.concatenate([_enlarged(corners, margin), _rims(corners, margin)])
        TriangleMesh(self._scene, solid.astype(np.float32))

    def brackets(self, origins: Vector, directions: Vector) -> tuple[Vector, Vector]:
        """Return between which distances each ray first meets a triangle; both are infinite if it meets none.

        Args:
            origins: Where the rays begin, shape (n, 3) or (1, 3) [m].
            directions: Their unit directions, shape (n, 3).
        """
        offsets = origins - self._center
        nearest = -(offsets * directions).sum(axis=1)
        # Rays begin shortly before the scene: numbers of 32 bits have no digits left for a long way to it.
        start = np.maximum(nearest - 1.01 * self._radius, 0.0) - self._bracket
        begins = (offsets + start[:, None] * directions).astype(np.float32)
        found = self._scene.run(begins, directions.astype(np.float32), output=True)
        distances = np.where(found["primID"] >= 0, found["tfar"].astype(float) + start, np.inf)
        return distances - self._bracket, distances + self._bracket


def _enlarged(corners: Vector, margin: float) -> Vector:
    """Return triangles with each edge moved outwards in its plane by a margin."""
    sides = np.roll(corners, -1, axis=1) - corners
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.nan_to_num(sides / np.linalg.norm(sides, axis=2, keepdims=True))
    back = -np.roll(along, 1, axis=1)
    sines = np.linalg.norm(np.cross(along, back), axis=2, keepdims=True)
    return np.asarray(corners - margin * (along + back) / np.maximum(sines, _SHARPEST))


def _rims(corners: Vector, margin: float) -> Vector:
    """Return strips across the edges that belong to one triangle alone: a sheet that is seen edge-on has no area."""
    numbers = _numbered(corners.reshape(-1, 3)).reshape(-1, 3)
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


def _numbered(points: Vector) -> NDArray[np.int64]:
    """Return a number for each point, the same for points that are equal as numbers of 32 bits."""
    x, y, z = (points.astype(np.float32) + np.float32(0.0)).view(np.uint32).astype(np.uint64).T
    mixed = (x * np.uint64(0x9E3779B97F4A7C15)) ^ (y * np.uint64(0xC2B2AE3D27D4EB4F)) ^ (z * np.uint64(0x165667B19E3779F9))
    return np.asarray(np.unique(mixed, return_inverse=True)[1].astype(np.int64))
