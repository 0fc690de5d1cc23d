"""Reads meshes of COLLADA as triangles when they are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ossature.assets import AssetError
from ossature.assets.mesh_formats.mesh_assembly import triangulate_fans, triangulate_strip
from ossature.diagnostics import Budget, LimitError
from ossature.formats.collada.schema_visual import (
    HoledPolygonElement,
    InputElement,
    MeshElement,
    NumbersElement,
    PolygonsElement,
    PolylistElement,
    Primitive,
    SourceElement,
    TrianglesElement,
    TrifansElement,
    TristripsElement,
)
from ossature.formats.collada.transforms import BEYOND_MEASURE
from ossature.model import LazyMesh, MeshData
from ossature.syntax.number_arrays import floats, integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]
    Indices = NDArray[np.int64]


class MeshPoints:
    """The points of a mesh [m], parsed once for all groups of its faces.

    Args:
        mesh: The mesh.
        meter: Length of its unit [m].
        budget: Limits the size of arrays.
    """

    def __init__(self, mesh: MeshElement, meter: float, budget: Budget) -> None:
        self._mesh = mesh
        self.budget = budget
        self._meter = meter
        self._sources: dict[str | None, SourceElement] | None = None
        self._points: dict[int, Points] = {}

    def of(self, inputs: tuple[InputElement, ...]) -> tuple[Points, int]:
        """Return the points of the inputs of a group of faces, and the offset of their index in those of a corner.

        Raises:
            ValueError: There are no points, or they cannot be parsed.
        """
        for input_ in inputs:
            if input_.semantic in ("VERTEX", "POSITION"):
                return self._points_of(self._find_source(input_)), input_.offset or 0
        raise ValueError("its faces have no VERTEX input")

    def _points_of(self, source: SourceElement) -> Points:
        known = self._points.get(id(source))
        if known is None:
            points = _parse_points(source, self.budget)
            known = self._points[id(source)] = points if self._meter == 1.0 else points * self._meter
        return known

    def _find_source(self, input_: InputElement) -> SourceElement:
        if input_.semantic == "VERTEX":
            vertices = self._mesh.vertices
            stated = next((inner for inner in vertices.input if inner.semantic == "POSITION"), None) if vertices else None
            if stated is None:
                raise ValueError("its <vertices> have no POSITION")
            input_ = stated
        if self._sources is None:
            self._sources = {source.id: source for source in reversed(self._mesh.source)}
        wanted = (input_.source or "").strip().removeprefix("#")
        if wanted not in self._sources:
            raise ValueError(f"it has no <source> '{wanted}'")
        return self._sources[wanted]


def surface_of(points: MeshPoints, primitive: Primitive, name: str) -> LazyMesh:
    """Return the mesh of one group of faces, which is parsed when it is used.

    Args:
        points: The points of the mesh.
        primitive: The group.
        name: Name for messages.
    """
    return LazyMesh(lambda: _fetch_valid_mesh(name, lambda: _parse_triangles(points, primitive)))


def hull_of(mesh: MeshElement, meter: float, budget: Budget, name: str) -> LazyMesh:
    """Return the convex hull of the points of a mesh without faces.

    Args:
        mesh: The mesh.
        meter: Length of its unit [m].
        budget: Limits the size of arrays.
        name: Name for messages.
    """
    return LazyMesh(lambda: _fetch_valid_mesh(name, lambda: _convex_hull(mesh, MeshPoints(mesh, meter, budget))))


def transform_mesh(surface: LazyMesh, matrix: Points, name: str) -> LazyMesh:
    """Return a mesh with a 3×3 matrix applied to its points; a reflection reverses the winding of the triangles.

    Args:
        surface: The mesh.
        matrix: The matrix.
        name: Name of the result for messages.
    """

    def fetch() -> MeshData:
        plain = surface.triangles
        faces = plain.faces[:, ::-1] if np.linalg.det(matrix) < 0.0 else plain.faces
        return MeshData(vertices=plain.vertices @ matrix.T, faces=np.ascontiguousarray(faces))

    return LazyMesh(lambda: _fetch_valid_mesh(name, fetch))


def merge_meshes(surfaces: Sequence[LazyMesh]) -> LazyMesh:
    """Return the triangles of several meshes as one mesh."""

    def fetch() -> MeshData:
        parts = [surface.triangles for surface in surfaces]
        starts = np.cumsum([0, *(len(part.vertices) for part in parts[:-1])])
        return MeshData(
            vertices=np.concatenate([part.vertices for part in parts]),
            faces=np.concatenate([part.faces + start for part, start in zip(parts, starts, strict=True)]),
        )

    return surfaces[0] if len(surfaces) == 1 else LazyMesh(fetch)


def _fetch_valid_mesh(name: str, fetch: Callable[[], MeshData]) -> MeshData:
    try:
        with np.errstate(over="ignore"):
            triangles = fetch()
    except LimitError as error:
        raise AssetError(name, f"its triangles cannot be read: {error.message}", hint=error.hint) from error
    except (ValueError, IndexError, OverflowError, MemoryError) as error:
        raise AssetError(name, f"its triangles cannot be read: {error}") from error
    if len(triangles.faces) == 0:
        raise AssetError(name, "has no triangles")
    if triangles.faces.min() < 0 or triangles.faces.max() >= len(triangles.vertices):
        raise AssetError(name, f"has vertex indices outside its {len(triangles.vertices)} points")
    triangles = _without_unused_points(triangles)
    if not np.abs(triangles.vertices).max() < BEYOND_MEASURE:
        raise AssetError(name, "has points that overflow")
    return triangles


def _without_unused_points(triangles: MeshData) -> MeshData:
    # A group with few faces of a mesh with many points: sorting the faces is faster than a pass over all points.
    if triangles.faces.size * _POINTS_PER_FACE_INDEX < len(triangles.vertices):
        used_points, faces = np.unique(triangles.faces, return_inverse=True)
        return MeshData(vertices=triangles.vertices[used_points], faces=faces.reshape(-1, 3))
    used = np.zeros(len(triangles.vertices), bool)
    used[triangles.faces] = True
    if used.all():
        return triangles
    numbers = np.cumsum(used) - 1
    return MeshData(vertices=triangles.vertices[used], faces=numbers[triangles.faces])


_POINTS_PER_FACE_INDEX = 8


def _parse_triangles(mesh: MeshPoints, primitive: Primitive) -> MeshData:
    points, offset = mesh.of(primitive.input)
    width = 1 + max((input.offset or 0 for input in primitive.input), default=0)
    if not 0 <= offset < width:
        raise ValueError(f"its corners have no index at offset {offset}")
    return MeshData(vertices=points, faces=_FACES[type(primitive)](primitive, _Corners(width, offset, mesh.budget)))


def _parse_points(source: SourceElement, budget: Budget) -> Points:
    if source.float_array is None:
        raise ValueError(f"the source '{source.id}' has no <float_array>")
    numbers = floats(source.float_array.data, budget)
    accessor = source.technique_common.accessor if source.technique_common is not None else None
    if accessor is None:
        return numbers.reshape(-1, 3)
    # A component without a name is skipped; without any names they are x, y and z.
    columns = [index for index, param in enumerate(accessor.param) if param.name][:3] or [0, 1, 2]
    if len(columns) != 3:
        raise ValueError(f"the points of the source '{source.id}' have {len(columns)} components, not 3")
    stride, count, offset = accessor.stride, accessor.count or 0, accessor.offset
    # These are Python's integers, of any size; those of numpy would wrap around.
    if stride <= max(columns) or offset < 0 or count < 0 or offset + stride * (count - 1) + columns[-1] >= len(numbers):
        raise ValueError(f"the source '{source.id}' has {len(numbers)} numbers, too few for {count} points")
    if (stride, offset, columns) == (3, 0, [0, 1, 2]):
        return numbers[: 3 * count].reshape(-1, 3)
    starts = offset + stride * np.arange(count)
    points: Points = numbers[starts[:, None] + np.array(columns)]
    return points


class _Corners(NamedTuple):
    """The index layout of a group of faces.

    Attributes:
        width: Number of indices per corner.
        offset: Offset of the index of the position.
        budget: Limits the size of arrays.
    """

    width: int
    offset: int
    budget: Budget

    def of(self, p: NumbersElement | None) -> Indices:
        """Return the position index of each corner."""
        if p is None:
            return np.empty(0, np.int64)
        indices = integers(p.data, self.budget)
        if len(indices) % self.width:
            raise ValueError(f"{len(indices)} indices are not a multiple of {self.width} per corner")
        return indices[self.offset :: self.width]


def _corners_of_triangles(primitive: TrianglesElement, layout: _Corners) -> Indices:
    corners = layout.of(primitive.p)
    if len(corners) % 3:
        raise ValueError(f"{len(corners)} corners are not a multiple of 3")
    return corners.reshape(-1, 3)


def _corners_of_polylist(primitive: PolylistElement, layout: _Corners) -> Indices:
    vcount = primitive.vcount
    return triangulate_fans(layout.of(primitive.p), integers(vcount.data, layout.budget) if vcount is not None else _NO_INDICES)


def _corners_of_polygons(primitive: PolygonsElement, layout: _Corners) -> Indices:
    return _corners_of_groups([layout.of(p) for p in (*primitive.p, *map(_outer_polygon, primitive.ph))])


def _outer_polygon(polygon: HoledPolygonElement) -> NumbersElement | None:
    return polygon.p


def _corners_of_fans(primitive: TrifansElement, layout: _Corners) -> Indices:
    return _corners_of_groups([layout.of(p) for p in primitive.p])


def _corners_of_groups(groups: list[Indices]) -> Indices:
    return triangulate_fans(np.concatenate([_NO_INDICES, *groups]), np.array([len(group) for group in groups], np.int64))


def _corners_of_strips(primitive: TristripsElement, layout: _Corners) -> Indices:
    return np.concatenate([_NO_INDICES.reshape(0, 3), *(triangulate_strip(layout.of(p)) for p in primitive.p)])


_NO_INDICES = np.empty(0, np.int64)


def _convex_hull(mesh: MeshElement, of_mesh: MeshPoints) -> MeshData:
    from trimesh.convex import convex_hull  # 0.5 s of imports, needed only for hulls

    points, _ = of_mesh.of(mesh.vertices.input if mesh.vertices is not None else ())
    try:
        hull = convex_hull(points)
    except Exception as error:  # the library raises several types of errors for degenerate points
        raise ValueError(f"its points have no convex hull: {error}") from error
    return MeshData(vertices=np.asarray(hull.vertices, float), faces=np.asarray(hull.faces, np.int64))


_FACES: dict[type[Any], Callable[[Any, _Corners], Indices]] = {
    TrianglesElement: _corners_of_triangles,
    PolylistElement: _corners_of_polylist,
    PolygonsElement: _corners_of_polygons,
    TrifansElement: _corners_of_fans,
    TristripsElement: _corners_of_strips,
}
