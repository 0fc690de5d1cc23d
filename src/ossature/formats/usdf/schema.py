"""Schema of USDF.

The draft has no time, no exact rotations and no engine state. They are stored under a namespace prefix of Ossature, which
readers of the draft ignore.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

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


class PoseElement(Element, source=DRAFT):
    """A pose: x y z roll pitch yaw; the rotations are about the fixed axes x, y and z in this order."""

    values: tuple[float, ...] | None = text(_SIX, unit="m, rad", required=True, doc="x y z roll pitch yaw.")
    wxyz: tuple[float, float, float, float] | None = attribute(
        vector(4),
        name=f"{PREFIX}:wxyz",
        source=OWN,
        doc="The rotation as a unit quaternion, if the angles are not bit-exact.",
    )


class UsdfLinkStateElement(Element, source=DRAFT):
    """The state of a link."""

    name: str | None = attribute(STRING, required=True, doc="Name of the link.")
    pose: PoseElement | None = element(PoseElement, doc="The link in the frame of its model.")
    twist: tuple[float, ...] | None = child(
        _SIX, unit=_SIX_VELOCITIES, doc="Velocity of the link's origin and angular velocity, in axes of the link."
    )
    wrench: tuple[float, ...] | None = child(
        _SIX, unit="N, N·m", doc="Force and torque exerted on the link at its origin, in axes of the link."
    )


class JointStateElement(Element, source=DRAFT):
    """The state of a joint: a number for each degree of freedom."""

    name: str | None = attribute(STRING, required=True, doc="Name of the joint.")
    positions: tuple[float, ...] | None = child(NUMBERS, unit="rad or m", doc="Positions.")
    velocities: tuple[float, ...] | None = child(NUMBERS, unit="rad/s or m/s", doc="Velocities.")
    torques: tuple[float, ...] | None = child(NUMBERS, unit="N·m or N", doc="Torques or forces.")


class FrameElement(Element, source=DRAFT):
    """A frame of reference."""

    name: str | None = attribute(STRING, required=True, doc="Its name, unique among frames and models.")
    parent: str | None = child(STRING, doc="The parent frame or model; the world if empty.")
    pose: PoseElement | None = element(PoseElement, doc="The frame in its parent.")
    twist: tuple[float, ...] | None = child(
        _SIX,
        unit=_SIX_VELOCITIES,
        doc="Velocity of its origin and angular velocity, relative to its parent, in axes of its parent.",
    )


class ModelStateElement(FrameElement, source=DRAFT):
    """The state of a model."""

    link_state: tuple[UsdfLinkStateElement, ...] = element(UsdfLinkStateElement, repeated=True, doc="A link.")
    joint_state: tuple[JointStateElement, ...] = element(JointStateElement, repeated=True, doc="A joint.")


class QuantityElement(Element, source=OWN):
    """A quantity of a recording that is not part of a state."""

    group: str | None = attribute(STRING, required=True, doc="`elements`, `reactions`, `contacts`, `energy` or `violation`.")
    model: str = attribute(STRING, default="", doc="Name of the model.")
    name: str = attribute(STRING, default="", doc="Name of the spring, motor or joint, or of two bodies in contact.")
    field: str = attribute(STRING, default="", doc="Name of the quantity.")
    width: int | None = attribute(INTEGER, doc="Number of values, if they are a list.")


class TurningElement(Element, source=OWN):
    """A joint whose first three positions are a rotation vector."""

    model: str | None = attribute(STRING, required=True, doc="Its model.")
    joint: str | None = attribute(STRING, required=True, doc="Its name.")


class IgnoredElement(Element, source=OWN):
    """A link of the gripper's model that does not collide with the grasped link."""

    link: str | None = attribute(STRING, required=True, doc="Its name.")


class HeldElement(Element, source=OWN):
    """A link that is grasped by another one."""

    holder_model: str | None = attribute(STRING, required=True, doc="Model of the grasping link.")
    holder_link: str | None = attribute(STRING, required=True, doc="The grasping link, a gripper.")
    model: str | None = attribute(STRING, required=True, doc="Model of the grasped link.")
    link: str | None = attribute(STRING, required=True, doc="The grasped link.")
    pose: PoseElement | None = element(PoseElement, required=True, doc="The grasped link in the grasping link.")
    ignored_link: tuple[IgnoredElement, ...] = element(
        IgnoredElement, name=f"{PREFIX}:ignored", repeated=True, doc="A link that does not collide with it."
    )


class HoldingElement(Element, source=OWN):
    """All grasps; none if it is empty."""

    held: tuple[HeldElement, ...] = element(HeldElement, name=f"{PREFIX}:held", repeated=True, doc="A grasp.")


class SampleElement(Element, source=OWN):
    """A later sample of a recording."""

    time: float | None = attribute(NUMBER, unit="s", required=True, doc="The time.")
    frame: tuple[FrameElement, ...] = element(FrameElement, repeated=True, doc="A frame.")
    model_state: tuple[ModelStateElement, ...] = element(ModelStateElement, repeated=True, doc="A model.")
    values: tuple[float, ...] | None = child(NUMBERS, name=f"{PREFIX}:values", doc="The values of all quantities of the root.")
    holding: HoldingElement | None = element(
        HoldingElement, name=f"{PREFIX}:holding", doc="Grasps from this time on, if they change."
    )


class DigestElement(Element, source=OWN):
    """Digest of a model."""

    name: str | None = attribute(STRING, required=True, doc="Name of the model.")
    digest: str | None = attribute(STRING, required=True, doc="Digest of its content.")


class FingerprintElement(Element, source=OWN):
    """Digest of the world of a state."""

    digest: str | None = attribute(STRING, required=True, doc="Digest of its content.")
    model: tuple[DigestElement, ...] = element(DigestElement, name=f"{PREFIX}:model", repeated=True, doc="One of its models.")


class SettingElement(Element, source=OWN):
    """A setting of a simulation."""

    name: str | None = attribute(STRING, required=True, doc="Name of the setting.")
    value: str | None = attribute(STRING, required=True, doc="Its value.")


class ArrayElement(Element, source=OWN):
    """An array of the checkpoint."""

    name: str | None = attribute(STRING, required=True, doc="Component and array.")
    type: str = attribute(word(FLOATING, WHOLE), default=FLOATING, doc="Whether the numbers are integers.")
    values: str | None = text(STRING, doc="The numbers.")


class RememberedElement(Element, source=OWN):
    """A checkpoint: engine state for a bit-exact restart."""

    plain: str | None = attribute(STRING, required=True, doc="Digest of the state that it belongs to.")
    setting: tuple[SettingElement, ...] = element(
        SettingElement, name=f"{PREFIX}:setting", repeated=True, doc="A setting that it requires."
    )
    array: tuple[ArrayElement, ...] = element(ArrayElement, name=f"{PREFIX}:array", repeated=True, doc="Numbers.")


class WorldStateElement(Element, source=OWN):
    """The root."""

    namespaces: ClassVar[Mapping[str, str]] = {PREFIX: NAMESPACE}
    name: str | None = attribute(STRING, source=DRAFT, doc="Name of the world.")
    time: float | None = attribute(NUMBER, name=f"{PREFIX}:time", unit="s", doc="The time.")
    frame: tuple[FrameElement, ...] = element(FrameElement, repeated=True, source=DRAFT, doc="A frame.")
    model_state: tuple[ModelStateElement, ...] = element(ModelStateElement, repeated=True, source=DRAFT, doc="A model.")
    fingerprint: FingerprintElement | None = element(FingerprintElement, name=f"{PREFIX}:world", doc="Digest of its world.")
    holding: HoldingElement | None = element(HoldingElement, name=f"{PREFIX}:holding", doc="All grasps; unknown if missing.")
    remembered: RememberedElement | None = element(
        RememberedElement, name=f"{PREFIX}:remembered", doc="Engine state for a bit-exact restart."
    )
    quantity: tuple[QuantityElement, ...] = element(
        QuantityElement,
        name=f"{PREFIX}:quantity",
        repeated=True,
        doc="A quantity of the recording, in the order of the values.",
    )
    values: tuple[float, ...] | None = child(
        NUMBERS, name=f"{PREFIX}:values", doc="The values of all quantities in this state."
    )
    turning: tuple[TurningElement, ...] = element(
        TurningElement, name=f"{PREFIX}:turning", repeated=True, doc="A joint with a rotation vector."
    )
    sample: tuple[SampleElement, ...] = element(SampleElement, name=f"{PREFIX}:sample", repeated=True, doc="A later sample.")


ROOT_TAGS = ("world_state", "world")
"""Tags of the root element: that of the draft's text, which is written, and that of its example."""

ROOTS: tuple[tuple[str, type[Element]], ...] = (("world_state", WorldStateElement),)
"""The root element: its tag and declaration."""
