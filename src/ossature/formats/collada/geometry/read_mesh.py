"""Reads meshes of COLLADA as triangles when they are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ossature.array_types import Points
from ossature.assets import AssetError
from ossature.assets.mesh_formats.collada_primitives import accessor_points, primitive_triangles
from ossature.assets.mesh_formats.mesh_assembly import without_unused_points
from ossature.diagnostics import Budget, LimitError
from ossature.formats.collada.convert_transforms import BEYOND_MEASURE
from ossature.formats.collada.geometry import schema
from ossature.model import LazyMesh, MeshData
from ossature.model.convex_hull import FlatPointsError, convex_mesh
from ossature.syntax.number_arrays import floats


class MeshPoints:
    """The points of a mesh [m], parsed once for all groups of its faces.

    Args:
        meter: Length of the document's unit [m].
        budget: Limits the size of arrays.
    """

    def __init__(self, mesh: schema.MeshElement, meter: float, budget: Budget) -> None:
        self._mesh = mesh
        self.budget = budget
        self._meter = meter
        self._sources: dict[str | None, schema.SourceElement] | None = None
        self._points: dict[int, Points] = {}

    def of(self, inputs: tuple[schema.InputElement, ...]) -> tuple[Points, int]:
        """Return the points of the inputs of a group of faces, and the offset of their index in those of a corner.

        Raises:
            ValueError: There are no points, or they cannot be parsed.
        """
        for input_ in inputs:
            if input_.semantic in ("VERTEX", "POSITION"):
                return self._points_of(self._find_source(input_)), input_.offset or 0
        raise ValueError("its faces have no VERTEX input")

    def _points_of(self, source: schema.SourceElement) -> Points:
        known = self._points.get(id(source))
        if known is None:
            points = _parse_points(source, self.budget)
            known = self._points[id(source)] = points if self._meter == 1.0 else points * self._meter
        return known

    def _find_source(self, input_: schema.InputElement) -> schema.SourceElement:
        if input_.semantic == "VERTEX":
            vertices = self._mesh.vertices
            specified = next((inner for inner in vertices.input if inner.semantic == "POSITION"), None) if vertices else None
            if specified is None:
                raise ValueError("its <vertices> have no POSITION")
            input_ = specified
        if self._sources is None:
            self._sources = {source.id: source for source in reversed(self._mesh.source)}
        wanted = (input_.source or "").strip().removeprefix("#")
        if wanted not in self._sources:
            raise ValueError(f"it has no <source> '{wanted}'")
        return self._sources[wanted]


def surface_of(points: MeshPoints, primitive: schema.Primitive, name: str) -> LazyMesh:
    """Return the mesh of one group of faces, which is parsed when it is used."""
    return LazyMesh(lambda: _fetch_valid_mesh(name, lambda: _parse_triangles(points, primitive)))


def hull_of(mesh: schema.MeshElement, meter: float, budget: Budget, name: str) -> LazyMesh:
    """Return the convex hull of the points of a mesh without faces.

    Args:
        meter: Length of the document's unit [m].
        budget: Limits the size of arrays.
    """
    return LazyMesh(lambda: _fetch_valid_mesh(name, lambda: _convex_hull(mesh, MeshPoints(mesh, meter, budget))))


def transform_mesh(surface: LazyMesh, matrix: Points, name: str) -> LazyMesh:
    """Return a mesh with a 3×3 matrix applied to its points; a reflection reverses the winding of the triangles.

    Args:
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
            triangles = without_unused_points(fetch())
    except LimitError as error:
        raise AssetError(name, f"its triangles cannot be read: {error.message}", (), error.hint, error.rule) from error
    except (ValueError, IndexError, OverflowError, MemoryError) as error:
        raise AssetError(name, f"its triangles cannot be read: {error}") from error
    if len(triangles.faces) == 0:
        raise AssetError(name, "has no triangles")
    if not np.abs(triangles.vertices).max() < BEYOND_MEASURE:
        raise AssetError(name, "has points that overflow")
    return triangles


def _parse_triangles(mesh: MeshPoints, primitive: schema.Primitive) -> MeshData:
    points, offset = mesh.of(primitive.input)
    outlines = list(primitive.p) if isinstance(primitive.p, tuple) else [primitive.p]
    if isinstance(primitive, schema.PolygonsElement):
        outlines += [holed.p for holed in primitive.ph]
    faces = primitive_triangles(
        _TAGS[type(primitive)],
        [outline.data for outline in outlines if outline is not None],
        primitive.vcount.data if isinstance(primitive, schema.PolylistElement) and primitive.vcount is not None else b"",
        offset=offset,
        offsets=[input_.offset or 0 for input_ in primitive.input],
        budget=mesh.budget,
    )
    return MeshData(vertices=points, faces=faces)


def _parse_points(source: schema.SourceElement, budget: Budget) -> Points:
    if source.float_array is None:
        raise ValueError(f"the source '{source.id}' has no <float_array>")
    numbers = floats(source.float_array.data, budget)
    accessor = source.technique_common.accessor if source.technique_common is not None else None
    if accessor is None:
        return numbers.reshape(-1, 3)
    names = [param.name for param in accessor.param]
    # The count is not used: some programs state a wrong one.
    return accessor_points(numbers, names, stride=accessor.stride, count=None, offset=accessor.offset)


def _convex_hull(mesh: schema.MeshElement, of_mesh: MeshPoints) -> MeshData:
    points, _ = of_mesh.of(mesh.vertices.input if mesh.vertices is not None else ())
    try:
        vertices, faces = convex_mesh(points)
    except FlatPointsError as error:
        raise ValueError(f"its points have no convex hull: {error}") from error
    return MeshData(vertices=vertices, faces=faces)


_TAGS: dict[type[schema.Primitive], str] = {
    schema.TrianglesElement: "triangles",
    schema.PolylistElement: "polylist",
    schema.PolygonsElement: "polygons",
    schema.TrifansElement: "trifans",
    schema.TristripsElement: "tristrips",
}
