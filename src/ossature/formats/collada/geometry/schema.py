"""Schema of COLLADA's geometries: meshes and their arrays of numbers."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_common import (
    COLLADA,
    AssetElement,
    ExtraElement,
    TechniqueElement,
    extras,
    identifier,
    plain_name,
    scoped_identifier,
    techniques,
)
from ossature.syntax.schema import Element, attribute, element, one_of, text
from ossature.syntax.xml_values import INTEGER, STRING

LONG_TEXTS = ("float_array", "int_array", "p", "vcount")
"""Elements with large arrays of numbers, which are parsed when the mesh is used."""


class NumbersElement(Element, source=COLLADA):
    """A large array of numbers, which is parsed when the mesh is used."""

    opaque = True
    numbers: str | None = text(STRING, doc="The numbers.")

    @property
    def data(self) -> bytes:
        """The numbers as text, in the encoding of the file."""
        return self.node.data if self.node is not None else (self.numbers or "").encode()  # type: ignore[attr-defined]


class FloatArrayElement(NumbersElement, source=COLLADA):
    """An array of floats."""

    id: str | None = identifier()
    name: str | None = plain_name()
    count: int | None = attribute(INTEGER, required=True, doc="Number of elements.")
    digits: str | None = attribute(STRING, doc="Number of significant digits; ignored.")
    magnitude: str | None = attribute(STRING, doc="The largest exponent; ignored.")


class AccessorParamElement(Element, source=COLLADA):
    """A component of the points of an array."""

    name: str | None = attribute(STRING, doc="X, Y or Z; a component without a name is skipped.")
    type: str | None = attribute(STRING, doc="Data type.")
    sid: str | None = scoped_identifier()
    semantic: str | None = attribute(STRING, doc="Semantic.")


class AccessorElement(Element, source=COLLADA):
    """The layout of points in an array."""

    param: tuple[AccessorParamElement, ...] = element(
        AccessorParamElement, repeated=True, doc="The components of a point, in order."
    )
    count: int | None = attribute(INTEGER, required=True, doc="Number of points.")
    offset: int = attribute(INTEGER, default=0, doc="Index of the first number of the first point.")
    source: str | None = attribute(STRING, required=True, doc="The array.")
    stride: int = attribute(INTEGER, default=1, doc="Offset between successive points, in numbers.")


class SourceTechniqueElement(Element, source=COLLADA):
    """The layout of a source."""

    accessor: AccessorElement | None = element(AccessorElement, doc="Array layout.")


class SourceElement(Element, source=COLLADA):
    """An array of points, normals or other vertex attributes."""

    unread = frozenset({"bool_array", "IDREF_array", "Name_array", "SIDREF_array", "token_array", "int_array"})
    asset: AssetElement | None = element(AssetElement, doc="Provenance.")
    float_array: FloatArrayElement | None = element(FloatArrayElement, doc="The array.")
    technique_common: SourceTechniqueElement | None = element(SourceTechniqueElement, doc="Array layout.")
    technique: tuple[TechniqueElement, ...] = techniques()
    id: str | None = identifier()
    name: str | None = plain_name()


class InputElement(Element, source=COLLADA):
    """A source that the indices of a primitive refer to."""

    offset: int | None = attribute(INTEGER, doc="Offset of the index within the indices of a corner.")
    semantic: str | None = attribute(STRING, required=True, doc="VERTEX, POSITION, NORMAL …")
    source: str | None = attribute(STRING, required=True, doc="The source.")
    set: int | None = attribute(INTEGER, doc="Number of the set of inputs.")


class VerticesElement(Element, source=COLLADA):
    """The vertices of a mesh."""

    input: tuple[InputElement, ...] = element(InputElement, repeated=True, doc="POSITION and others.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


def _declare_inputs() -> Any:
    return element(InputElement, name="input", repeated=True, source=COLLADA, doc="Sources that the indices refer to.")


def _declare_symbol() -> Any:
    return attribute(STRING, source=COLLADA, doc="Symbol that an instance binds to a material.")


def _declare_count() -> Any:
    return attribute(INTEGER, required=True, source=COLLADA, doc="Number of primitives.")


def _declare_indices(doc: str = "Indices.", *, repeated: bool = False) -> Any:
    return element(NumbersElement, name="p", repeated=repeated, source=COLLADA, doc=doc)


class TrianglesElement(Element):
    """Triangles."""

    input: tuple[InputElement, ...] = _declare_inputs()
    p: NumbersElement | None = _declare_indices("Indices of three corners per triangle.")
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _declare_count()
    material: str | None = _declare_symbol()


class PolylistElement(Element, source=COLLADA):
    """Polygons without holes."""

    input: tuple[InputElement, ...] = _declare_inputs()
    vcount: NumbersElement | None = element(NumbersElement, doc="Number of corners of each polygon.")
    p: NumbersElement | None = _declare_indices("Indices of the corners of all polygons.")
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _declare_count()
    material: str | None = _declare_symbol()


class HoledPolygonElement(Element, source=COLLADA):
    """A polygon with holes."""

    p: NumbersElement | None = _declare_indices("Indices of the outline.")
    h: tuple[NumbersElement, ...] = element(NumbersElement, repeated=True, doc="Outline of a hole; ignored.")


class PolygonsElement(Element, source=COLLADA):
    """Polygons."""

    input: tuple[InputElement, ...] = _declare_inputs()
    p: tuple[NumbersElement, ...] = _declare_indices("Corners of one polygon.", repeated=True)
    ph: tuple[HoledPolygonElement, ...] = element(HoledPolygonElement, repeated=True, doc="With holes.")
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _declare_count()
    material: str | None = _declare_symbol()


class StripsElement(Element):
    """Triangle fans or strips."""

    input: tuple[InputElement, ...] = _declare_inputs()
    p: tuple[NumbersElement, ...] = _declare_indices("Indices of the corners of one fan or strip.", repeated=True)
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _declare_count()
    material: str | None = _declare_symbol()


class TrifansElement(StripsElement):
    """Triangle fans about their first corners."""


class TristripsElement(StripsElement):
    """Triangle strips."""


Primitive = TrianglesElement | PolylistElement | PolygonsElement | TrifansElement | TristripsElement


class MeshElement(Element, source=COLLADA):
    """A mesh of triangles or polygons."""

    unread = frozenset({"lines", "linestrips"})
    source: tuple[SourceElement, ...] = element(SourceElement, repeated=True, doc="Vertex attributes.")
    vertices: VerticesElement | None = element(VerticesElement, doc="Vertices.")
    primitives: tuple[Primitive, ...] = one_of(
        {
            "polygons": PolygonsElement,
            "polylist": PolylistElement,
            "triangles": TrianglesElement,
            "trifans": TrifansElement,
            "tristrips": TristripsElement,
        },
        repeated=True,
        doc="Groups of faces.",
    )
    extra: tuple[ExtraElement, ...] = extras()


class ConvexMeshElement(MeshElement, source=COLLADA):
    """A convex mesh."""

    convex_hull_of: str | None = attribute(STRING, doc="The geometry of which it is the convex hull.")


class GeometryElement(Element, source=COLLADA):
    """A geometry: a mesh."""

    unread = frozenset({"spline", "brep"})
    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    shape: MeshElement | ConvexMeshElement | None = one_of(
        {"convex_mesh": ConvexMeshElement, "mesh": MeshElement}, doc="The mesh."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
