"""Schema of animations."""

from __future__ import annotations

from ossature.formats.collada.geometry.schema import FloatArrayElement, SourceTechniqueElement
from ossature.formats.collada.schema_common import (
    COLLADA,
    AssetElement,
    ExtraElement,
    TechniqueElement,
    extras,
    identifier,
    plain_name,
    techniques,
)
from ossature.syntax.schema import Element, attribute, element, text
from ossature.syntax.xml_values import INTEGER, STRING, word

INTERPOLATIONS = ("LINEAR", "BEZIER", "HERMITE", "CARDINAL", "BSPLINE", "STEP")
BEHAVIOURS = ("UNDEFINED", "CONSTANT", "GRADIENT", "CYCLE", "OSCILLATE", "CYCLE_RELATIVE")


class NameArrayElement(Element, source=COLLADA):
    """An array of names."""

    value: str | None = text(STRING, doc="The names.")
    id: str | None = identifier()
    name: str | None = plain_name()
    count: int | None = attribute(INTEGER, required=True, doc="Number of elements.")


class AnimationSourceElement(Element, source=COLLADA):
    """Times, values, interpolations or tangents of keyframes."""

    unread = frozenset({"bool_array", "IDREF_array", "SIDREF_array", "token_array", "int_array"})
    asset: AssetElement | None = element(AssetElement, doc="Provenance.")
    float_array: FloatArrayElement | None = element(FloatArrayElement, doc="The numbers.")
    Name_array: NameArrayElement | None = element(NameArrayElement, doc="The names of the interpolations.")
    technique_common: SourceTechniqueElement | None = element(SourceTechniqueElement, doc="Array layout.")
    technique: tuple[TechniqueElement, ...] = techniques()
    id: str | None = identifier()
    name: str | None = plain_name()


class SamplerInputElement(Element, source=COLLADA):
    """An input of a sampler."""

    semantic: str | None = attribute(STRING, required=True, doc="INPUT, OUTPUT, INTERPOLATION, IN_TANGENT or OUT_TANGENT.")
    source: str | None = attribute(STRING, required=True, doc="The source.")


class SamplerElement(Element, source=COLLADA):
    """A curve through keyframes."""

    input: tuple[SamplerInputElement, ...] = element(
        SamplerInputElement, repeated=True, doc="Times, values, interpolations and tangents of the keyframes."
    )
    id: str | None = identifier()
    pre_behavior: str | None = attribute(word(*BEHAVIOURS), doc="Extrapolation before the first keyframe.")
    post_behavior: str | None = attribute(word(*BEHAVIOURS), doc="Extrapolation after the last keyframe.")


class ChannelElement(Element, source=COLLADA):
    """The target of a curve."""

    source: str | None = attribute(STRING, required=True, doc="The sampler.")
    target: str | None = attribute(STRING, required=True, doc="A transform that is bound to a joint axis, and its component.")


class AnimationElement(Element, source=COLLADA):
    """A joint trajectory."""

    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    animation: tuple[AnimationElement, ...] = element(
        lambda: AnimationElement, name="animation", repeated=True, doc="Nested animations."
    )
    source: tuple[AnimationSourceElement, ...] = element(
        AnimationSourceElement, name="source", repeated=True, doc="Arrays of numbers and names."
    )
    sampler: tuple[SamplerElement, ...] = element(SamplerElement, repeated=True, doc="Curves.")
    channel: tuple[ChannelElement, ...] = element(ChannelElement, repeated=True, doc="Targets of the curves.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
