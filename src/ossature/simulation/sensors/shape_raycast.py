"""Ray casting at the shapes of a scene: bounding spheres first, then closed forms and bounding volume hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ossature.array_types import AnyArray, BoolArray, IndexArray, Int32Array, Vector
from ossature.model import Geometry
from ossature.simulation.sensors import embree_raycast
from ossature.simulation.sensors.ray_primitives import PRIMITIVES, radius_of, ray_distances, sizes_of
from ossature.simulation.sensors.triangle_bvh import LocalRays, TriangleMeshShape, TriangleTrees, true_entries
from ossature.spatial import Pose

_DISTANCE_ROUNDING = 1e-14
_PAIRS_AT_ONCE, _RAYS_AT_ONCE = 1 << 18, 1 << 12
_SPHERE_MARGIN = 1e-9
"""Enlargement of bounding spheres, relative to their radius and distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayTarget:
    """A shape at which rays are cast.

    Attributes:
        number: The scene's index of the shape.
        body: The scene's index of its body.
        pose: Its frame in the body's.
        geometry: The shape: a primitive, unless it has triangles.
        triangles: Its triangles, or None for a primitive; shapes may share them.
        is_static: Whether its body never moves.
    """

    number: int
    body: int
    pose: Pose
    geometry: Geometry
    triangles: TriangleMeshShape | None
    is_static: bool


class Rays(NamedTuple):
    """Rays, and the poses of all bodies: common to all rays, or of each ray.

    Attributes:
        origins: Their origins, shape (1, 3) or (n, 3) [m].
        directions: Their unit directions, shape (n, 3).
        positions: Origins of all bodies, shape (1 or n, bodies, 3) [m].
        rotations: Their rotation matrices, shape (1 or n, bodies, 3, 3).
    """

    origins: Vector
    directions: Vector
    positions: Vector
    rotations: Vector

    def part(self, begin: int, end: int) -> Rays:
        """Return a range of the rays."""
        own = slice(begin, end) if len(self.origins) > 1 else slice(None)
        return Rays(self.origins[own], self.directions[begin:end], self.positions[own], self.rotations[own])

    def origin_indices(self, rays: IndexArray) -> IndexArray:
        """Return the indices of the origins and positions of given rays."""
        return rays if len(self.origins) > 1 else np.zeros_like(rays)


class Hits(NamedTuple):
    """The hits of rays.

    Attributes:
        distances: Distances along each ray, shape (n,) [m]; infinite if there is no hit.
        geoms: The scene's indices of the shapes that are hit, or -1.
    """

    distances: Vector
    geoms: Int32Array


class RayTargets:
    """The shapes at which rays are cast."""

    def __init__(self, targets: Sequence[RayTarget]) -> None:
        self._numbers = np.array([target.number for target in targets], dtype=np.int32)
        self._bodies = np.array([target.body for target in targets], dtype=np.intp)
        self._rotations = np.array([target.pose.matrix()[:3, :3] for target in targets]).reshape(-1, 3, 3)
        shapes = list({id(target.triangles): target.triangles for target in targets if target.triangles is not None}.values())
        slots = {id(shape): slot for slot, shape in enumerate(shapes)}
        self._meshes = np.array([slots.get(id(target.triangles), -1) for target in targets], dtype=np.intp)
        self._shapes, self._trees = shapes, TriangleTrees(shapes)
        # Frames of meshes are translated to the centres of their bounding spheres.
        self._centers = np.array([_bounding_center(target) for target in targets]).reshape(-1, 3)
        self._radii = np.array([_bounding_radius(target) for target in targets])
        self._is_static = np.array([target.is_static for target in targets], dtype=bool) & (self._meshes >= 0)
        kinds = [-1 if target.triangles is not None else PRIMITIVES.index(type(target.geometry)) for target in targets]
        self._kinds = np.array(kinds, dtype=np.intp)
        self._primitives = {kind: _shape_sizes(targets, PRIMITIVES[kind]) for kind in set(kinds) - {-1}}
        self._embree: dict[int, embree_raycast.EmbreeTriangles | None] = {}

    def cast(self, rays: Rays, *, farthest: float, exclude: int = -1) -> Hits:
        """Return the first hit of each ray.

        Args:
            farthest: The largest distance of a hit [m].
            exclude: The scene's index of a body that rays pass through, or -1.
        """
        count = len(rays.directions)
        distances, geoms = np.full(count, np.inf), np.full(count, -1, np.int32)
        at_once = min(max(64, _PAIRS_AT_ONCE // max(1, len(self._bodies))), _RAYS_AT_ONCE)
        for begin in range(0, count, at_once):
            cast = _Cast(self, rays.part(begin, begin + at_once), exclude, farthest)
            distances[begin : begin + at_once], geoms[begin : begin + at_once] = cast.hits()
        return Hits(distances, geoms)

    def embree_triangles(self, rays: Rays, exclude: int) -> embree_raycast.EmbreeTriangles | None:
        """Return the static triangles in Embree, or None if there are none or Embree is not installed."""
        key = exclude if (self._bodies[self._is_static] == exclude).any() else -1
        if key not in self._embree:
            chosen = np.flatnonzero(self._is_static & (self._bodies != key))
            self._embree[key] = None
            if len(chosen) and embree_raycast.is_installed():
                self._embree[key] = embree_raycast.EmbreeTriangles(
                    np.concatenate([self._world_triangles(rays, slot) for slot in chosen.tolist()])
                )
        return self._embree[key]

    def _world_triangles(self, rays: Rays, target: int) -> Vector:
        body = self._bodies[target]
        rotation, position = rays.rotations[0, body], rays.positions[0, body]
        corners = self._shapes[self._meshes[target]].corners @ (rotation @ self._rotations[target]).T
        return np.asarray(corners + (position + rotation @ self._centers[target]))


class _Pairs(NamedTuple):
    """Pairs of a ray and a shape whose bounding sphere it intersects.

    Attributes:
        rays: The rays, shape (n,).
        shapes: The shapes, shape (n,).
        entry: Distance along the ray at which it enters the sphere, shape (n,) [m].
        exit: Distance at which it leaves it, shape (n,) [m].
    """

    rays: IndexArray
    shapes: IndexArray
    entry: Vector
    exit: Vector

    def select(self, chosen: AnyArray) -> _Pairs:
        return _Pairs(self.rays[chosen], self.shapes[chosen], self.entry[chosen], self.exit[chosen])


class _Cast:
    """A ray cast with the nearest hits so far."""

    def __init__(self, targets: RayTargets, rays: Rays, exclude: int, farthest: float) -> None:
        self._targets, self._rays, self._exclude = targets, rays, exclude
        self._best, self._hit = np.full(len(rays.directions), farthest), np.full(len(rays.directions), -1)
        bodies = targets._bodies
        rotated_centers = rays.rotations[:, bodies] @ targets._centers[:, :, None]
        self._centers = rays.positions[:, bodies] + rotated_centers[..., 0]
        self._pairs = self._intersected_spheres()

    def _intersected_spheres(self) -> _Pairs:
        """Return the pairs of rays and shapes whose bounding spheres are intersected within the largest distance."""
        targets, directions = self._targets, self._rays.directions
        offsets = self._centers - self._rays.origins[:, None]
        limits = (targets._radii * (1.0 + _SPHERE_MARGIN)) ** 2 - (offsets**2).sum(axis=2) * (1.0 - _SPHERE_MARGIN)
        chosen = targets._bodies != self._exclude
        if len(offsets) == 1:
            chosen &= ~_miss_all(directions, offsets[0], limits[0])
        shapes = np.flatnonzero(chosen)
        offsets, limits = offsets[:, shapes], limits[:, shapes]
        nearest = directions @ offsets[0].T if len(offsets) == 1 else np.einsum("ngi,ni->ng", offsets, directions)
        discriminant = nearest * nearest
        discriminant += limits
        rays, columns = true_entries(discriminant >= 0.0)
        half, nearest = np.sqrt(discriminant[rays, columns]), nearest[rays, columns]
        pairs = _Pairs(rays, shapes[columns], nearest - half, nearest + half)
        return pairs.select((pairs.exit >= 0.0) & (pairs.entry <= self._best[rays]))

    def hits(self) -> Hits:
        targets = self._targets
        meshes = targets._meshes[self._pairs.shapes]
        is_static = targets._is_static[self._pairs.shapes]
        for kind, sizes in targets._primitives.items():
            self._intersect_primitives(kind, sizes, self._pairs.select(targets._kinds[self._pairs.shapes] == kind))
        self._intersect_static_meshes(self._pairs.select(is_static))
        self._intersect_in_order(self._pairs.select((meshes >= 0) & ~is_static))
        found = self._hit >= 0
        geoms = np.where(found, targets._numbers[self._hit], -1) if len(targets._numbers) else self._hit
        return Hits(np.where(found, self._best, np.inf), geoms.astype(np.int32))

    def _intersect_primitives(self, kind: int, sizes: Vector, pairs: _Pairs) -> None:
        if len(pairs.rays):
            origins, directions, start = self._local_rays(pairs)
            distances = ray_distances(PRIMITIVES[kind], sizes[pairs.shapes], origins, directions, -start)
            self._keep_nearest(pairs, distances + start)

    def _intersect_static_meshes(self, pairs: _Pairs) -> None:
        """Intersect static meshes, within Embree's brackets if it is installed."""
        triangles = self._targets.embree_triangles(self._rays, self._exclude) if len(pairs.rays) else None
        if triangles is None:
            self._intersect_in_order(pairs)
            return
        first, last = triangles.brackets(self._rays.origins, self._rays.directions)
        is_open, before = first < self._best, self._hit.copy()
        rays = pairs.rays
        self._intersect_meshes(
            pairs.select(is_open[rays] & (pairs.entry <= last[rays]) & (pairs.exit >= first[rays])), first, last
        )
        # Embree's triangles are enlarged: rays that hit only the enlargement are cast farther.
        is_open &= (self._hit == before) | (self._best > last)
        self._intersect_in_order(pairs.select(is_open[rays]))

    def _intersect_in_order(self, pairs: _Pairs) -> None:
        """Intersect meshes, the nearest ones of each ray first: one, then two, then four, until a hit is nearer."""
        pairs = pairs.select(np.lexsort((pairs.entry, pairs.rays)))
        rank = np.arange(len(pairs.rays)) - np.searchsorted(pairs.rays, pairs.rays)
        limit, nothing = 1, np.zeros(len(self._best))
        while len(rank):
            is_tested = rank < limit
            self._intersect_meshes(pairs.select(is_tested), nothing, self._best)
            is_remaining = ~is_tested & (pairs.entry <= self._best[pairs.rays])
            pairs, rank, limit = pairs.select(is_remaining), rank[is_remaining], 2 * limit + 1

    def _intersect_meshes(self, pairs: _Pairs, first: Vector, last: Vector) -> None:
        if len(pairs.rays):
            origins, directions, start = self._local_rays(pairs)
            lower = np.maximum(first[pairs.rays], 0.0) - start
            # Of hits at equal distances, also after rounding, that of the first shape is kept.
            upper = np.minimum(last, self._best)[pairs.rays] * (1.0 + _DISTANCE_ROUNDING) - start
            meshes = self._targets._meshes[pairs.shapes]
            distances, _ = self._targets._trees.nearest(LocalRays(origins, directions, lower, upper), meshes)
            self._keep_nearest(pairs, distances + start)

    def _local_rays(self, pairs: _Pairs) -> tuple[Vector, Vector, Vector]:
        """Return rays in frames at the centres of shapes: points nearest to the centres, directions, and their distances."""
        rays, shapes = pairs.rays, pairs.shapes
        origin_indices, bodies = self._rays.origin_indices(rays), self._targets._bodies[shapes]
        rotations = self._rays.rotations[origin_indices, bodies] @ self._targets._rotations[shapes]
        offsets = self._rays.origins[origin_indices] - self._centers[origin_indices, shapes]
        origins = np.einsum("nji,nj->ni", rotations, offsets)
        directions = np.einsum("nji,nj->ni", rotations, self._rays.directions[rays])
        start = -(origins * directions).sum(axis=1)
        return origins + start[:, None] * directions, directions, start

    def _keep_nearest(self, pairs: _Pairs, distances: Vector) -> None:
        """Keep the nearest hit of each ray; of several at one distance, that of the first shape."""
        rays, shapes = pairs.rays, pairs.shapes
        best, hit = self._best[rays], self._hit[rays]
        is_nearer = (distances < best) | ((distances == best) & ((hit < 0) | (shapes < hit)))
        nearer = np.flatnonzero(is_nearer & np.isfinite(distances))
        nearer = nearer[np.lexsort((-shapes[nearer], -distances[nearer]))]  # the nearest of a ray is assigned last
        self._best[rays[nearer]], self._hit[rays[nearer]] = distances[nearer], shapes[nearer]


def _miss_all(directions: Vector, offsets: Vector, limits: Vector) -> BoolArray:
    """Return which spheres are missed by all rays of one origin, from bounds of the distances of rays to the centres.

    Args:
        directions: Their unit directions, shape (n, 3).
        offsets: The centres from the origin, shape (m, 3) [m].
        limits: Squares of the radii less those of the offsets, shape (m,) [m²].
    """
    columns = np.ascontiguousarray(directions.T)  # of which numpy finds the extremes ten times faster
    low, high = columns.min(axis=1), columns.max(axis=1)
    with np.errstate(invalid="ignore"):
        along = np.maximum(low * offsets, high * offsets).sum(axis=1)
        opposite = -np.minimum(low * offsets, high * offsets).sum(axis=1)
    largest = np.maximum(np.maximum(along, opposite), 0.0)
    return np.asarray(largest**2 + limits < 0.0)


def _bounding_center(target: RayTarget) -> Vector:
    position = np.array(target.pose.position)
    if target.triangles is None:
        return position
    return np.asarray(position + target.pose.matrix()[:3, :3] @ target.triangles.center)


def _bounding_radius(target: RayTarget) -> float:
    return target.triangles.radius if target.triangles is not None else radius_of(target.geometry)


def _shape_sizes(targets: Sequence[RayTarget], kind: type[Any]) -> Vector:
    """Return the sizes of each shape of a type, in the rows of these shapes."""
    specified = {number: sizes_of(target.geometry) for number, target in enumerate(targets) if type(target.geometry) is kind}
    sizes = np.zeros((len(targets), len(next(iter(specified.values())))))
    sizes[list(specified)] = list(specified.values())
    return sizes
