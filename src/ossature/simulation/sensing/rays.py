"""Casting rays: the engine's ray casting, with distances to meshes computed from their corners as stated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import mujoco
import numpy as np

from ossature.simulation.sensing.scene import Scene

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class Hits(NamedTuple):
    """What rays hit.

    Attributes:
        distances: Along each ray, shape (n,) [m]; infinite where nothing is hit.
        geoms: The scene's numbers of what is hit, or -1.
    """

    distances: Vector
    geoms: NDArray[np.int32]


class Trace(NamedTuple):
    """Rays that the engine has cast, with all that their exact distances follow from.

    Attributes:
        origins: Where they begin, shape (n, 3) [m].
        directions: Their unit directions, shape (n, 3).
        distances: The engine's distances, shape (n,) [m].
        geoms: The scene's numbers of what they hit, or -1.
        positions: Origins of the bodies of these, shape (n, 3) [m].
        rotations: Rotation matrices of these bodies, shape (n, 3, 3).
    """

    origins: Vector
    directions: Vector
    distances: Vector
    geoms: NDArray[np.int32]
    positions: Vector
    rotations: Vector


def cast(scene: Scene, origin: Vector, directions: Vector, *, farthest: float, exclude: int = -1) -> Hits:
    """Return what rays hit that begin at one point.

    Args:
        scene: What there is to hit.
        origin: Where they begin, in the world [m].
        directions: Unit vectors in the world, shape (n, 3).
        farthest: What is farther counts as not hit [m].
        exclude: The scene's number of a body that rays pass through, or -1.
    """
    return settled(scene, [trace(scene, origin, directions, farthest=farthest, exclude=exclude)], farthest=farthest)


def trace(scene: Scene, origin: Vector, directions: Vector, *, farthest: float, exclude: int = -1) -> Trace:
    """Return rays that the engine has cast where its bodies are now; see :func:`cast`."""
    count = len(directions)
    geoms, distances = np.full(count, -1, np.int32), np.full(count, -1.0)
    directions = np.ascontiguousarray(directions)
    if count and scene.model.ngeom:
        mujoco.mj_multiRay(
            scene.model,
            scene.data,
            np.ascontiguousarray(origin),
            directions.reshape(-1),
            None,
            True,
            exclude,
            geoms,
            distances,
            None,
            count,
            # What the engine's rounding puts beyond the end may be just before it.
            farthest * (1.0 + 1e-6) + 1e-6,
        )
    bodies = np.where(geoms >= 0, scene.body_of_geom[geoms], 0) if scene.model.ngeom else np.zeros(count, np.intp)
    return Trace(
        origins=np.broadcast_to(origin, (count, 3)),
        directions=directions,
        distances=distances,
        geoms=geoms,
        positions=scene.data.xpos[bodies],
        rotations=scene.data.xmat[bodies].reshape(-1, 3, 3),
    )


def settled(scene: Scene, traces: Sequence[Trace], *, farthest: float) -> Hits:
    """Return what traced rays hit, with exact distances; all at once, which is faster than one after the other."""
    rays = traces[0] if len(traces) == 1 else Trace(*(np.concatenate(part) for part in zip(*traces, strict=True)))
    distances = scene.meshes.distances(
        rays.geoms, rays.positions, rays.rotations, rays.origins, rays.directions, rays.distances
    )
    missed = (rays.geoms < 0) | (distances > farthest)
    return Hits(np.where(missed, np.inf, distances), np.where(missed, -1, rays.geoms).astype(np.int32))
