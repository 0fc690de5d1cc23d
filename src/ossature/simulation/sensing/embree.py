"""Embree, where it is installed: how far away the first triangle along a ray is, to single precision.

Its answer only brackets the distance that :mod:`ossature.simulation.sensing.triangle_tree` then computes. So that it misses no
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
        TriangleMesh(self._scene, _enlarged(corners, _ENLARGED * self._radius).astype(np.float32))

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
