"""Schema of COLLADA's materials and effects."""

from __future__ import annotations

from ossature.formats.collada.schema_common import (
    COLLADA,
    AssetElement,
    ExtraElement,
    ParamElement,
    TechniqueElement,
    extras,
    identifier,
    plain_name,
    scoped_identifier,
    techniques,
)
from ossature.syntax.schema import Element, attribute, element, one_of, text
from ossature.syntax.xml_values import NUMBER, STRING, vector, word


class ColorElement(Element, source=COLLADA):
    """A colour."""

    value: tuple[float, ...] | None = text(vector(4), doc="Red, green, blue and opacity.")
    sid: str | None = scoped_identifier()


class ColorSlotElement(Element, source=COLLADA):
    """A colour of a shader, or a texture, which is ignored."""

    unread = frozenset({"texture"})
    color: ColorElement | None = element(ColorElement, doc="The colour.")
    param: ParamElement | None = element(ParamElement, doc="A parameter of the effect.")
    opaque_mode: str = attribute(
        word("A_ONE", "RGB_ZERO", "A_ZERO", "RGB_ONE"),
        name="opaque",
        default="A_ONE",
        doc="For transparent: the component that is the opacity, and whether 1 or 0 means opaque.",
    )


class NumberElement(Element, source=COLLADA):
    """A number."""

    value: float | None = text(NUMBER, doc="The number.")
    sid: str | None = scoped_identifier()


class NumberSlotElement(Element, source=COLLADA):
    """A number of a shader."""

    number: NumberElement | None = element(NumberElement, name="float", doc="The number.")
    param: ParamElement | None = element(ParamElement, doc="A parameter of the effect.")


class ShaderElement(Element, source=COLLADA):
    """A shading model of a surface."""

    emission: ColorSlotElement | None = element(ColorSlotElement, doc="Emitted colour.")
    ambient: ColorSlotElement | None = element(ColorSlotElement, doc="Ambient colour.")
    diffuse: ColorSlotElement | None = element(ColorSlotElement, doc="Diffuse colour.")
    specular: ColorSlotElement | None = element(ColorSlotElement, doc="Specular colour.")
    shininess: NumberSlotElement | None = element(NumberSlotElement, doc="Specular exponent.")
    reflective: ColorSlotElement | None = element(ColorSlotElement, doc="Colour of reflections.")
    reflectivity: NumberSlotElement | None = element(NumberSlotElement, doc="Reflectivity.")
    transparent: ColorSlotElement | None = element(ColorSlotElement, doc="Colour of transmitted light.")
    transparency: NumberSlotElement | None = element(NumberSlotElement, doc="Factor of transparent.")
    index_of_refraction: NumberSlotElement | None = element(NumberSlotElement, doc="Index of refraction.")


class PhongElement(ShaderElement):
    """The Phong shading model, the only one that OpenRAVE reads."""


class EffectTechniqueElement(Element, source=COLLADA):
    """A technique of an effect."""

    unread = frozenset({"asset", "annotate", "pass", "image"})
    shader: ShaderElement | None = one_of(
        {"blinn": ShaderElement, "constant": ShaderElement, "lambert": ShaderElement, "phong": PhongElement},
        doc="Shading model.",
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()


class EffectParamElement(Element):
    """A parameter of an effect."""

    opaque = True
    sid: str | None = scoped_identifier()


class EffectProfileElement(Element, source=COLLADA):
    """The common profile of an effect."""

    unread = frozenset({"asset", "image"})
    newparam: tuple[EffectParamElement, ...] = element(EffectParamElement, repeated=True, doc="Parameters.")
    technique: EffectTechniqueElement | None = element(EffectTechniqueElement, doc="Technique.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()


class EffectElement(Element, source=COLLADA):
    """An effect: the appearance of a surface."""

    unread = frozenset({"asset", "annotate", "profile_BRIDGE", "profile_CG", "profile_GLES", "profile_GLES2", "profile_GLSL"})
    newparam: tuple[EffectParamElement, ...] = element(EffectParamElement, repeated=True, doc="Parameters.")
    profile_COMMON: EffectProfileElement | None = element(  # noqa: N815  # the format's own name
        EffectProfileElement, doc="The common profile."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceEffectElement(Element, source=COLLADA):
    """The effect of a material."""

    unread = frozenset({"technique_hint", "setparam"})
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = attribute(STRING, required=True, doc="The effect.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class MaterialElement(Element, source=COLLADA):
    """A material: an instance of an effect."""

    asset: AssetElement | None = element(AssetElement, doc="Provenance.")
    instance_effect: InstanceEffectElement | None = element(InstanceEffectElement, doc="The effect.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceMaterialElement(Element, source=COLLADA):
    """Binds a material to a symbol."""

    unread = frozenset({"bind", "bind_vertex_input"})
    extra: tuple[ExtraElement, ...] = extras()
    symbol: str | None = attribute(STRING, required=True, doc="Symbol that primitives refer to.")
    target: str | None = attribute(STRING, required=True, doc="The material.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class MaterialsElement(Element, source=COLLADA):
    """Bindings of materials."""

    instance_material: tuple[InstanceMaterialElement, ...] = element(
        InstanceMaterialElement, repeated=True, doc="Binds a material to a symbol."
    )


class BindMaterialElement(Element, source=COLLADA):
    """Materials of an instance of a geometry."""

    unread = frozenset({"param"})
    technique_common: MaterialsElement | None = element(MaterialsElement, doc="The materials.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
