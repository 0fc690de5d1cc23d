"""Distances between bodies, with the closest points, and with the collision filters of the models.

The engine computes the distance of two convex shapes by the algorithms of Gilbert, Johnson and Keerthi and of expanding
polytopes; that of a capsule and a box has a closed form. A mesh is its convex hull here: the distance from one that is not
convex is a lower bound.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import mujoco
import numpy as np

from ossature.formats.mjcf.engine_log_suppression import suppress_engine_warnings
from ossature.simulation.capsule_box_distance import is_capsule_and_box, shape_distance
from ossature.simulation.collidable_pairs import collidable_pairs, select_near_pairs
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.observation.contact_forces import geom_owners
from ossature.simulation.simulation import Simulation
from ossature.spatial import Vector3

BodyName: TypeAlias = tuple[str, str]
"""Names of a model and of one of its bodies."""

_TOLERANCE = 1e-12
"""Tolerance of the engine's iterations [m]."""
_ITERATIONS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyDistance:
    """The distance between two bodies.

    Attributes:
        bodies: Model and name of each of the two bodies.
        distance: The smallest distance of their collision shapes [m]; the negative penetration depth if they intersect.
        points: The closest points, one on each body, in the world [m].
        is_bound: Whether a mesh that is not declared convex takes part, so that its convex hull was used, and the distance is a
            lower bound.
    """

    bodies: tuple[BodyName, BodyName]
    distance: float
    points: tuple[Vector3, Vector3]
    is_bound: bool = False


def body_distances(simulation: Simulation, max_distance: float = 1.0) -> list[BodyDistance]:
    """Return the distances between the bodies of a simulation that can collide, in its current state, the smallest first.

    Args:
        simulation: The simulation.
        max_distance: The largest distance of interest [m]; pairs that are farther apart are left out.

    Raises:
        ValueError: The distance is not a positive number.
    """
    data = copy.copy(simulation.data)
    with suppress_engine_warnings():
        mujoco.mj_kinematics(simulation.compiled.model, data)
    return DistanceMeter(simulation.compiled).distances(data, max_distance)


class DistanceMeter:
    """The pairs of shapes of a compiled World that can collide.

    Args:
        may_be_concave: Whether the convex hull of each shape, by the engine's number, may be larger than it; by default of all
            meshes.
    """

    def __init__(self, compiled: EngineModel, may_be_concave: Mapping[int, bool] | None = None) -> None:
        self._model = copy.copy(compiled.model)
        self._model.opt.ccd_tolerance, self._model.opt.ccd_iterations = _TOLERANCE, _ITERATIONS
        self._owners = geom_owners(compiled)
        meshes = self._model.geom_type == int(mujoco.mjtGeom.mjGEOM_MESH)
        self._may_be_concave = {
            geom: bool(meshes[geom]) if may_be_concave is None else may_be_concave.get(geom, False) for geom in self._owners
        }
        self._pairs = collidable_pairs(self._model, sorted(self._owners))

    def distances(
        self, data: mujoco.MjData, max_distance: float, is_selected: Callable[[BodyName, BodyName], bool] | None = None
    ) -> list[BodyDistance]:
        """Return the distance of each pair of bodies that is not farther apart, the smallest first.

        Args:
            data: The engine's data, whose poses are up to date.
            max_distance: The largest distance of interest [m].
            is_selected: Whether a pair of bodies is of interest; all if None.

        Raises:
            ValueError: The distance is not a positive number.
        """
        if not 0.0 < max_distance < np.inf:
            raise ValueError(f"the largest distance must be a positive number, not {max_distance:g}")
        nearest: dict[tuple[BodyName, BodyName], BodyDistance] = {}
        for first, second in select_near_pairs(self._model, data, self._pairs, max_distance).tolist():
            bodies = self._owners[first], self._owners[second]
            if bodies[0] == bodies[1] or (is_selected is not None and not is_selected(*bodies)):
                continue
            if bodies[::-1] in nearest:
                first, second, bodies = second, first, bodies[::-1]
            found = self._shape_distance(data, first, second, bodies, max_distance)
            if found.distance < max_distance and (bodies not in nearest or found.distance < nearest[bodies].distance):
                nearest[bodies] = found
        return sorted(nearest.values(), key=lambda one: one.distance)

    def _shape_distance(
        self, data: mujoco.MjData, first: int, second: int, bodies: tuple[BodyName, BodyName], max_distance: float
    ) -> BodyDistance:
        if is_capsule_and_box(self._model, first, second):
            distance, *points = shape_distance(self._model, data, first, second)
            ends = np.concatenate(points)
        else:
            ends = np.zeros(6)
            with suppress_engine_warnings():
                distance = mujoco.mj_geomDistance(self._model, data, first, second, max_distance, ends)
        x, y, z, u, v, w = ends.tolist()
        is_bound = self._may_be_concave[first] or self._may_be_concave[second]
        return BodyDistance(bodies=bodies, distance=distance, points=((x, y, z), (u, v, w)), is_bound=is_bound)
