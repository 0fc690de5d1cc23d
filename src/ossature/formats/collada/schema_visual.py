"""Schema of COLLADA's nodes, geometries and materials."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_common import (
    COLLADA,
    AssetElement,
    ExtraElement,
    ParamElement,
    TechniqueElement,
    Transform,
    extras,
    identifier,
    plain_name,
    scoped_identifier,
    techniques,
    transforms,
)
from ossature.syntax.schema import Element, attribute, element, one_of, text
from ossature.syntax.xml_values import INTEGER, NUMBER, STRING, vector, word

LONG_TEXTS = ("float_array", "int_array", "p", "vcount")
"""Elements with large arrays of numbers, which are parsed when the mesh is used."""


class NumbersElement(Element):
    """A large array of numbers, which is parsed when the mesh is used."""

    opaque = True
    numbers: str | None = text(STRING, source=COLLADA, doc="The numbers.")

    @property
    def data(self) -> bytes:
        """The numbers as text, in the encoding of the file."""
        return self.node.data if self.node is not None else (self.numbers or "").encode()  # type: ignore[attr-defined]


class FloatArrayElement(NumbersElement):
    """An array of floats."""

    id: str | None = identifier()
    name: str | None = plain_name()
    count: int | None = attribute(INTEGER, required=True, source=COLLADA, doc="Number of elements.")
    digits: str | None = attribute(STRING, source=COLLADA, doc="Number of significant digits; ignored.")
    magnitude: str | None = attribute(STRING, source=COLLADA, doc="The largest exponent; ignored.")


class AccessorParamElement(Element):
    """A component of the points of an array."""

    name: str | None = attribute(STRING, source=COLLADA, doc="X, Y or Z; a component without a name is skipped.")
    type: str | None = attribute(STRING, source=COLLADA, doc="Data type.")
    sid: str | None = scoped_identifier()
    semantic: str | None = attribute(STRING, source=COLLADA, doc="Semantic.")


class AccessorElement(Element):
    """The layout of points in an array."""

    param: tuple[AccessorParamElement, ...] = element(
        AccessorParamElement, repeated=True, source=COLLADA, doc="The components of a point, in order."
    )
    count: int | None = attribute(INTEGER, required=True, source=COLLADA, doc="Number of points.")
    offset: int = attribute(INTEGER, default=0, source=COLLADA, doc="Index of the first number of the first point.")
    source: str | None = attribute(STRING, required=True, source=COLLADA, doc="The array.")
    stride: int = attribute(INTEGER, default=1, source=COLLADA, doc="Offset between successive points, in numbers.")


class SourceTechniqueElement(Element):
    """The layout of a source."""

    accessor: AccessorElement | None = element(AccessorElement, source=COLLADA, doc="Array layout.")


class SourceElement(Element):
    """An array of points, normals or other vertex attributes."""

    unread = frozenset({"bool_array", "IDREF_array", "Name_array", "SIDREF_array", "token_array", "int_array"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Provenance.")
    float_array: FloatArrayElement | None = element(FloatArrayElement, source=COLLADA, doc="The array.")
    technique_common: SourceTechniqueElement | None = element(SourceTechniqueElement, source=COLLADA, doc="Array layout.")
    technique: tuple[TechniqueElement, ...] = techniques()
    id: str | None = identifier()
    name: str | None = plain_name()


class InputElement(Element):
    """A source that the indices of a primitive refer to."""

    offset: int | None = attribute(INTEGER, source=COLLADA, doc="Offset of the index within the indices of a corner.")
    semantic: str | None = attribute(STRING, required=True, source=COLLADA, doc="VERTEX, POSITION, NORMAL …")
    source: str | None = attribute(STRING, required=True, source=COLLADA, doc="The source.")
    set: int | None = attribute(INTEGER, source=COLLADA, doc="Number of the set of inputs.")


class VerticesElement(Element):
    """The vertices of a mesh."""

    input: tuple[InputElement, ...] = element(InputElement, repeated=True, source=COLLADA, doc="POSITION and others.")
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


class PolylistElement(Element):
    """Polygons without holes."""

    input: tuple[InputElement, ...] = _declare_inputs()
    vcount: NumbersElement | None = element(NumbersElement, source=COLLADA, doc="Number of corners of each polygon.")
    p: NumbersElement | None = _declare_indices("Indices of the corners of all polygons.")
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _declare_count()
    material: str | None = _declare_symbol()


class HoledPolygonElement(Element):
    """A polygon with holes."""

    p: NumbersElement | None = _declare_indices("Indices of the outline.")
    h: tuple[NumbersElement, ...] = element(NumbersElement, repeated=True, source=COLLADA, doc="Outline of a hole; ignored.")


class PolygonsElement(Element):
    """Polygons."""

    input: tuple[InputElement, ...] = _declare_inputs()
    p: tuple[NumbersElement, ...] = _declare_indices("Corners of one polygon.", repeated=True)
    ph: tuple[HoledPolygonElement, ...] = element(HoledPolygonElement, repeated=True, source=COLLADA, doc="With holes.")
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


class MeshElement(Element):
    """A mesh of triangles or polygons."""

    unread = frozenset({"lines", "linestrips"})
    source: tuple[SourceElement, ...] = element(SourceElement, repeated=True, source=COLLADA, doc="Vertex attributes.")
    vertices: VerticesElement | None = element(VerticesElement, source=COLLADA, doc="Vertices.")
    primitives: tuple[Primitive, ...] = one_of(
        {
            "polygons": PolygonsElement,
            "polylist": PolylistElement,
            "triangles": TrianglesElement,
            "trifans": TrifansElement,
            "tristrips": TristripsElement,
        },
        repeated=True,
        source=COLLADA,
        doc="Groups of faces.",
    )
    extra: tuple[ExtraElement, ...] = extras()


class ConvexMeshElement(MeshElement):
    """A convex mesh."""

    convex_hull_of: str | None = attribute(STRING, source=COLLADA, doc="The geometry of which it is the convex hull.")


class GeometryElement(Element):
    """A geometry: a mesh."""

    unread = frozenset({"spline", "brep"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Unit of length.")
    shape: MeshElement | ConvexMeshElement | None = one_of(
        {"convex_mesh": ConvexMeshElement, "mesh": MeshElement}, source=COLLADA, doc="The mesh."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class ColorElement(Element):
    """A colour."""

    value: tuple[float, ...] | None = text(vector(4), source=COLLADA, doc="Red, green, blue and opacity.")
    sid: str | None = scoped_identifier()


class ColorSlotElement(Element):
    """A colour of a shader, or a texture, which is ignored."""

    unread = frozenset({"texture"})
    color: ColorElement | None = element(ColorElement, source=COLLADA, doc="The colour.")
    param: ParamElement | None = element(ParamElement, source=COLLADA, doc="A parameter of the effect.")
    opaque_mode: str = attribute(
        word("A_ONE", "RGB_ZERO", "A_ZERO", "RGB_ONE"),
        name="opaque",
        default="A_ONE",
        source=COLLADA,
        doc="For transparent: the component that is the opacity, and whether 1 or 0 means opaque.",
    )


class NumberElement(Element):
    """A number."""

    value: float | None = text(NUMBER, source=COLLADA, doc="The number.")
    sid: str | None = scoped_identifier()


class NumberSlotElement(Element):
    """A number of a shader."""

    number: NumberElement | None = element(NumberElement, name="float", source=COLLADA, doc="The number.")
    param: ParamElement | None = element(ParamElement, source=COLLADA, doc="A parameter of the effect.")


class ShaderElement(Element):
    """A shading model of a surface."""

    emission: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Emitted colour.")
    ambient: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Ambient colour.")
    diffuse: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Diffuse colour.")
    specular: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Specular colour.")
    shininess: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="Specular exponent.")
    reflective: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Colour of reflections.")
    reflectivity: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="Reflectivity.")
    transparent: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Colour of transmitted light.")
    transparency: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="Factor of transparent.")
    index_of_refraction: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="Index of refraction.")


class PhongElement(ShaderElement):
    """The Phong shading model, the only one that OpenRAVE reads."""


class EffectTechniqueElement(Element):
    """A technique of an effect."""

    unread = frozenset({"asset", "annotate", "pass", "image"})
    shader: ShaderElement | None = one_of(
        {"blinn": ShaderElement, "constant": ShaderElement, "lambert": ShaderElement, "phong": PhongElement},
        source=COLLADA,
        doc="Shading model.",
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()


class EffectParamElement(Element):
    """A parameter of an effect."""

    opaque = True
    sid: str | None = scoped_identifier()


class EffectProfileElement(Element):
    """The common profile of an effect."""

    unread = frozenset({"asset", "image"})
    newparam: tuple[EffectParamElement, ...] = element(EffectParamElement, repeated=True, source=COLLADA, doc="Parameters.")
    technique: EffectTechniqueElement | None = element(EffectTechniqueElement, source=COLLADA, doc="Technique.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()


class EffectElement(Element):
    """An effect: the appearance of a surface."""

    unread = frozenset({"asset", "annotate", "profile_BRIDGE", "profile_CG", "profile_GLES", "profile_GLES2", "profile_GLSL"})
    newparam: tuple[EffectParamElement, ...] = element(EffectParamElement, repeated=True, source=COLLADA, doc="Parameters.")
    profile_COMMON: EffectProfileElement | None = element(  # noqa: N815  # the format's own name
        EffectProfileElement, source=COLLADA, doc="The common profile."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceEffectElement(Element):
    """The effect of a material."""

    unread = frozenset({"technique_hint", "setparam"})
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The effect.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class MaterialElement(Element):
    """A material: an instance of an effect."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Provenance.")
    instance_effect: InstanceEffectElement | None = element(InstanceEffectElement, source=COLLADA, doc="The effect.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceMaterialElement(Element):
    """Binds a material to a symbol."""

    unread = frozenset({"bind", "bind_vertex_input"})
    extra: tuple[ExtraElement, ...] = extras()
    symbol: str | None = attribute(STRING, required=True, source=COLLADA, doc="Symbol that primitives refer to.")
    target: str | None = attribute(STRING, required=True, source=COLLADA, doc="The material.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class MaterialsElement(Element):
    """Bindings of materials."""

    instance_material: tuple[InstanceMaterialElement, ...] = element(
        InstanceMaterialElement, repeated=True, source=COLLADA, doc="Binds a material to a symbol."
    )


class BindMaterialElement(Element):
    """Materials of an instance of a geometry."""

    unread = frozenset({"param"})
    technique_common: MaterialsElement | None = element(MaterialsElement, source=COLLADA, doc="The materials.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()


class InstanceGeometryElement(Element):
    """An instance of a geometry at a node."""

    bind_material: BindMaterialElement | None = element(BindMaterialElement, source=COLLADA, doc="Materials.")
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The geometry.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceNodeElement(Element):
    """An instance of a node with its descendants."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The node.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    proxy: str | None = attribute(STRING, source=COLLADA, doc="A simplified instance; ignored.")


class NodeElement(Element):
    """A node of a visual scene."""

    unread = frozenset({"instance_camera", "instance_controller", "instance_light"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Unit of length.")
    transforms: tuple[Transform, ...] = transforms()
    instance_geometry: tuple[InstanceGeometryElement, ...] = element(
        InstanceGeometryElement, repeated=True, source=COLLADA, doc="Geometries."
    )
    instance_node: tuple[InstanceNodeElement, ...] = element(
        InstanceNodeElement, repeated=True, source=COLLADA, doc="Instances of other nodes."
    )
    nodes: tuple[NodeElement, ...] = element(lambda: NodeElement, name="node", repeated=True, source=COLLADA, doc="Children.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
    sid: str | None = scoped_identifier()
    type: str | None = attribute(word("NODE", "JOINT"), source=COLLADA, doc="NODE, or JOINT for a bone of a skinned mesh.")
    layer: str | None = attribute(STRING, source=COLLADA, doc="Layers of the node.")


class VisualSceneElement(Element):
    """A visual scene: trees of nodes."""

    unread = frozenset({"evaluate_scene"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Unit of length.")
    nodes: tuple[NodeElement, ...] = element(NodeElement, name="node", repeated=True, source=COLLADA, doc="Root nodes.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
