"""Ray casting at the shapes of a scene: bounding spheres first, then closed forms and bounding volume hierarchies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ossature.array_types import AnyArray, BoolArray, IndexArray, Int32Array, Vector
from ossature.model import Geometry
from ossature.simulation.sensors.ray_primitives import PRIMITIVES, radius_of, ray_distances, sizes_of
from ossature.simulation.sensors.triangle_bvh import (
    LocalRays,
    TriangleMeshShape,
    TriangleTrees,
    compiled_search,
    true_entries,
)
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
    """

    number: int
    body: int
    pose: Pose
    geometry: Geometry
    triangles: TriangleMeshShape | None


class Rays(NamedTuple):
    """Rays, and the poses of all bodies.

    Attributes:
        origins: Their origins, common to all or of each, shape (1 or n, 3) [m].
        directions: Their unit directions, shape (n, 3).
        positions: Origins of all bodies, common to all rays or for each, shape (1 or n, bodies, 3) [m].
        rotations: Their rotation matrices, shape (1 or n, bodies, 3, 3).
    """

    origins: Vector
    directions: Vector
    positions: Vector
    rotations: Vector

    def part(self, begin: int, end: int) -> Rays:
        """Return a range of the rays."""
        return Rays(*(part if len(part) == 1 else part[begin:end] for part in self))


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
        kinds = [-1 if target.triangles is not None else PRIMITIVES.index(type(target.geometry)) for target in targets]
        self._kinds = np.array(kinds, dtype=np.intp)
        self._primitives = {kind: _shape_sizes(targets, PRIMITIVES[kind]) for kind in set(kinds) - {-1}}

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
        self._targets, self._rays = targets, rays
        self._best, self._hit = np.full(len(rays.directions), farthest), np.full(len(rays.directions), -1, np.int64)
        bodies = targets._bodies
        rotations = rays.rotations[:, bodies]
        self._centers = rays.positions[:, bodies] + (rotations @ targets._centers[:, :, None])[..., 0]
        self._rotations = rotations @ targets._rotations
        self._is_excluded = bodies == exclude

    def hits(self) -> Hits:
        targets = self._targets
        is_mesh = targets._meshes >= 0
        self._intersect_primitives(np.flatnonzero(~is_mesh & ~self._is_excluded))
        self._intersect_meshes(np.flatnonzero(is_mesh & ~self._is_excluded))
        found = self._hit >= 0
        geoms = np.where(found, targets._numbers[self._hit], -1) if len(targets._numbers) else self._hit
        return Hits(np.where(found, self._best, np.inf), geoms.astype(np.int32))

    def _intersected_spheres(self, shapes: IndexArray) -> _Pairs:
        """Return the pairs of rays and shapes whose bounding spheres are intersected within the largest distance."""
        directions, radii = self._rays.directions, self._targets._radii[shapes]
        offsets = self._centers[:, shapes] - self._rays.origins[:, None]
        limits = (radii * (1.0 + _SPHERE_MARGIN)) ** 2 - (offsets**2).sum(axis=2) * (1.0 - _SPHERE_MARGIN)
        if len(offsets) == 1:
            is_near = ~_miss_all(directions, offsets[0], limits[0])
            shapes, offsets, limits = shapes[is_near], offsets[:, is_near], limits[:, is_near]
        nearest = directions @ offsets[0].T if len(offsets) == 1 else np.einsum("ngi,ni->ng", offsets, directions)
        discriminant = nearest * nearest
        discriminant += limits
        rays, columns = true_entries(discriminant >= 0.0)
        half, nearest = np.sqrt(discriminant[rays, columns]), nearest[rays, columns]
        pairs = _Pairs(rays, shapes[columns], nearest - half, nearest + half)
        return pairs.select((pairs.exit >= 0.0) & (pairs.entry <= self._best[rays]))

    def _intersect_primitives(self, shapes: IndexArray) -> None:
        if not len(shapes):
            return
        pairs = self._intersected_spheres(shapes)
        kinds = self._targets._kinds[pairs.shapes]
        for kind, sizes in self._targets._primitives.items():
            chosen = pairs.select(kinds == kind)
            if len(chosen.rays):
                origins, directions, start = self._local_rays(chosen)
                distances = ray_distances(PRIMITIVES[kind], sizes[chosen.shapes], origins, directions, -start)
                self._keep_nearest(chosen, distances + start)

    def _intersect_meshes(self, shapes: IndexArray) -> None:
        if not len(shapes):
            return
        compiled = compiled_search()
        if compiled is None:
            self._intersect_in_order(self._intersected_spheres(shapes))
            return
        trees, meshes = self._targets._trees, self._targets._meshes[shapes]
        placed = (self._centers[:, shapes], self._rotations[:, shapes], self._rays.origins, self._rays.directions)
        arrays = [np.ascontiguousarray(part, np.float64) for part in placed]
        numbers = shapes.astype(np.int64)
        compiled.cast(*trees.arrays, numbers, trees.roots[meshes], trees.radii[meshes], *arrays, self._best, self._hit)

    def _intersect_in_order(self, pairs: _Pairs) -> None:
        """Intersect meshes, the nearest ones of each ray first: one, then two, then four, until a hit is nearer."""
        pairs = pairs.select(np.lexsort((pairs.entry, pairs.rays)))
        rank = np.arange(len(pairs.rays)) - np.searchsorted(pairs.rays, pairs.rays)
        limit = 1
        while len(rank):
            is_tested = rank < limit
            self._intersect_pairs(pairs.select(is_tested))
            is_remaining = ~is_tested & (pairs.entry <= self._best[pairs.rays])
            pairs, rank, limit = pairs.select(is_remaining), rank[is_remaining], 2 * limit + 1

    def _intersect_pairs(self, pairs: _Pairs) -> None:
        origins, directions, start = self._local_rays(pairs)
        # Of hits at equal distances, also after rounding, that of the first shape is kept.
        last = self._best[pairs.rays] * (1.0 + _DISTANCE_ROUNDING) - start
        meshes = self._targets._meshes[pairs.shapes]
        distances, _ = self._targets._trees.nearest(LocalRays(origins, directions, 0.0 - start, last), meshes)
        self._keep_nearest(pairs, distances + start)

    def _local_rays(self, pairs: _Pairs) -> tuple[Vector, Vector, Vector]:
        """Return rays in frames at the centres of shapes: points nearest to the centres, directions, and their distances."""
        rays, shapes = pairs.rays, pairs.shapes
        poses = _rows(self._centers, rays)
        rotations = self._rotations[poses, shapes]
        offsets = self._rays.origins[_rows(self._rays.origins, rays)] - self._centers[poses, shapes]
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


def _rows(table: AnyArray, rays: IndexArray) -> IndexArray:
    """Return the rows of rays in a table with one row for all rays or one for each."""
    return rays if len(table) > 1 else np.zeros_like(rays)


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
