"""Ray casts at the shapes of a World at given joint positions, or of a running simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ossature.array_types import Array
from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.kinematics import poses
from ossature.model import World
from ossature.simulation.collision_query import with_unit_inertia
from ossature.simulation.sensors.raycast_scene import RaycastScene, ShapeSelection
from ossature.simulation.sensors.shape_raycast import Rays
from ossature.simulation.simulation import Simulation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class RayHits:
    """The first hit of each ray.

    Attributes:
        distances: Distances along the rays, shape (n,) [m]; infinite without a hit.
        points: The points that are hit in the world, shape (n, 3) [m]; not a number without a hit.
        bodies: The body that each ray hits, as ``MODEL/BODY``, or None.
    """

    distances: Array
    points: Array
    bodies: tuple[str | None, ...]


class RayQuery:
    """The shapes of a World, at which rays are cast.

    Rays hit meshes themselves, not their convex hulls, and shapes without regard to collision filters.
    """

    def __init__(
        self,
        world: World | Simulation,
        meshes: MeshStore | None = None,
        *,
        shapes: Literal["collision", "visual"] = "collision",
        report: Report | None = None,
    ) -> None:
        """Prepare the shapes.

        Args:
            world: The World; or a simulation, whose bodies are then where they are when rays are cast.
            meshes: The store of meshes; by default that of the World.
            shapes: Which shapes of each body; if it has none of them, the other ones.
            report: Receives findings about shapes that are not supported.

        Raises:
            SimulationError: The World cannot be compiled.
            ValueError: There are no such shapes.
        """
        self._simulation = world if isinstance(world, Simulation) else None
        self._world = world.world if isinstance(world, Simulation) else world
        simulation = self._simulation or Simulation(with_unit_inertia(self._world), meshes=meshes)
        store = meshes or MeshStore.of(self._world)
        findings = report if report is not None else Report()
        self._scene = RaycastScene(self._world, simulation.compiled, store, ShapeSelection(shapes), findings)

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        positions: Mapping[str, Mapping[str, float | Sequence[float] | Array]] | None = None,
        max_distance: float = math.inf,
    ) -> RayHits:
        """Return the first hit of each ray.

        Args:
            origins: The origin of each ray in the world, shape (n, 3) or (3,) for all [m].
            directions: Their directions in the world, of any length, shape (n, 3) or (3,).
            positions: Coordinates by model and joint [rad or m] as for :func:`ossature.poses`; not for a simulation.
            max_distance: The largest distance of a hit [m].

        Raises:
            ValueError: A shape is wrong, a direction is zero, or coordinates are given for a simulation.
        """
        given = [np.atleast_2d(np.asarray(part, dtype=np.float64)) for part in (origins, directions)]
        starts, ends = np.broadcast_arrays(*given)
        if starts.ndim != 2 or starts.shape[1] != 3:
            raise ValueError(f"origins and directions of rays have the shape (n, 3), not {starts.shape}")
        lengths = np.linalg.norm(ends, axis=1, keepdims=True)
        if not (np.isfinite(starts).all() and np.isfinite(lengths).all() and (lengths > 0.0).all()):
            raise ValueError("the origins and directions of rays must be finite, and the directions not zero")
        self._place(positions)
        units = ends / lengths
        poses_of_bodies = (part[None] for part in self._scene.poses())
        hits = self._scene.targets.cast(Rays(np.array(starts), units, *poses_of_bodies), farthest=max_distance)
        names = self._scene.bodies
        bodies = self._scene.body_indices(hits.geoms).tolist()
        with np.errstate(invalid="ignore"):
            points = np.where(np.isfinite(hits.distances)[:, None], starts + hits.distances[:, None] * units, np.nan)
        return RayHits(distances=hits.distances, points=points, bodies=tuple([None if b < 0 else names[b] for b in bodies]))

    def _place(self, positions: Mapping[str, Mapping[str, float | Sequence[float] | Array]] | None) -> None:
        if self._simulation is not None:
            if positions:
                raise ValueError("the bodies of a simulation are where it has moved them: no coordinates can be given")
            found = self._simulation.poses()
        else:
            found = poses(self._world, positions)
        self._scene.set_named_poses(found)
