"""Ray casting in a scene with the body poses of the simulation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ossature.array_types import Vector
from ossature.simulation.sensors.raycast_scene import RaycastScene
from ossature.simulation.sensors.shape_raycast import Hits, Rays


def raycast(scene: RaycastScene, origin: Vector, directions: Vector, *, farthest: float, exclude: int = -1) -> Hits:
    """Return the hits of rays from one point, with the present poses of bodies.

    Args:
        origin: Their origin in the world [m].
        directions: Unit vectors in the world, shape (n, 3).
        farthest: The largest distance of a hit [m].
        exclude: The scene's index of a body that rays pass through, or -1.
    """
    return scene.targets.cast(rays_from_point(scene, origin, directions), farthest=farthest, exclude=exclude)


def rays_from_point(scene: RaycastScene, origin: Vector, directions: Vector) -> Rays:
    """Return rays from one point, with the present poses of bodies."""
    return Rays(np.asarray(origin)[None], directions, *(part[None] for part in scene.poses()))


def cast_separate_rays(scene: RaycastScene, rays: Sequence[Rays], *, farthest: float, exclude: int = -1) -> Hits:
    """Return the hits of single rays, each with its own body poses; casting all at once is faster."""
    combined = rays[0] if len(rays) == 1 else Rays(*(np.concatenate(part) for part in zip(*rays, strict=True)))
    return scene.targets.cast(combined, farthest=farthest, exclude=exclude)
