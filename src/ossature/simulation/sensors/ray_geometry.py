"""The shapes of a scene as rays meet them: bounding spheres first, then closed forms and trees of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ossature.model import Geometry
from ossature.simulation.sensors import embree_raycast
from ossature.simulation.sensors.ray_primitives import PRIMITIVES, distances_to, radius_of, sizes_of
from ossature.simulation.sensors.triangle_bvh import LocalRays, TriangleMeshShape, TriangleTrees
from ossature.spatial import Pose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.intp]

_SAME = 1e-14
_PAIRS_AT_ONCE, _RAYS_AT_ONCE = 1 << 18, 1 << 12
_SPHERE_MARGIN = 1e-9
"""By how much bounding spheres are enlarged, as a share of their radius and of their distance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RayTarget:
    """One shape.

    Attributes:
        number: The scene's number of it.
        body: The scene's number of its body.
        pose: Its frame in the body's.
        geometry: The shape: a primitive, unless it has triangles.
        triangles: Its triangles, or None for a primitive. Several shapes may share them.
        is_static: Whether its body never moves.
    """

    number: int
    body: int
    pose: Pose
    geometry: Geometry
    triangles: TriangleMeshShape | None
    is_static: bool


class Rays(NamedTuple):
    """Rays, and where all bodies are: all rays begin at one point at one instant, or each has its own.

    Attributes:
        origins: Where they begin, shape (1, 3) or (n, 3) [m].
        directions: Their unit directions, shape (n, 3).
        positions: Origins of all bodies, shape (1 or n, bodies, 3) [m].
        rotations: Their rotation matrices, shape (1 or n, bodies, 3, 3).
    """

    origins: Vector
    directions: Vector
    positions: Vector
    rotations: Vector

    def part(self, begin: int, end: int) -> Rays:
        """Return some of the rays."""
        own = slice(begin, end) if len(self.origins) > 1 else slice(None)
        return Rays(self.origins[own], self.directions[begin:end], self.positions[own], self.rotations[own])

    def places(self, rays: Numbers) -> Numbers:
        """Return which of the origins and positions are those of given rays."""
        return rays if len(self.origins) > 1 else np.zeros_like(rays)


class Hits(NamedTuple):
    """What rays hit.

    Attributes:
        distances: Along each ray, shape (n,) [m]; infinite where nothing is hit.
        geoms: The scene's numbers of what is hit, or -1.
    """

    distances: Vector
    geoms: NDArray[np.int32]


class RayTargets:
    """The shapes at which rays are cast.

    Args:
        targets: The shapes.
    """

    def __init__(self, targets: Sequence[RayTarget]) -> None:
        self._numbers = np.array([target.number for target in targets], dtype=np.int32)
        self._bodies = np.array([target.body for target in targets], dtype=np.intp)
        self._turns = np.array([target.pose.matrix()[:3, :3] for target in targets]).reshape(-1, 3, 3)
        shapes = list({id(target.triangles): target.triangles for target in targets if target.triangles is not None}.values())
        slots = {id(shape): slot for slot, shape in enumerate(shapes)}
        self._meshes = np.array([slots.get(id(target.triangles), -1) for target in targets], dtype=np.intp)
        self._shapes, self._trees = shapes, TriangleTrees(shapes)
        # Frames of meshes are moved to the centres of their bounding spheres.
        self._centers = np.array([_center(target) for target in targets]).reshape(-1, 3)
        self._radii = np.array([_radius(target) for target in targets])
        self._is_static = np.array([target.is_static for target in targets], dtype=bool) & (self._meshes >= 0)
        kinds = [-1 if target.triangles is not None else PRIMITIVES.index(type(target.geometry)) for target in targets]
        self._kinds = np.array(kinds, dtype=np.intp)
        self._primitives = {kind: _sizes(targets, PRIMITIVES[kind]) for kind in set(kinds) - {-1}}
        self._embree: dict[int, embree_raycast.EmbreeTriangles | None] = {}

    def cast(self, rays: Rays, *, farthest: float, exclude: int = -1) -> Hits:
        """Return what rays hit first.

        Args:
            rays: The rays.
            farthest: What is farther counts as not hit [m].
            exclude: The scene's number of a body that rays pass through, or -1.
        """
        count = len(rays.directions)
        distances, geoms = np.full(count, np.inf), np.full(count, -1, np.int32)
        at_once = min(max(64, _PAIRS_AT_ONCE // max(1, len(self._bodies))), _RAYS_AT_ONCE)
        for begin in range(0, count, at_once):
            part = rays.part(begin, begin + at_once)
            cast = _Cast(self, part, exclude, farthest)
            distances[begin : begin + at_once], geoms[begin : begin + at_once] = cast.hits()
        return Hits(distances, geoms)

    def embree_triangles(self, rays: Rays, exclude: int) -> embree_raycast.EmbreeTriangles | None:
        """Return the triangles that do not move in Embree, or None if there are none or it is not installed."""
        key = exclude if (self._bodies[self._is_static] == exclude).any() else -1
        if key not in self._embree:
            chosen = np.flatnonzero(self._is_static & (self._bodies != key))
            self._embree[key] = None
            if len(chosen) and embree_raycast.is_installed():
                self._embree[key] = embree_raycast.EmbreeTriangles(
                    np.concatenate([self._in_world(rays, slot) for slot in chosen.tolist()])
                )
        return self._embree[key]

    def _in_world(self, rays: Rays, target: int) -> Vector:
        body = self._bodies[target]
        rotation, position = rays.rotations[0, body], rays.positions[0, body]
        corners = self._shapes[self._meshes[target]].corners @ (rotation @ self._turns[target]).T
        return np.asarray(corners + (position + rotation @ self._centers[target]))


class _Pairs(NamedTuple):
    """Pairs of a ray and a shape whose bounding sphere it meets.

    Attributes:
        rays: The rays, shape (n,).
        shapes: The shapes, shape (n,).
        entry: Distance along the ray at which it enters the sphere, shape (n,) [m].
        exit: Distance at which it leaves it, shape (n,) [m].
    """

    rays: Numbers
    shapes: Numbers
    entry: Vector
    exit: Vector

    def where(self, chosen: NDArray[Any]) -> _Pairs:
        """Return the chosen pairs."""
        return _Pairs(self.rays[chosen], self.shapes[chosen], self.entry[chosen], self.exit[chosen])


class _Cast:
    """Rays that are being cast, and their nearest hits so far."""

    def __init__(self, targets: RayTargets, rays: Rays, exclude: int, farthest: float) -> None:
        self._targets, self._rays, self._exclude = targets, rays, exclude
        self._best, self._hit = np.full(len(rays.directions), farthest), np.full(len(rays.directions), -1)
        bodies = targets._bodies
        moved = rays.rotations[:, bodies] @ targets._centers[:, :, None]
        self._centers = rays.positions[:, bodies] + moved[..., 0]
        self._pairs = self._intersected_spheres()

    def _intersected_spheres(self) -> _Pairs:
        """Return the rays and shapes of which the bounding spheres are met within the distances that count."""
        targets, directions = self._targets, self._rays.directions
        offsets = self._centers - self._rays.origins[:, None]
        limits = (targets._radii * (1.0 + _SPHERE_MARGIN)) ** 2 - (offsets**2).sum(axis=2) * (1.0 - _SPHERE_MARGIN)
        chosen = targets._bodies != self._exclude
        if len(offsets) == 1:
            chosen &= ~_are_missed(directions, offsets[0], limits[0])
        shapes = np.flatnonzero(chosen)
        offsets, limits = offsets[:, shapes], limits[:, shapes]
        nearest = directions @ offsets[0].T if len(offsets) == 1 else np.einsum("ngi,ni->ng", offsets, directions)
        room = nearest * nearest
        room += limits
        rays, columns = np.nonzero(room >= 0.0)
        half, nearest = np.sqrt(room[rays, columns]), nearest[rays, columns]
        pairs = _Pairs(rays, shapes[columns], nearest - half, nearest + half)
        return pairs.where((pairs.exit >= 0.0) & (pairs.entry <= self._best[rays]))

    def hits(self) -> Hits:
        """Return what the rays hit."""
        targets = self._targets
        meshes = targets._meshes[self._pairs.shapes]
        is_static = targets._is_static[self._pairs.shapes]
        for kind, sizes in targets._primitives.items():
            self._intersect_primitives(kind, sizes, self._pairs.where(targets._kinds[self._pairs.shapes] == kind))
        self._intersect_static_meshes(self._pairs.where(is_static))
        self._intersect_in_order(self._pairs.where((meshes >= 0) & ~is_static))
        found = self._hit >= 0
        geoms = np.where(found, targets._numbers[self._hit], -1) if len(targets._numbers) else self._hit
        return Hits(np.where(found, self._best, np.inf), geoms.astype(np.int32))

    def _intersect_primitives(self, kind: int, sizes: Vector, pairs: _Pairs) -> None:
        if len(pairs.rays):
            origins, directions, start = self._local(pairs)
            distances = distances_to(PRIMITIVES[kind], sizes[pairs.shapes], origins, directions, -start)
            self._take(pairs, distances + start)

    def _intersect_static_meshes(self, pairs: _Pairs) -> None:
        """Meet meshes that do not move: near where Embree finds them, if it can be used."""
        triangles = self._targets.embree_triangles(self._rays, self._exclude) if len(pairs.rays) else None
        if triangles is None:
            self._intersect_in_order(pairs)
            return
        first, last = triangles.brackets(self._rays.origins, self._rays.directions)
        is_open, before = first < self._best, self._hit.copy()
        rays = pairs.rays
        self._intersect_meshes(
            pairs.where(is_open[rays] & (pairs.entry <= last[rays]) & (pairs.exit >= first[rays])), first, last
        )
        # Embree's triangles are a little larger: rays that hit their margin alone have to look farther.
        is_open &= (self._hit == before) | (self._best > last)
        self._intersect_in_order(pairs.where(is_open[rays]))

    def _intersect_in_order(self, pairs: _Pairs) -> None:
        """Meet meshes, the nearest ones of each ray first: one, then two, then four, until what was hit is nearer."""
        pairs = pairs.where(np.lexsort((pairs.entry, pairs.rays)))
        rank = np.arange(len(pairs.rays)) - np.searchsorted(pairs.rays, pairs.rays)
        limit, nothing = 1, np.zeros(len(self._best))
        while len(rank):
            now = rank < limit
            self._intersect_meshes(pairs.where(now), nothing, self._best)
            later = ~now & (pairs.entry <= self._best[pairs.rays])
            pairs, rank, limit = pairs.where(later), rank[later], 2 * limit + 1

    def _intersect_meshes(self, pairs: _Pairs, first: Vector, last: Vector) -> None:
        if len(pairs.rays):
            origins, directions, start = self._local(pairs)
            least = np.maximum(first[pairs.rays], 0.0) - start
            # A hit as far away as another one is kept whatever rounding makes of it: the first shape counts.
            most = np.minimum(last, self._best)[pairs.rays] * (1.0 + _SAME) - start
            meshes = self._targets._meshes[pairs.shapes]
            distances = self._targets._trees.distances(LocalRays(origins, directions, least, most), meshes)
            self._take(pairs, distances + start)

    def _local(self, pairs: _Pairs) -> tuple[Vector, Vector, Vector]:
        """Return rays in frames of shapes about their centres: points nearest to these, directions, and how far those are."""
        rays, shapes = pairs.rays, pairs.shapes
        places, bodies = self._rays.places(rays), self._targets._bodies[shapes]
        frames = self._rays.rotations[places, bodies] @ self._targets._turns[shapes]
        offsets = self._rays.origins[places] - self._centers[places, shapes]
        origins = np.einsum("nji,nj->ni", frames, offsets)
        directions = np.einsum("nji,nj->ni", frames, self._rays.directions[rays])
        start = -(origins * directions).sum(axis=1)
        return origins + start[:, None] * directions, directions, start

    def _take(self, pairs: _Pairs, distances: Vector) -> None:
        """Keep the nearest hit of each ray; of several at one distance, that of the first shape."""
        rays, shapes = pairs.rays, pairs.shapes
        best, hit = self._best[rays], self._hit[rays]
        is_nearer = (distances < best) | ((distances == best) & ((hit < 0) | (shapes < hit)))
        nearer = np.flatnonzero(is_nearer & np.isfinite(distances))
        nearer = nearer[np.lexsort((-shapes[nearer], -distances[nearer]))]  # the nearest of a ray is assigned last
        self._best[rays[nearer]], self._hit[rays[nearer]] = distances[nearer], shapes[nearer]


def _are_missed(directions: Vector, offsets: Vector, limits: Vector) -> NDArray[np.bool_]:
    """Return which spheres all rays of one origin pass by: even the bounds of their distances to the centres are too large.

    Args:
        directions: Their unit directions, shape (n, 3).
        offsets: The centres from the origin, shape (m, 3) [m].
        limits: Squares of the radii less those of the offsets, shape (m,) [m²].
    """
    low, high = directions.min(axis=0), directions.max(axis=0)
    with np.errstate(invalid="ignore"):
        along = np.maximum(low * offsets, high * offsets).sum(axis=1)
        opposite = -np.minimum(low * offsets, high * offsets).sum(axis=1)
    largest = np.maximum(np.maximum(along, opposite), 0.0)
    return np.asarray(largest**2 + limits < 0.0)


def _center(target: RayTarget) -> Vector:
    position = np.array(target.pose.position)
    if target.triangles is None:
        return position
    return np.asarray(position + target.pose.matrix()[:3, :3] @ target.triangles.center)


def _radius(target: RayTarget) -> float:
    return target.triangles.radius if target.triangles is not None else radius_of(target.geometry)


def _sizes(targets: Sequence[RayTarget], kind: type[Any]) -> Vector:
    """Return what states each shape of a type, in the rows of these shapes."""
    stated = {number: sizes_of(target.geometry) for number, target in enumerate(targets) if type(target.geometry) is kind}
    sizes = np.zeros((len(targets), len(next(iter(stated.values())))))
    sizes[list(stated)] = list(stated.values())
    return sizes
