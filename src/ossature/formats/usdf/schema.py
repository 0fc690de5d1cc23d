"""Every element of USDF.

The draft knows no time, no exact rotations and nothing that an engine remembers. These ride along under a prefix of our own,
which programs that read the draft alone skip.
"""

from __future__ import annotations

from ossature.syntax.schema import Element, attribute, child, element, text
from ossature.syntax.xml_values import INTEGER, NUMBER, NUMBERS, STRING, vector, word

PREFIX = "ossature"
NAMESPACE = "urn:ossature:usdf"

DRAFT = "draft"
OWN = "Ossature"

WHOLE = "whole"
FLOATING = "floating"

_SIX = vector(6)
_SIX_VELOCITIES = "m/s, rad/s"


class PoseElement(Element):
    """A pose: x y z roll pitch yaw, turned about the fixed axes x, y and z in this order."""

    values: tuple[float, ...] | None = text(_SIX, unit="m, rad", required=True, source=DRAFT, doc="x y z roll pitch yaw.")
    wxyz: tuple[float, float, float, float] | None = attribute(
        vector(4),
        name=f"{PREFIX}:wxyz",
        source=OWN,
        doc="The rotation as a unit quaternion, where the angles do not give it to the last bit.",
    )


class UsdfLinkStateElement(Element):
    """The state of a link."""

    name: str | None = attribute(STRING, required=True, source=DRAFT, doc="Name of the link.")
    pose: PoseElement | None = element(PoseElement, source=DRAFT, doc="The link in the frame of its model.")
    twist: tuple[float, ...] | None = child(
        _SIX, unit=_SIX_VELOCITIES, source=DRAFT, doc="Velocity of the link's origin and angular velocity, in axes of the link."
    )
    wrench: tuple[float, ...] | None = child(
        _SIX, unit="N, N·m", source=DRAFT, doc="Force and torque exerted on the link at its origin, in axes of the link."
    )


class JointStateElement(Element):
    """The state of a joint: a number for each degree of freedom."""

    name: str | None = attribute(STRING, required=True, source=DRAFT, doc="Name of the joint.")
    positions: tuple[float, ...] | None = child(NUMBERS, unit="rad or m", source=DRAFT, doc="Positions.")
    velocities: tuple[float, ...] | None = child(NUMBERS, unit="rad/s or m/s", source=DRAFT, doc="Velocities.")
    torques: tuple[float, ...] | None = child(NUMBERS, unit="N·m or N", source=DRAFT, doc="Torques or forces.")


class FrameElement(Element):
    """A frame of reference."""

    name: str | None = attribute(STRING, required=True, source=DRAFT, doc="Its name, unique among frames and models.")
    parent: str | None = child(STRING, source=DRAFT, doc="The frame or model that it is given in; the world if empty.")
    pose: PoseElement | None = element(PoseElement, source=DRAFT, doc="The frame in its parent.")
    twist: tuple[float, ...] | None = child(
        _SIX,
        unit=_SIX_VELOCITIES,
        source=DRAFT,
        doc="Velocity of its origin and angular velocity, against its parent and in axes of its parent.",
    )


class ModelStateElement(FrameElement):
    """The state of a model."""

    link_state: tuple[UsdfLinkStateElement, ...] = element(UsdfLinkStateElement, repeated=True, source=DRAFT, doc="A link.")
    joint_state: tuple[JointStateElement, ...] = element(JointStateElement, repeated=True, source=DRAFT, doc="A joint.")


class QuantityElement(Element):
    """What some of the values of a recording are, for which states have no word."""

    group: str | None = attribute(
        STRING, required=True, source=OWN, doc="`elements`, `reactions`, `contacts`, `energy` or `violation`."
    )
    model: str = attribute(STRING, default="", source=OWN, doc="Name of the model.")
    name: str = attribute(
        STRING, default="", source=OWN, doc="Name of the spring, motor or joint, or of two bodies that touch."
    )
    field: str = attribute(STRING, default="", source=OWN, doc="What of it.")
    width: int | None = attribute(INTEGER, source=OWN, doc="How many values it has, where they are a list.")


class TurningElement(Element):
    """A joint whose first three positions are a rotation vector."""

    model: str | None = attribute(STRING, required=True, source=OWN, doc="Its model.")
    joint: str | None = attribute(STRING, required=True, source=OWN, doc="Its name.")


class IgnoredElement(Element):
    """A link of the holder's model that does not collide with what is held."""

    link: str | None = attribute(STRING, required=True, source=OWN, doc="Its name.")


class HeldElement(Element):
    """A link that is held by another one."""

    holder_model: str | None = attribute(STRING, required=True, source=OWN, doc="Model of the link that holds.")
    holder_link: str | None = attribute(STRING, required=True, source=OWN, doc="The link that holds, a hand.")
    model: str | None = attribute(STRING, required=True, source=OWN, doc="Model of the link that is held.")
    link: str | None = attribute(STRING, required=True, source=OWN, doc="The link that is held.")
    pose: PoseElement | None = element(PoseElement, required=True, source=OWN, doc="The held link in the one that holds.")
    ignored_link: tuple[IgnoredElement, ...] = element(
        IgnoredElement, name=f"{PREFIX}:ignored", repeated=True, source=OWN, doc="A link that does not collide with it."
    )


class HoldingElement(Element):
    """What hands hold; nothing, if it is empty."""

    held: tuple[HeldElement, ...] = element(
        HeldElement, name=f"{PREFIX}:held", repeated=True, source=OWN, doc="Something that is held."
    )


class SampleElement(Element):
    """The same world at a later time: what a recording adds."""

    time: float | None = attribute(NUMBER, unit="s", required=True, source=OWN, doc="The time.")
    frame: tuple[FrameElement, ...] = element(FrameElement, repeated=True, source=OWN, doc="A frame.")
    model_state: tuple[ModelStateElement, ...] = element(ModelStateElement, repeated=True, source=OWN, doc="A model.")
    values: tuple[float, ...] | None = child(
        NUMBERS, name=f"{PREFIX}:values", source=OWN, doc="The values of all quantities that the root names."
    )
    holding: HoldingElement | None = element(
        HoldingElement, name=f"{PREFIX}:holding", source=OWN, doc="What hands hold from here on, where that is something else."
    )


class DigestElement(Element):
    """What a model is known by."""

    name: str | None = attribute(STRING, required=True, source=OWN, doc="Name of the model.")
    digest: str | None = attribute(STRING, required=True, source=OWN, doc="Digest of its content.")


class FingerprintElement(Element):
    """The world that a state belongs to."""

    digest: str | None = attribute(STRING, required=True, source=OWN, doc="Digest of its content.")
    model: tuple[DigestElement, ...] = element(
        DigestElement, name=f"{PREFIX}:model", repeated=True, source=OWN, doc="One of its models."
    )


class SettingElement(Element):
    """A setting of a simulation."""

    name: str | None = attribute(STRING, required=True, source=OWN, doc="Which setting.")
    value: str | None = attribute(STRING, required=True, source=OWN, doc="Its value.")


class ArrayElement(Element):
    """Numbers that a part of a simulation remembers."""

    name: str | None = attribute(STRING, required=True, source=OWN, doc="Which part, and which of its numbers.")
    type: str = attribute(word(FLOATING, WHOLE), default=FLOATING, source=OWN, doc="Whether the numbers are whole ones.")
    values: str | None = text(STRING, source=OWN, doc="The numbers.")


class RememberedElement(Element):
    """What a simulation remembers, so that it can go on to the last bit."""

    plain: str | None = attribute(STRING, required=True, source=OWN, doc="Digest of the plain state that it goes with.")
    setting: tuple[SettingElement, ...] = element(
        SettingElement, name=f"{PREFIX}:setting", repeated=True, source=OWN, doc="A setting under which it counts."
    )
    array: tuple[ArrayElement, ...] = element(ArrayElement, name=f"{PREFIX}:array", repeated=True, source=OWN, doc="Numbers.")


class WorldStateElement(Element):
    """The root."""

    name: str | None = attribute(STRING, source=DRAFT, doc="Name of the world.")
    time: float | None = attribute(NUMBER, name=f"{PREFIX}:time", unit="s", source=OWN, doc="The time.")
    frame: tuple[FrameElement, ...] = element(FrameElement, repeated=True, source=DRAFT, doc="A frame.")
    model_state: tuple[ModelStateElement, ...] = element(ModelStateElement, repeated=True, source=DRAFT, doc="A model.")
    fingerprint: FingerprintElement | None = element(
        FingerprintElement, name=f"{PREFIX}:world", source=OWN, doc="The world that it belongs to."
    )
    holding: HoldingElement | None = element(
        HoldingElement, name=f"{PREFIX}:holding", source=OWN, doc="What hands hold; where it is missing, nothing says it."
    )
    remembered: RememberedElement | None = element(
        RememberedElement, name=f"{PREFIX}:remembered", source=OWN, doc="What an exact restart needs."
    )
    quantity: tuple[QuantityElement, ...] = element(
        QuantityElement, name=f"{PREFIX}:quantity", repeated=True, source=OWN, doc="What some of the values are, in order."
    )
    values: tuple[float, ...] | None = child(
        NUMBERS, name=f"{PREFIX}:values", source=OWN, doc="The values of all quantities in this state."
    )
    turning: tuple[TurningElement, ...] = element(
        TurningElement, name=f"{PREFIX}:turning", repeated=True, source=OWN, doc="A joint whose positions turn together."
    )
    sample: tuple[SampleElement, ...] = element(
        SampleElement, name=f"{PREFIX}:sample", repeated=True, source=OWN, doc="The same world at a later time."
    )


ROOT_TAGS = ("world_state", "world")
"""Spellings of the root: that of the draft's text, which is written, and that of its example."""

ROOTS: tuple[tuple[str, type[Element]], ...] = (("world_state", WorldStateElement),)
"""The root element: its tag and declaration."""
