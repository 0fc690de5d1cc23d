"""Animations as data."""

from __future__ import annotations

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
from ossature.formats.collada.schema_visual import FloatArrayElement, SourceTechniqueElement
from ossature.syntax.schema import Element, attribute, element, text
from ossature.syntax.xml_values import INTEGER, STRING, word

INTERPOLATIONS = ("LINEAR", "BEZIER", "HERMITE", "CARDINAL", "BSPLINE", "STEP")
BEHAVIOURS = ("UNDEFINED", "CONSTANT", "GRADIENT", "CYCLE", "OSCILLATE", "CYCLE_RELATIVE")


class NameArrayElement(Element):
    """Words."""

    value: str | None = text(STRING, source=COLLADA, doc="The words.")
    id: str | None = identifier()
    name: str | None = plain_name()
    count: int | None = attribute(INTEGER, required=True, source=COLLADA, doc="How many there are.")


class AnimationSourceElement(Element):
    """Times, values, words or tangents of keys."""

    unread = frozenset({"bool_array", "IDREF_array", "SIDREF_array", "token_array", "int_array"})
    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Where it comes from.")
    float_array: FloatArrayElement | None = element(FloatArrayElement, source=COLLADA, doc="Its numbers.")
    Name_array: NameArrayElement | None = element(NameArrayElement, source=COLLADA, doc="Its words.")
    technique_common: SourceTechniqueElement | None = element(SourceTechniqueElement, source=COLLADA, doc="How they are read.")
    technique: tuple[TechniqueElement, ...] = techniques()
    id: str | None = identifier()
    name: str | None = plain_name()


class SamplerInputElement(Element):
    """What a curve is made of."""

    semantic: str | None = attribute(
        STRING, required=True, source=COLLADA, doc="INPUT, OUTPUT, INTERPOLATION, IN_TANGENT or OUT_TANGENT."
    )
    source: str | None = attribute(STRING, required=True, source=COLLADA, doc="The source.")


class SamplerElement(Element):
    """A curve through keys."""

    input: tuple[SamplerInputElement, ...] = element(
        SamplerInputElement, repeated=True, source=COLLADA, doc="Times, values, interpolations and tangents of the keys."
    )
    id: str | None = identifier()
    pre_behavior: str | None = attribute(word(*BEHAVIOURS), source=COLLADA, doc="What it does before its first key.")
    post_behavior: str | None = attribute(word(*BEHAVIOURS), source=COLLADA, doc="What it does behind its last key.")


class ChannelElement(Element):
    """What a curve moves."""

    source: str | None = attribute(STRING, required=True, source=COLLADA, doc="The sampler.")
    target: str | None = attribute(
        STRING, required=True, source=COLLADA, doc="A transform of a node that a joint's axis moves, and which number of it."
    )


class AnimationElement(Element):
    """What joints do over time."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    animation: tuple[AnimationElement, ...] = element(
        lambda: AnimationElement, name="animation", repeated=True, source=COLLADA, doc="Parts of it."
    )
    source: tuple[AnimationSourceElement, ...] = element(
        AnimationSourceElement, name="source", repeated=True, source=COLLADA, doc="Numbers and words."
    )
    sampler: tuple[SamplerElement, ...] = element(SamplerElement, repeated=True, source=COLLADA, doc="Curves.")
    channel: tuple[ChannelElement, ...] = element(ChannelElement, repeated=True, source=COLLADA, doc="What they move.")
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()
