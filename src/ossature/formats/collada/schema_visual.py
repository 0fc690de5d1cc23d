"""COLLADA's nodes, geometries and materials as data."""

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
"""Elements that hold many numbers; they are read when somebody asks for the triangles."""


class NumbersElement(Element):
    """Many numbers, left in the file until somebody asks for them."""

    opaque = True
    numbers: str | None = text(STRING, source=COLLADA, doc="The numbers.")

    @property
    def data(self) -> bytes:
        """The numbers as they stand in the file."""
        return self.node.data if self.node is not None else (self.numbers or "").encode()  # type: ignore[attr-defined]


class FloatArrayElement(NumbersElement):
    """Numbers."""

    id: str | None = identifier()
    name: str | None = plain_name()
    count: int | None = attribute(INTEGER, required=True, source=COLLADA, doc="How many there are.")
    digits: str | None = attribute(STRING, source=COLLADA, doc="How many digits count; not needed.")
    magnitude: str | None = attribute(STRING, source=COLLADA, doc="The largest exponent; not needed.")


class AccessorParamElement(Element):
    """One number of each point."""

    name: str | None = attribute(STRING, source=COLLADA, doc="X, Y or Z; a number without a name is skipped.")
    type: str | None = attribute(STRING, source=COLLADA, doc="What kind of number it is.")
    sid: str | None = scoped_identifier()
    semantic: str | None = attribute(STRING, source=COLLADA, doc="What it means.")


class AccessorElement(Element):
    """How the numbers of an array make points."""

    param: tuple[AccessorParamElement, ...] = element(
        AccessorParamElement, repeated=True, source=COLLADA, doc="The numbers of a point, in order."
    )
    count: int | None = attribute(INTEGER, required=True, source=COLLADA, doc="How many points there are.")
    offset: int = attribute(INTEGER, default=0, source=COLLADA, doc="How many numbers come before the first point.")
    source: str | None = attribute(STRING, required=True, source=COLLADA, doc="The array.")
    stride: int = attribute(INTEGER, default=1, source=COLLADA, doc="How many numbers lie between two points' beginnings.")


class SourceTechniqueElement(Element):
    """How a source is read."""

    accessor: AccessorElement | None = element(AccessorElement, source=COLLADA, doc="How its numbers make points.")


class SourceElement(Element):
    """Points, or other things of which a mesh has many."""

    unread = frozenset({"bool_array", "IDREF_array", "Name_array", "SIDREF_array", "token_array", "int_array"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Where it comes from.")
    float_array: FloatArrayElement | None = element(FloatArrayElement, source=COLLADA, doc="Its numbers.")
    technique_common: SourceTechniqueElement | None = element(SourceTechniqueElement, source=COLLADA, doc="How they are read.")
    technique: tuple[TechniqueElement, ...] = techniques()
    id: str | None = identifier()
    name: str | None = plain_name()


class InputElement(Element):
    """What the indices of a primitive point into."""

    offset: int | None = attribute(INTEGER, source=COLLADA, doc="Which of a corner's indices are meant.")
    semantic: str | None = attribute(STRING, required=True, source=COLLADA, doc="VERTEX, POSITION, NORMAL …")
    source: str | None = attribute(STRING, required=True, source=COLLADA, doc="The source.")
    set: int | None = attribute(INTEGER, source=COLLADA, doc="Which inputs belong together.")


class VerticesElement(Element):
    """The corners of a mesh."""

    input: tuple[InputElement, ...] = element(InputElement, repeated=True, source=COLLADA, doc="POSITION, and others.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


def _inputs() -> Any:
    return element(InputElement, name="input", repeated=True, source=COLLADA, doc="What the indices point into.")


def _symbol() -> Any:
    return attribute(STRING, source=COLLADA, doc="The symbol that an instance binds a material to.")


def _count() -> Any:
    return attribute(INTEGER, required=True, source=COLLADA, doc="How many primitives there are.")


def _indices(doc: str = "Indices.", *, repeated: bool = False) -> Any:
    return element(NumbersElement, name="p", repeated=repeated, source=COLLADA, doc=doc)


class TrianglesElement(Element):
    """Triangles."""

    input: tuple[InputElement, ...] = _inputs()
    p: NumbersElement | None = _indices("Three corners for each triangle.")
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _count()
    material: str | None = _symbol()


class PolylistElement(Element):
    """Polygons without holes."""

    input: tuple[InputElement, ...] = _inputs()
    vcount: NumbersElement | None = element(NumbersElement, source=COLLADA, doc="How many corners each polygon has.")
    p: NumbersElement | None = _indices("All corners, one polygon after the other.")
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _count()
    material: str | None = _symbol()


class HoledPolygonElement(Element):
    """A polygon with holes."""

    p: NumbersElement | None = _indices("Its outline.")
    h: tuple[NumbersElement, ...] = element(NumbersElement, repeated=True, source=COLLADA, doc="The outline of a hole.")


class PolygonsElement(Element):
    """Polygons."""

    input: tuple[InputElement, ...] = _inputs()
    p: tuple[NumbersElement, ...] = _indices("The corners of one polygon.", repeated=True)
    ph: tuple[HoledPolygonElement, ...] = element(HoledPolygonElement, repeated=True, source=COLLADA, doc="One with holes.")
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _count()
    material: str | None = _symbol()


class StripsElement(Element):
    """Fans or strips of triangles."""

    input: tuple[InputElement, ...] = _inputs()
    p: tuple[NumbersElement, ...] = _indices("The corners of one fan or strip.", repeated=True)
    extra: tuple[ExtraElement, ...] = extras()
    name: str | None = plain_name()
    count: int | None = _count()
    material: str | None = _symbol()


class TrifansElement(StripsElement):
    """Fans of triangles about their first corners."""


class TristripsElement(StripsElement):
    """Strips of triangles."""


Primitive = TrianglesElement | PolylistElement | PolygonsElement | TrifansElement | TristripsElement


class MeshElement(Element):
    """A surface of triangles or polygons."""

    unread = frozenset({"lines", "linestrips"})
    source: tuple[SourceElement, ...] = element(SourceElement, repeated=True, source=COLLADA, doc="Its numbers.")
    vertices: VerticesElement | None = element(VerticesElement, source=COLLADA, doc="Its corners.")
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
    """A convex surface."""

    convex_hull_of: str | None = attribute(STRING, source=COLLADA, doc="The geometry whose hull it is.")


class GeometryElement(Element):
    """A shape."""

    unread = frozenset({"spline", "brep"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    shape: MeshElement | ConvexMeshElement | None = one_of(
        {"convex_mesh": ConvexMeshElement, "mesh": MeshElement}, source=COLLADA, doc="Its surface."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class ColorElement(Element):
    """A colour."""

    value: tuple[float, ...] | None = text(vector(4), source=COLLADA, doc="Red, green, blue, and opacity.")
    sid: str | None = scoped_identifier()


class ColorSlotElement(Element):
    """A place for a colour, or for a picture."""

    unread = frozenset({"texture"})
    color: ColorElement | None = element(ColorElement, source=COLLADA, doc="The colour.")
    param: ParamElement | None = element(ParamElement, source=COLLADA, doc="A parameter of the effect.")
    opaque_mode: str = attribute(
        word("A_ONE", "RGB_ZERO", "A_ZERO", "RGB_ONE"),
        name="opaque",
        default="A_ONE",
        source=COLLADA,
        doc="Of transparent: which of its numbers is the opacity, and whether one or zero means opaque.",
    )


class NumberElement(Element):
    """A number."""

    value: float | None = text(NUMBER, source=COLLADA, doc="The number.")
    sid: str | None = scoped_identifier()


class NumberSlotElement(Element):
    """A place for a number."""

    number: NumberElement | None = element(NumberElement, name="float", source=COLLADA, doc="The number.")
    param: ParamElement | None = element(ParamElement, source=COLLADA, doc="A parameter of the effect.")


class ShaderElement(Element):
    """How a surface shines."""

    emission: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Light of its own.")
    ambient: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Colour in ambient light.")
    diffuse: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Colour.")
    specular: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Colour of highlights.")
    shininess: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="How sharp highlights are.")
    reflective: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Colour of mirrored light.")
    reflectivity: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="How much it mirrors.")
    transparent: ColorSlotElement | None = element(ColorSlotElement, source=COLLADA, doc="Colour of light that comes through.")
    transparency: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="Factor on transparent.")
    index_of_refraction: NumberSlotElement | None = element(NumberSlotElement, source=COLLADA, doc="How it bends light.")


class PhongElement(ShaderElement):
    """How a surface shines, by Phong's model: the only one that OpenRAVE reads."""


class EffectTechniqueElement(Element):
    """One way to draw an effect."""

    unread = frozenset({"asset", "annotate", "pass", "image"})
    shader: ShaderElement | None = one_of(
        {"blinn": ShaderElement, "constant": ShaderElement, "lambert": ShaderElement, "phong": PhongElement},
        source=COLLADA,
        doc="How its surface shines.",
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()


class EffectParamElement(Element):
    """A parameter of an effect."""

    opaque = True
    sid: str | None = scoped_identifier()


class EffectProfileElement(Element):
    """How an effect is drawn by every program."""

    unread = frozenset({"asset", "image"})
    newparam: tuple[EffectParamElement, ...] = element(EffectParamElement, repeated=True, source=COLLADA, doc="Parameters.")
    technique: EffectTechniqueElement | None = element(EffectTechniqueElement, source=COLLADA, doc="The way to draw it.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()


class EffectElement(Element):
    """How something is drawn."""

    unread = frozenset({"asset", "annotate", "profile_BRIDGE", "profile_CG", "profile_GLES", "profile_GLES2", "profile_GLSL"})
    newparam: tuple[EffectParamElement, ...] = element(EffectParamElement, repeated=True, source=COLLADA, doc="Parameters.")
    profile_COMMON: EffectProfileElement | None = element(  # noqa: N815  # the format's own name
        EffectProfileElement, source=COLLADA, doc="How every program draws it."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceEffectElement(Element):
    """The effect that a material is."""

    unread = frozenset({"technique_hint", "setparam"})
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The effect.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class MaterialElement(Element):
    """A material: what something looks like."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Where it comes from.")
    instance_effect: InstanceEffectElement | None = element(InstanceEffectElement, source=COLLADA, doc="How it is drawn.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceMaterialElement(Element):
    """A material for a symbol."""

    unread = frozenset({"bind", "bind_vertex_input"})
    extra: tuple[ExtraElement, ...] = extras()
    symbol: str | None = attribute(STRING, required=True, source=COLLADA, doc="The symbol that primitives name.")
    target: str | None = attribute(STRING, required=True, source=COLLADA, doc="The material.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class MaterialsElement(Element):
    """Which materials are bound."""

    instance_material: tuple[InstanceMaterialElement, ...] = element(
        InstanceMaterialElement, repeated=True, source=COLLADA, doc="A material for a symbol."
    )


class BindMaterialElement(Element):
    """Which materials a geometry has where it is instantiated."""

    unread = frozenset({"param"})
    technique_common: MaterialsElement | None = element(MaterialsElement, source=COLLADA, doc="The materials.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()


class InstanceGeometryElement(Element):
    """A geometry at a node."""

    bind_material: BindMaterialElement | None = element(BindMaterialElement, source=COLLADA, doc="Its materials.")
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The geometry.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceNodeElement(Element):
    """A copy of a node with all that hangs on it."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, source=COLLADA, doc="The node.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    proxy: str | None = attribute(STRING, source=COLLADA, doc="A coarser copy; not used.")


class NodeElement(Element):
    """A place in the visual tree."""

    unread = frozenset({"instance_camera", "instance_controller", "instance_light"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    transforms: tuple[Transform, ...] = transforms()
    instance_geometry: tuple[InstanceGeometryElement, ...] = element(
        InstanceGeometryElement, repeated=True, source=COLLADA, doc="What is seen here."
    )
    instance_node: tuple[InstanceNodeElement, ...] = element(
        InstanceNodeElement, repeated=True, source=COLLADA, doc="Copies of other nodes."
    )
    nodes: tuple[NodeElement, ...] = element(lambda: NodeElement, name="node", repeated=True, source=COLLADA, doc="Inner ones.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
    sid: str | None = scoped_identifier()
    type: str | None = attribute(word("NODE", "JOINT"), source=COLLADA, doc="Whether it is a bone of a skin.")
    layer: str | None = attribute(STRING, source=COLLADA, doc="Layers that it belongs to.")


class VisualSceneElement(Element):
    """What is seen."""

    unread = frozenset({"evaluate_scene"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    nodes: tuple[NodeElement, ...] = element(
        NodeElement, name="node", repeated=True, source=COLLADA, doc="The roots of its tree."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
