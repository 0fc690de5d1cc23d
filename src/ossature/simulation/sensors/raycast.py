"""Casting rays at a scene whose bodies are where the simulation says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ossature.simulation.sensors.ray_geometry import Hits, Rays
from ossature.simulation.sensors.raycast_scene import RaycastScene

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


def raycast(scene: RaycastScene, origin: Vector, directions: Vector, *, farthest: float, exclude: int = -1) -> Hits:
    """Return what rays hit that begin at one point, where bodies are now.

    Args:
        scene: What there is to hit.
        origin: Where they begin, in the world [m].
        directions: Unit vectors in the world, shape (n, 3).
        farthest: What is farther counts as not hit [m].
        exclude: The scene's number of a body that rays pass through, or -1.
    """
    return scene.targets.cast(rays_now(scene, origin, directions), farthest=farthest, exclude=exclude)


def rays_now(scene: RaycastScene, origin: Vector, directions: Vector) -> Rays:
    """Return rays that begin at one point, with all bodies where they are now."""
    return Rays(np.asarray(origin)[None], directions, *(part[None] for part in scene.poses()))


def cast_one_by_one(scene: RaycastScene, rays: Sequence[Rays], *, farthest: float, exclude: int = -1) -> Hits:
    """Return what single rays hit, each with bodies where they were at its own instant; casting all at once is faster."""
    together = rays[0] if len(rays) == 1 else Rays(*(np.concatenate(part) for part in zip(*rays, strict=True)))
    return scene.targets.cast(together, farthest=farthest, exclude=exclude)
