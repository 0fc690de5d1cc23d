"""Bounding volume hierarchies of triangles, and the nearest triangle along rays.

Boxes are tested in single precision with a margin larger than its rounding, so that none is missed. Triangles are tested in
double precision by signs of edge functions in the plane across the ray. Two triangles that share an edge compute its function
from the same projected corners, and zero counts as inside, so no ray passes between them: the test is watertight (S. Woop,
C. Benthin, I. Wald, Watertight Ray/Triangle Intersection, Journal of Computer Graphics Techniques 2(1), 2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

from ossature.array_types import AnyArray, BoolArray, Float32Array, IndexArray, Int64Array, IntegerArray, Vector
from ossature.compiled_modules import compiled_module

WIDTH = 8
"""Children of a node, and triangles of a leaf at most."""
MARGIN = 4e-6
"""Enlargement of boxes, relative to the radius of their mesh: 30 times the rounding of single precision."""
_SMALLEST_SLOPE = 1e-20
"""Smallest slope of rays relative to a plane of a box: its inverse is finite in single precision."""
_SOURCE = Path(__file__).parent / "_triangle_bvh.c"
_MANY = np.iinfo(np.int64).max
"""A number above the indices of all triangles."""
_FRONT_AT_ONCE = 1 << 12
"""Number of nodes that are tested at once; more would exceed the processor's cache."""


def compiled_search() -> ModuleType | None:
    """Return the compiled module of the same search, or None if it is not installed."""
    return compiled_module(f"{__package__}._triangle_bvh", _SOURCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TriangleMeshShape:
    """Triangles relative to the centre of their bounding sphere.

    Attributes:
        center: That centre in the mesh's frame [m].
        radius: Its radius [m].
        corners: Corners of all triangles from the centre, shape (n, 3, 3) [m].
    """

    center: Vector
    radius: float
    corners: Vector

    @classmethod
    def of(cls, vertices: Vector, faces: IntegerArray) -> TriangleMeshShape:
        """Return the triangles of a mesh.

        Args:
            vertices: Its vertices, shape (n, 3) [m].
            faces: Indices into them, shape (m, 3).
        """
        corners = vertices[faces]
        points = corners.reshape(-1, 3)
        center = 0.5 * (points.min(axis=0) + points.max(axis=0))
        # The same subtraction for all vertices keeps shared corners equal.
        corners = corners - center
        return cls(center=center, radius=float(np.sqrt((corners**2).sum(axis=2).max())), corners=corners)


class LocalRays(NamedTuple):
    """Rays in the frames of their meshes, one mesh for each ray.

    Attributes:
        origins: Their points nearest to the centre of the mesh, relative to it, shape (n, 3) [m].
        directions: Their unit directions, shape (n, 3).
        first: The smallest distance of a hit from that point, shape (n,) [m].
        last: The largest, shape (n,) [m].
    """

    origins: Vector
    directions: Vector
    first: Vector
    last: Vector


class TriangleTrees:
    """A bounding volume hierarchy for each of several meshes."""

    def __init__(self, meshes: Sequence[TriangleMeshShape]) -> None:
        trees = [_Tree.of(mesh) for mesh in meshes]
        nodes = np.cumsum([0, *(len(tree.first) for tree in trees)])
        triangles = np.cumsum([0, *(len(tree.corners) for tree in trees)])
        self.roots = nodes[:-1].astype(np.int64)
        self.radii = np.array([mesh.radius for mesh in meshes])
        self._boxes: Float32Array = np.concatenate([np.zeros((0, 2, 3, WIDTH), np.float32), *(tree.boxes for tree in trees)])
        self._is_leaf = np.concatenate([np.zeros(0, bool), *(tree.is_leaf for tree in trees)])
        self._first = np.concatenate(
            [
                np.zeros(0, np.int64),
                *(
                    tree.first + np.where(tree.is_leaf, triangle, node)
                    for tree, node, triangle in zip(trees, nodes[:-1], triangles[:-1], strict=True)
                ),
            ]
        )
        self._corners = np.concatenate([np.zeros((0, 3, 3)), *(tree.corners for tree in trees)])
        self._slots = np.concatenate([np.zeros(0, np.int64), *(tree.slots for tree in trees)])

    @property
    def arrays(self) -> tuple[AnyArray, ...]:
        """The arrays of all hierarchies, for the compiled module."""
        return self._boxes, self._is_leaf, self._first, self._corners, self._slots

    def nearest(self, rays: LocalRays, meshes: IndexArray) -> tuple[Vector, Int64Array]:
        """Return the distance along each ray to the nearest triangle of its mesh, and its index; infinite and -1 without one.

        Of several triangles at one distance the index is the smallest.

        Args:
            meshes: The index of the mesh of each, shape (n,).
        """
        compiled = compiled_search()
        if compiled is None:
            return self._nearest_in_python(rays, meshes)
        distances, triangles = np.empty(len(meshes)), np.empty(len(meshes), np.int64)
        parts = [np.ascontiguousarray(part, np.float64) for part in rays]
        compiled.nearest(*self.arrays, self.roots[meshes], self.radii[meshes], *parts, distances, triangles)
        return distances, triangles

    def _nearest_in_python(self, rays: LocalRays, meshes: IndexArray) -> tuple[Vector, Int64Array]:
        slopes = rays.directions
        slopes = np.where(np.abs(slopes) < _SMALLEST_SLOPE, _SMALLEST_SLOPE, slopes)
        with np.errstate(over="ignore"):
            lines = np.stack([rays.origins, 1.0 / slopes], axis=1).astype(np.float32)
        margin = 2.0 * MARGIN * self.radii[meshes]
        found, nearest = np.full(len(meshes), np.inf), np.full(len(meshes), -1, np.int64)
        frames = _ray_frames(rays.directions)
        for numbers, triangles in self._leaves(rays, lines, margin, meshes):
            corners = _take_columns(self._corners, triangles)
            distances = _triangle_distances(_take_columns(rays.origins, numbers), _take_columns(frames, numbers), corners)
            distances[~((distances >= rays.first[numbers]) & (distances <= rays.last[numbers]))] = np.inf
            before = found.copy()
            np.minimum.at(found, numbers, distances)
            nearest[found < before] = _MANY
            is_nearest = np.isfinite(distances) & (distances == found[numbers])
            np.minimum.at(nearest, numbers[is_nearest], self._slots[triangles[is_nearest]])
        return found, nearest

    def _leaves(
        self, rays: LocalRays, lines: Float32Array, margin: Vector, meshes: IndexArray
    ) -> list[tuple[IndexArray, IndexArray]]:
        """Return pairs of rays and triangles whose boxes intersect, as indices; all rays are traversed at once.

        Args:
            lines: Origins and inverse slopes of the rays, shape (n, 2, 3).
            margin: Enlargement of the range of each ray, shape (n,) [m].
        """
        with np.errstate(over="ignore"):
            first, last = (rays.first - margin).astype(np.float32), (rays.last + margin).astype(np.float32)
        leaves = []
        fronts = [
            (np.arange(start, min(start + _FRONT_AT_ONCE, len(meshes))), self.roots[meshes[start : start + _FRONT_AT_ONCE]])
            for start in range(0, len(meshes), _FRONT_AT_ONCE)
        ]
        while fronts:
            numbers, nodes = fronts.pop()
            origins, inverse = _take_columns(lines, numbers)
            is_met = self._intersects_boxes(nodes, origins, inverse, first[numbers], last[numbers])
            lanes, rows = true_entries(is_met)
            numbers, nodes = numbers[rows], nodes[rows]
            children, leaf = self._first[nodes] + lanes, self._is_leaf[nodes]
            if leaf.any():
                leaves.append((numbers[leaf], children[leaf]))
                numbers, children = numbers[~leaf], children[~leaf]
            fronts += [
                (numbers[start : start + _FRONT_AT_ONCE], children[start : start + _FRONT_AT_ONCE])
                for start in range(0, len(numbers), _FRONT_AT_ONCE)
            ]
        return leaves

    def _intersects_boxes(
        self, nodes: IndexArray, origins: Float32Array, inverse: Float32Array, first: Float32Array, last: Float32Array
    ) -> BoolArray:
        """Return which of the boxes in nodes are intersected by their rays, shape (WIDTH, n)."""
        middle, half = _take_columns(self._boxes, nodes)
        middle -= origins[:, None]
        middle *= inverse[:, None]
        half *= np.abs(inverse)[:, None]
        near = middle - half
        middle += half
        entry = np.maximum(np.maximum(near[0], near[1]), near[2])
        exit_ = np.minimum(np.minimum(middle[0], middle[1]), middle[2])
        is_met: BoolArray = (entry <= np.minimum(exit_, last)) & (exit_ >= first)
        return is_met


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tree:
    """One hierarchy.

    Attributes:
        boxes: Centres and half sizes of the boxes of the children of each node, shape (n, 2, 3, WIDTH) [m]; a half size of
            minus infinity if there is no child.
        is_leaf: Whether the children of a node are triangles, shape (n,).
        first: Index of the first child of each node, among nodes or triangles, shape (n,).
        corners: Corners of the triangles in the order of the leaves, with gaps, shape (m, 3, 3) [m].
        slots: Index of each of these triangles in the mesh, -1 for a gap, shape (m,).
    """

    boxes: Float32Array
    is_leaf: BoolArray
    first: IndexArray
    corners: Vector
    slots: IndexArray

    @classmethod
    def of(cls, mesh: TriangleMeshShape) -> _Tree:
        """Return the hierarchy of a mesh: halved at medians along the longest axis, three times for each level of nodes."""
        low, high = mesh.corners.min(axis=1), mesh.corners.max(axis=1)
        slots = leaf_order(0.5 * (low + high))
        exists = slots >= 0
        low = np.where(exists[:, None], low[slots], np.inf)
        high = np.where(exists[:, None], high[slots], -np.inf)
        margin, levels = MARGIN * mesh.radius, []
        while True:
            low, high = _pad(low, np.inf), _pad(high, -np.inf)
            low, high = low.reshape(-1, WIDTH, 3), high.reshape(-1, WIDTH, 3)
            levels.append(_make_boxes(low, high, margin))
            low, high = low.min(axis=1), high.max(axis=1)
            if len(low) == 1:
                break
        levels.reverse()  # the root comes first
        counts = [len(level) for level in levels]
        starts = np.cumsum([0, *counts])
        first = [start + WIDTH * np.arange(count) for start, count in zip(starts[1:-1], counts[:-1], strict=True)]
        return cls(
            boxes=np.concatenate(levels),
            is_leaf=np.arange(sum(counts)) >= starts[-2],
            first=np.concatenate([*first, WIDTH * np.arange(counts[-1])]),
            corners=mesh.corners[slots],
            slots=slots,
        )


def leaf_order(centers: Vector) -> IndexArray:
    """Return the triangles in the order of leaves, WIDTH entries for each leaf, -1 for an empty one."""
    count, splits = len(centers), 0
    while count > WIDTH << splits:
        splits += 1
    order = np.arange(count)
    for split in range(splits):
        starts = np.arange(1 << split) * count >> split
        sizes = np.diff([*starts, count])
        points = centers[order]
        extents = np.maximum.reduceat(points, starts) - np.minimum.reduceat(points, starts)
        segments = np.repeat(np.arange(1 << split), sizes)
        axes = np.argmax(extents, axis=1)[segments]
        order = order[np.lexsort((np.take_along_axis(points, axes[:, None], axis=1)[:, 0], segments))]
    starts = np.arange(1 << splits) * count >> splits
    sizes = np.diff([*starts, count])
    slots = np.full((1 << splits, WIDTH), -1)
    is_used = np.arange(WIDTH) < sizes[:, None]
    slots[is_used] = order
    return slots.ravel()


def _pad(bounds: Vector, value: float) -> Vector:
    rest = -len(bounds) % WIDTH
    return np.concatenate([bounds, np.full((rest, 3), value)]) if rest else bounds


def _make_boxes(low: Vector, high: Vector, margin: float) -> Float32Array:
    """Return centres and half sizes of boxes, shape (n, 2, 3, WIDTH)."""
    exists = low <= high
    with np.errstate(invalid="ignore"):
        middle = np.where(exists, 0.5 * (low + high), 0.0)
        half = np.where(exists, 0.5 * (high - low) + margin, -np.inf)
    return np.ascontiguousarray(np.stack([middle, half], axis=1).swapaxes(2, 3), dtype=np.float32)


def _take_columns(table: AnyArray, rows: IndexArray) -> AnyArray:
    """Return chosen rows of a table as columns: numpy's inner loops then run over all pairs of a ray and a node."""
    chosen = table.reshape(len(table), -1).take(rows, axis=0, mode="clip")  # checking the indices would cost a copy
    return np.ascontiguousarray(chosen.T).reshape(*table.shape[1:], -1)


def true_entries(table: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Return rows and columns of the true entries of a table: of a flat array numpy finds them five times faster."""
    entries, width = np.flatnonzero(table), table.shape[1]
    rows = entries // width
    return rows, entries - width * rows


def _ray_frames(directions: Vector) -> Vector:
    """Return an orthonormal frame for each direction, which is its third vector, shape (n, 3, 3)."""
    frames = np.empty((len(directions), 3, 3))
    x, y, z = directions.T
    # An orthonormal basis without branches (T. Duff et al., Building an Orthonormal Basis, Revisited, 2017).
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    frames[:, 0] = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    frames[:, 1] = np.stack([b, sign + y * y * a, -y], axis=1)
    frames[:, 2] = directions
    return frames


def _triangle_distances(origins: Vector, frames: Vector, corners: Vector) -> Vector:
    """Return the distance along each ray to its triangle; infinite if it misses it.

    Args:
        origins: The origins of the rays, shape (3, n) [m].
        frames: The orthonormal frame of each ray, with its direction as third vector, shape (3, 3, n).
        corners: The triangles, shape (3, 3, n) [m].
    """
    x, y, z = (_coordinates_along(corners, origins, frame) for frame in frames)
    edges = x[_NEXT] * y[_AFTER] - y[_NEXT] * x[_AFTER]
    area = edges[0] + edges[1] + edges[2]
    is_inside = ((edges >= 0.0).all(axis=0) | (edges <= 0.0).all(axis=0)) & (area != 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        distances = (edges[0] * z[0] + edges[1] * z[1] + edges[2] * z[2]) / area
    result = np.where(is_inside, distances, np.inf)
    sizes = np.abs(x) + np.abs(y)
    # A ray in the plane of its triangle, within rounding, hits its edges.
    is_edge_on = np.abs(edges).max(axis=0) <= _ROUNDING * (sizes + np.abs(z)).max(axis=0) * sizes.max(axis=0)
    if is_edge_on.any():
        result[is_edge_on] = _edge_distances(x[:, is_edge_on], y[:, is_edge_on], z[:, is_edge_on])
    return result


_NEXT, _AFTER = [1, 2, 0], [2, 0, 1]
_ROUNDING = 16.0 * float(np.finfo(np.float64).eps)


def _edge_distances(x: Vector, y: Vector, z: Vector) -> Vector:
    """Return the distance at which rays in the planes of their triangles hit an edge; infinite if they miss.

    Args:
        x: Coordinates of the corners across the rays, shape (3, n) [m].
        y: Coordinates perpendicular to these and the rays [m].
        z: Their distances along the rays [m].
    """
    across = np.where(np.ptp(x, axis=0) >= np.ptp(y, axis=0), x, y)
    other, other_z = across[_NEXT], z[_NEXT]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        crossings = z + (other_z - z) * (across / (across - other))
    is_crossed = (across != other) & (np.minimum(across, other) <= 0.0) & (np.maximum(across, other) >= 0.0)
    return np.asarray(np.where(is_crossed, crossings, np.inf).min(axis=0))


def _coordinates_along(corners: Vector, origins: Vector, axis: Vector) -> Vector:
    """Return coordinates of corners along an axis relative to each ray's origin, shape (3, n).

    Products are summed in a fixed order, so that a shared corner has the same coordinates in both triangles.
    """
    result: Vector = (corners[:, 0] - origins[0]) * axis[0]
    result += (corners[:, 1] - origins[1]) * axis[1]
    result += (corners[:, 2] - origins[2]) * axis[2]
    return result
