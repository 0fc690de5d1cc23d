"""Intersection of triangle meshes: bounding volume hierarchies, triangles, and containment of one mesh in another.

Two hierarchies are descended at once. Boxes of the two are compared along the 15 axes of the separating axis theorem, which are
the same for all pairs of boxes (S. Gottschalk, M. Lin, D. Manocha, "OBBTree: a hierarchical structure for rapid interference
detection", SIGGRAPH 1996).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ossature.array_types import BoolArray, IndexArray, IntegerArray, Vector
from ossature.assets import MeshStore
from ossature.model import Capsule, Cylinder, Ellipsoid, Geometry, Mesh, MultiSphere, Sphere, TriangleMesh
from ossature.model.convex_hull import convex_mesh
from ossature.model.mesh_convexity import connected_components
from ossature.model.tessellation import tessellate
from ossature.simulation.sensors.triangle_bvh import WIDTH, leaf_order
from ossature.simulation.triangle_intersection import triangles_intersect

_ROUNDING = 1e-13
"""Gap that counts as contact, relative to the largest coordinate."""
_FLATTEST = 1e-12
"""Area of a triangle relative to its longest edge squared below which it is a part of the edges of its neighbours."""
_SIDES = 64
"""Sides of a circle."""
_LEVELS_AT_ONCE = 2
_PAIRS_AT_ONCE = 1 << 9
_TO_GENERIC_FRAME = np.linalg.qr(np.array([[0.53, 0.61, -0.29], [0.17, -0.83, 0.41], [0.71, 0.13, 0.97]]))[0]
"""A rotation whose third row is parallel to no edge or face of usual meshes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Boxes:
    """Boxes along the axes of their mesh.

    Attributes:
        centers: Their centres, shape (3, n) [m].
        halves: Half of their edge lengths, shape (3, n) [m].
        children: Number of boxes of the next level in each: those of box ``i`` begin at ``i * children``. Zero in the last.
    """

    centers: Vector
    halves: Vector
    children: int


class CollisionMesh:
    """A triangle mesh, prepared for intersection with others.

    Args:
        vertices: Its vertices, shape (n, 3) [m].
        faces: Indices into them, shape (m, 3).
    """

    def __init__(self, vertices: Vector, faces: IntegerArray) -> None:
        self._corners = vertices[faces]
        self.extent = float(np.abs(self._corners).max(initial=0.0))
        self.leaves = self._corners[_has_area(self._corners)]
        self.levels: list[_Boxes] = []
        if len(self.leaves):
            self._build_hierarchy()

    def _build_hierarchy(self) -> None:
        low, high = self.leaves.min(axis=1), self.leaves.max(axis=1)
        slots = leaf_order(0.5 * (low + high)).reshape(-1, WIDTH)
        order = np.where(slots < 0, slots[:, :1], slots).ravel()  # the first triangle of a leaf fills its gaps
        self.leaves, low, high = self.leaves[order], low[order], high[order]
        children = 0
        while True:
            self.levels.insert(0, _Boxes(centers=0.5 * (low + high).T, halves=0.5 * (high - low).T, children=children))
            if len(low) == 1:
                break
            children = WIDTH if children == 0 else min(1 << _LEVELS_AT_ONCE, len(low))
            low, high = low.reshape(-1, children, 3).min(axis=1), high.reshape(-1, children, 3).max(axis=1)

    def intersects(self, other: CollisionMesh, rotation: Vector, position: Vector) -> bool:
        """Whether another mesh intersects this one: their surfaces touch, or one contains a closed part of the other.

        Surfaces that touch within rounding intersect. Only closed surfaces contain anything.

        Args:
            rotation: Rotation matrix of its frame in that of this mesh.
            position: Origin of its frame in that of this mesh [m].
        """
        if not (self.levels and other.levels):
            return False
        if self._surfaces_intersect(other, rotation, position):
            return True
        return self._contains_part(other.part_points @ rotation.T + position) or other._contains_part(
            (self.part_points - position) @ rotation
        )

    def _surfaces_intersect(self, other: CollisionMesh, rotation: Vector, position: Vector) -> bool:
        tolerance = _ROUNDING * (self.extent + other.extent + float(np.abs(position).max()))
        overlap = _BoxOverlap(rotation, position, tolerance)
        first, second = (np.zeros(1, dtype=np.intp) for _ in range(2))
        stack = [(0, 0, first, second)]
        while stack:
            level, other_level, first, second = stack.pop()
            boxes, other_boxes = self.levels[level], other.levels[other_level]
            depths = overlap.depths(boxes, first, other_boxes, second)
            order = np.argsort(depths)[np.count_nonzero(depths < 0.0) :]  # the deepest are descended first
            if not len(order):
                continue
            first, second = first[order], second[order]
            if not boxes.children and not other_boxes.children:
                moved = other.leaves[second] @ rotation.T + position
                if triangles_intersect(self.leaves[first], moved, tolerance).any():
                    return True
                continue
            first, second = _children_of(first, boxes.children, second, other_boxes.children)
            following = level + bool(boxes.children), other_level + bool(other_boxes.children)
            stack += [
                (*following, first[start : start + _PAIRS_AT_ONCE], second[start : start + _PAIRS_AT_ONCE])
                for start in range(0, len(first), _PAIRS_AT_ONCE)
            ]
        return False

    @cached_property
    def _parts(self) -> _Parts:
        return _Parts.of(self._corners)

    @property
    def part_points(self) -> Vector:
        """A point of each connected part of the surface, shape (n, 3) [m]."""
        return self._parts.points

    def _contains_part(self, points: Vector) -> bool:
        """Whether a closed part of the surface contains one of the points, none of which is on it."""
        root = self.levels[0]
        is_near = (np.abs(points - root.centers[:, 0]) <= root.halves[:, 0]).all(axis=1)
        return any(self._parts.contain(point) for point in points[is_near])


def surface_of(geometry: Geometry, meshes: MeshStore) -> CollisionMesh:
    """Return the surface of a shape that is not a plane; curved ones are enclosed by polyhedra.

    Raises:
        AssetError: A mesh cannot be loaded.
    """
    if isinstance(geometry, Mesh | TriangleMesh):
        triangles = meshes.triangles(geometry)
        is_hull = geometry.convex
    else:
        triangles = tessellate(_enlarge(geometry), _SIDES)
        is_hull = isinstance(geometry, MultiSphere)
    if not is_hull:
        return CollisionMesh(triangles.vertices, triangles.faces)
    return CollisionMesh(*convex_mesh(triangles.vertices))


def _enlarge(geometry: Geometry) -> Geometry:
    """Return a primitive whose polyhedron with vertices on its surface encloses the given one."""
    ring = 1.0 / math.cos(math.pi / _SIDES)
    match geometry:
        case Sphere() | Capsule():
            return replace(geometry, radius=geometry.radius * ring**2)
        case Cylinder():
            return replace(geometry, radius=geometry.radius * ring)
        case Ellipsoid(diameters=(x, y, z)):
            return Ellipsoid(diameters=(x * ring**2, y * ring**2, z * ring**2))
        case MultiSphere(balls=balls):
            return MultiSphere(balls=tuple([replace(ball, radius=ball.radius * ring**2) for ball in balls]))
    return geometry


class _BoxOverlap:
    """The test whether boxes of two meshes overlap.

    Args:
        rotation: Rotation matrix of the second frame in the first.
        position: Its origin in the first [m].
        tolerance: Largest gap that counts as contact [m].
    """

    def __init__(self, rotation: Vector, position: Vector, tolerance: float) -> None:
        products = np.cross(np.eye(3)[:, None], rotation.T[None]).reshape(9, 3)
        self._axes = np.concatenate([np.eye(3), rotation.T, products])
        self._other_axes = self._axes @ rotation
        self._extents, self._other_extents = np.abs(self._axes), np.abs(self._other_axes)
        self._offsets = (self._axes @ position)[:, None]
        self._tolerance = tolerance

    def depths(self, boxes: _Boxes, numbers: IndexArray, other_boxes: _Boxes, other_numbers: IndexArray) -> Vector:
        """Return by how much pairs of boxes overlap, shape (n,) [m]; negative if they do not.

        Args:
            boxes: Boxes of the first mesh.
            numbers: The number of the first box of each pair among them, shape (n,).
            other_boxes: Boxes of the second mesh.
            other_numbers: The numbers of the second boxes, shape (n,).
        """
        distances = self._other_axes @ other_boxes.centers.take(other_numbers, axis=1)
        distances += self._offsets
        distances -= self._axes @ boxes.centers.take(numbers, axis=1)
        reach = self._extents @ boxes.halves.take(numbers, axis=1)
        reach += self._other_extents @ other_boxes.halves.take(other_numbers, axis=1)
        reach += self._tolerance
        reach -= np.abs(distances)
        return np.asarray(reach.min(axis=0))


def _children_of(first: IndexArray, children: int, second: IndexArray, other_children: int) -> tuple[IndexArray, IndexArray]:
    """Return all pairs of a child of the first and of the second box of each pair; boxes without children remain."""
    own = first[:, None] * max(children, 1) + np.arange(max(children, 1))
    other = second[:, None] * max(other_children, 1) + np.arange(max(other_children, 1))
    shape = (len(first), own.shape[1], other.shape[1])
    return np.broadcast_to(own[:, :, None], shape).ravel(), np.broadcast_to(other[:, None], shape).ravel()


def _has_area(corners: Vector) -> BoolArray:
    edges = corners[:, [1, 2, 0]] - corners
    longest = np.abs(edges).max(axis=(1, 2), initial=0.0)
    scaled = edges / np.where(longest > 0.0, longest, 1.0)[:, None, None]  # products of small lengths would vanish
    return np.asarray(np.linalg.norm(np.cross(scaled[:, 0], scaled[:, 1]), axis=1) > _FLATTEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """The connected parts of a surface, and the triangles of those that are closed.

    A part is closed if each edge belongs to an even number of triangles. It is oriented if these have opposite directions
    along the edge.

    Attributes:
        points: A point of each part, shape (n, 3) [m].
        corners: Corners of the triangles of the closed parts in a frame in which rays along z meet no edge of usual meshes,
            shape (3, 3, m): coordinate, corner, triangle [m].
        parts: The part of each of these triangles, shape (m,).
        is_oriented: Whether that part is oriented, shape (m,).
    """

    points: Vector
    corners: Vector
    parts: IndexArray
    is_oriented: BoolArray

    @classmethod
    def of(cls, corners: Vector) -> _Parts:
        """Return the parts of a surface; corners with the same coordinates are connected."""
        faces = _merge_corners(corners.reshape(-1, 3)).reshape(-1, 3)
        is_triangle = (faces != faces[:, [1, 2, 0]]).all(axis=1)  # the two edges of the others cancel
        faces, corners = faces[is_triangle], corners[is_triangle]
        start, end = faces.ravel(), faces[:, [1, 2, 0]].ravel()
        part_of_vertex = connected_components(start, end, int(faces.max()) + 1)
        _, firsts, parts = np.unique(part_of_vertex[faces[:, 0]], return_index=True, return_inverse=True)
        is_closed, is_oriented = _closed_parts(start, end, np.repeat(parts, 3), len(firsts))
        chosen = is_closed[parts]
        return cls(
            points=corners[firsts, 0],
            corners=_in_generic_frame(corners[chosen].transpose(2, 1, 0)),
            parts=parts[chosen],
            is_oriented=is_oriented[parts[chosen]],
        )

    def contain(self, point: Vector) -> bool:
        """Whether a point is inside: its winding number in the oriented parts is not zero, or another part is around it."""
        crossed, directions = self._crossed_triangles(_in_generic_frame(point))
        if directions[self.is_oriented[crossed]].sum() != 0:
            return True
        others = self.parts[crossed[~self.is_oriented[crossed]]]
        return bool((np.bincount(others) % 2 == 1).any())

    def _crossed_triangles(self, point: Vector) -> tuple[IndexArray, IndexArray]:
        """Return the triangles that a ray along z crosses, and in which direction: 1 or -1."""
        x, y, z = self.corners - point[:, None, None]
        candidates = np.flatnonzero(
            (x.min(axis=0) <= 0.0) & (x.max(axis=0) >= 0.0) & (y.min(axis=0) <= 0.0) & (y.max(axis=0) >= 0.0)
        )
        x, y, z = x[:, candidates], y[:, candidates], z[:, candidates]
        following, after = [1, 2, 0], [2, 0, 1]
        edges = x[following] * y[after] - y[following] * x[after]
        # Of the two triangles at an edge that the ray meets, one counts.
        dx, dy = x[after] - x[following], y[after] - y[following]
        is_left = (edges > 0.0) | ((edges == 0.0) & ((dy > 0.0) | ((dy == 0.0) & (dx > 0.0))))
        area = edges.sum(axis=0)
        is_crossed = is_left.all(axis=0) | ~is_left.any(axis=0)
        is_above = (edges * z).sum(axis=0) * np.sign(area) > 0.0
        chosen = is_crossed & is_above
        return candidates[chosen], np.sign(area[chosen]).astype(np.intp)


def _in_generic_frame(points: Vector) -> Vector:
    """Return points, of which the first index is the coordinate, in a generic frame; equal points remain equal."""
    x, y, z = points
    return np.stack([row[0] * x + row[1] * y + row[2] * z for row in _TO_GENERIC_FRAME])


def _merge_corners(points: Vector) -> IndexArray:
    """Return a number for each point, the same for points with the same coordinates."""
    order = np.lexsort(points.T)
    is_new = (np.diff(points[order], axis=0) != 0.0).any(axis=1)
    numbers = np.empty(len(points), dtype=np.intp)
    numbers[order] = np.concatenate([[0], np.cumsum(is_new)])
    return numbers


def _closed_parts(start: IndexArray, end: IndexArray, parts: IndexArray, count: int) -> tuple[BoolArray, BoolArray]:
    """Return which parts are closed, and which of them are oriented, from the directed edges of their triangles."""
    low, high = np.minimum(start, end), np.maximum(start, end)
    _, firsts, edges = np.unique(low * (int(high.max()) + 1) + high, return_index=True, return_inverse=True)
    is_open = np.bincount(edges) % 2 == 1
    is_unbalanced = np.bincount(edges, weights=np.where(start < end, 1.0, -1.0)) != 0.0
    owners = parts[firsts]
    is_closed = np.bincount(owners, weights=is_open, minlength=count) == 0
    return is_closed, is_closed & (np.bincount(owners, weights=is_unbalanced, minlength=count) == 0)
