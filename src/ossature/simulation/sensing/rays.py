"""Casting rays: the engine's ray casting, with distances to meshes computed from their corners as stated."""

from __future__ import annotations

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
        normals: Unit normals there, shape (n, 3), in axes of the world, where they were asked for.
    """

    distances: Vector
    geoms: NDArray[np.int32]
    normals: Vector | None = None


def cast(
    scene: Scene, origin: Vector, directions: Vector, *, farthest: float, exclude: int = -1, with_normals: bool = False
) -> Hits:
    """Return what rays hit that begin at one point.

    Args:
        scene: What there is to hit.
        origin: Where they begin, in the world [m].
        directions: Unit vectors in the world, shape (n, 3).
        farthest: What is farther counts as not hit [m].
        exclude: The scene's number of a body that rays pass through, or -1.
        with_normals: Whether normals are wanted.
    """
    count = len(directions)
    geoms, distances = np.full(count, -1, np.int32), np.full(count, -1.0)
    normals = np.zeros((count, 3)) if with_normals else None
    if count and scene.model.ngeom:
        directions = np.ascontiguousarray(directions)
        flat = None if normals is None else normals.reshape(-1)
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
            flat,
            count,
            farthest * (1.0 + 1e-6) + 1e-6,
        )
        _meet_meshes(scene, origin, directions, geoms, distances)
    missed = (geoms < 0) | (distances > farthest)
    geoms[missed] = -1
    return Hits(np.where(missed, np.inf, distances), geoms, normals)


def _meet_meshes(scene: Scene, origin: Vector, directions: Vector, geoms: NDArray[np.int32], distances: Vector) -> None:
    """Replace distances to meshes by exact ones."""
    for geom in np.unique(geoms):
        mesh = scene.meshes.get(int(geom))
        if mesh is not None:
            rays = np.flatnonzero(geoms == geom)
            body = int(scene.model.geom_bodyid[geom])
            rotation = scene.data.xmat[body].reshape(3, 3)
            distances[rays] = mesh.distances(scene.data.xpos[body], rotation, origin, directions[rays], distances[rays])
