"""Convex hulls of points by the quickhull algorithm (Barber, Dobkin and Huhdanpaa 1996), and the convexity of meshes.

A face is a triangle. Points within a tolerance of rounding of a face are inside, so that points on the plane of a face are no
vertices unless they are needed.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from ossature.array_types import IndexArray, Int64Array, Points

_TOLERANCE = 1e-13
"""Distance from a face up to which a point is inside, relative to the extent of the points: some units of rounding."""
_FLAT = 1e-9
"""Thickness of flat points, relative to their extent."""

_Edge: TypeAlias = "tuple[int, int]"
_Plane: TypeAlias = "tuple[float, float, float, float]"


class FlatPointsError(ValueError):
    """Points have no convex hull with a volume."""


def convex_hull(points: Points) -> Int64Array:
    """Return the faces of the convex hull of points, as indices of points, counter-clockwise seen from outside.

    Args:
        points: The points, shape (n, 3).

    Raises:
        FlatPointsError: All points are in a plane, or one is not finite.
    """
    import numpy as np

    if len(points) < 4 or not np.isfinite(points).all():
        raise FlatPointsError("the points span no volume")
    extent = float(np.ptp(points, axis=0).max())
    scaled = (points - points.mean(axis=0)) / extent if extent > 0.0 else points
    places = _distinct_rows(scaled)  # files often state a point once for each triangle
    distinct = scaled[places]
    hull = _Hull(distinct, _initial_tetrahedron(distinct))
    while hull.pending:
        hull.add_farthest(hull.pending.pop())
    return places[np.array(list(hull.faces.values()), dtype=np.int64)]


def _distinct_rows(points: Points) -> IndexArray:
    """Return the indices of the first of equal points each, in ascending order."""
    import numpy as np

    order = np.lexsort(points.T)  # stable
    is_new = np.concatenate([[True], (np.diff(points[order], axis=0) != 0.0).any(axis=1)])
    return np.sort(order[is_new])


def convex_mesh(points: Points) -> tuple[Points, Int64Array]:
    """Return the vertices of the convex hull of points, in the order of the points, and its faces.

    Raises:
        FlatPointsError: All points are in a plane, or one is not finite.
    """
    import numpy as np

    vertices, faces = np.unique(convex_hull(points), return_inverse=True)
    return points[vertices], faces.reshape(-1, 3).astype(np.int64)


def _initial_tetrahedron(points: Points) -> list[int]:
    """Return four points that span a large volume, the first three counter-clockwise seen from outside."""
    import numpy as np

    extremes = np.unique([*points.argmin(axis=0), *points.argmax(axis=0)])
    distances = np.linalg.norm(points[extremes, None] - points[None, extremes], axis=2)
    first, second = extremes[list(np.unravel_index(distances.argmax(), distances.shape))]
    direction = points[second] - points[first]
    across = np.linalg.norm(np.cross(points - points[first], direction), axis=1)
    third = int(across.argmax())
    normal = np.cross(direction, points[third] - points[first])
    length = float(np.linalg.norm(normal))
    heights = (points - points[first]) @ (normal / length if length > _FLAT else normal)
    fourth = int(np.abs(heights).argmax())
    if not abs(heights[fourth]) > _FLAT:
        raise FlatPointsError("the points span no volume")
    return [int(first), int(second), third, fourth] if heights[fourth] < 0.0 else [int(second), int(first), third, fourth]


class _Hull:
    """A polyhedron that grows by the points outside of it.

    Attributes:
        faces: The corners of each face, by its number.
        pending: The faces that have points outside of them.

    Planes are kept as four numbers, the normal and its distance from the origin, because single products of small arrays take
    most of the time otherwise.
    """

    def __init__(self, points: Points, tetrahedron: list[int]) -> None:
        import numpy as np

        self._points = points
        self._corners: list[tuple[float, float, float]] = list(map(tuple, points.tolist()))
        self.faces: dict[int, tuple[int, int, int]] = {}
        self.pending: list[int] = []
        self._owners: dict[_Edge, int] = {}
        self._planes: dict[int, _Plane] = {}
        self._outside: dict[int, tuple[IndexArray, Points]] = {}
        self._count = 0
        a, b, c, d = tetrahedron
        rest = np.setdiff1d(np.arange(len(points)), tetrahedron)
        self._add_faces([(a, b, c), (a, d, b), (b, d, c), (c, d, a)], rest)

    def _add_faces(self, faces: list[tuple[int, int, int]], candidates: IndexArray) -> None:
        """Add faces, and assign to each the candidates that are farther outside of it than of the others."""

        numbers = range(self._count, self._count + len(faces))
        self._count += len(faces)
        planes = [self._plane_of(face) for face in faces]
        for number, face, plane in zip(numbers, faces, planes, strict=True):
            self.faces[number], self._planes[number] = face, plane
            first, second, third = _edges_of(face)
            self._owners[first] = self._owners[second] = self._owners[third] = number
        if not len(candidates):
            return
        for place, members in self._assigned(candidates, planes).items():
            self._outside[numbers[place]] = members
            self.pending.append(numbers[place])

    def _assigned(self, candidates: IndexArray, planes: list[_Plane]) -> dict[int, tuple[IndexArray, Points]]:
        """Return candidates and their heights by the plane of which they are farthest outside; others are inside."""
        import numpy as np

        if len(candidates) == 1:  # arithmetic with small arrays would take most of the time
            x, y, z = self._corners[candidates[0]]
            heights = [a * x + b * y + c * z - offset for a, b, c, offset in planes]
            highest = max(heights)
            return {heights.index(highest): (candidates, np.array([highest]))} if highest > _TOLERANCE else {}
        *normals, offsets = np.array(planes).T
        heights = self._points[candidates] @ np.array(normals) - offsets
        nearest = heights.argmax(axis=1)
        height = heights[np.arange(len(candidates)), nearest]
        is_outside = height > _TOLERANCE
        if not is_outside.all():
            candidates, nearest, height = candidates[is_outside], nearest[is_outside], height[is_outside]
        places = sorted(set(nearest.tolist()))
        if len(places) == 1:
            return {places[0]: (candidates, height)}
        chosen = {place: nearest == place for place in places}
        return {place: (candidates[is_chosen], height[is_chosen]) for place, is_chosen in chosen.items()}

    def _plane_of(self, face: tuple[int, int, int]) -> _Plane:
        """Return the outward unit normal of a face, zero for a degenerate one, and its distance from the origin."""
        (x, y, z), b, c = [self._corners[corner] for corner in face]
        ax, ay, az, bx, by, bz = b[0] - x, b[1] - y, b[2] - z, c[0] - x, c[1] - y, c[2] - z
        p, q, r = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        length = math.sqrt(p * p + q * q + r * r) or 1.0
        p, q, r = p / length, q / length, r / length
        return p, q, r, p * x + q * y + r * z

    def add_farthest(self, face: int) -> None:
        """Replace the faces that the farthest point outside of a face sees by those to their horizon."""
        import numpy as np

        if face not in self._outside or face not in self.faces:
            return
        candidates, heights = self._outside[face]
        farthest = int(heights.argmax())
        apex = int(candidates[farthest])
        visible, horizon = self._visible(face, self._points[apex].tolist())
        starts = {start for start, _ in horizon}
        if len(starts) < len(horizon):  # by rounding, a horizon touches itself: the point is inside within the tolerance
            if len(candidates) > 1:
                self._outside[face] = np.delete(candidates, farthest), np.delete(heights, farthest)
                self.pending.append(face)
            else:
                del self._outside[face]
            return
        candidates = np.concatenate([self._outside.pop(number)[0] for number in visible if number in self._outside])
        for number in visible:
            for edge in _edges_of(self.faces.pop(number)):
                if self._owners.get(edge) == number:
                    del self._owners[edge]
        self._add_faces([(start, end, apex) for start, end in horizon], candidates[candidates != apex])

    def _visible(self, face: int, point: list[float]) -> tuple[set[int], list[_Edge]]:
        """Return the connected faces that a point outside of one of them sees, and the edges around these."""
        x, y, z = point
        visible, horizon, stack = {face}, [], [face]
        while stack:
            for start, end in _edges_of(self.faces[stack.pop()]):
                neighbour = self._owners[end, start]
                if neighbour in visible:
                    continue
                a, b, c, offset = self._planes[neighbour]
                # A degenerate face has no normal; it belongs to its neighbours.
                if a * x + b * y + c * z - offset > _TOLERANCE or not (a or b or c):
                    visible.add(neighbour)
                    stack.append(neighbour)
                else:
                    horizon.append((start, end, neighbour))
        return visible, [(start, end) for start, end, neighbour in horizon if neighbour not in visible]


def _edges_of(face: tuple[int, int, int]) -> tuple[_Edge, _Edge, _Edge]:
    a, b, c = face
    return (a, b), (b, c), (c, a)
