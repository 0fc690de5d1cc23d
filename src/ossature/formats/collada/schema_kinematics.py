"""COLLADA's kinematics as data: joints, links, models, articulated systems and scenes."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_common import (
    COLLADA,
    AssetElement,
    BindElement,
    ExtraElement,
    NewparamElement,
    ParamElement,
    RotateElement,
    SetparamElement,
    TechniqueElement,
    TranslateElement,
    ValueElement,
    extras,
    identifier,
    plain_name,
    rigid_transforms,
    scoped_identifier,
    techniques,
)
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import BOUND, STRING, VECTOR3


def _newparams() -> Any:
    return element(NewparamElement, name="newparam", repeated=True, source=COLLADA, doc="Parameters.")


def _setparams() -> Any:
    return element(SetparamElement, name="setparam", repeated=True, source=COLLADA, doc="New values for parameters.")


def _binds() -> Any:
    return element(BindElement, name="bind", repeated=True, source=COLLADA, doc="Values for symbols.")


def _url(doc: str) -> Any:
    return attribute(STRING, required=True, source=COLLADA, doc=doc)


class BoundElement(Element):
    """A number that may be infinite."""

    value: float | None = text(BOUND, source=COLLADA, doc="The number.")
    sid: str | None = scoped_identifier()


class JointLimitsElement(Element):
    """How far an axis goes: the hard limits."""

    min: BoundElement | None = element(BoundElement, unit="degree or length", source=COLLADA, doc="The lower limit.")
    max: BoundElement | None = element(BoundElement, unit="degree or length", source=COLLADA, doc="The upper limit.")


class AxisDirectionElement(Element):
    """A direction."""

    value: tuple[float, float, float] | None = text(VECTOR3, source=COLLADA, doc="Along x, y and z.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class AxisElement(Element):
    """One degree of freedom."""

    axis: AxisDirectionElement | None = element(AxisDirectionElement, required=True, source=COLLADA, doc="Its direction.")
    limits: JointLimitsElement | None = element(JointLimitsElement, source=COLLADA, doc="How far it goes.")
    sid: str | None = scoped_identifier()


class RevoluteElement(AxisElement):
    """A turn about an axis."""


class PrismaticElement(AxisElement):
    """A slide along an axis."""


class JointElement(Element):
    """A joint: one axis or several, one after the other."""

    axes: tuple[RevoluteElement | PrismaticElement, ...] = one_of(
        {"prismatic": PrismaticElement, "revolute": RevoluteElement}, repeated=True, source=COLLADA, doc="Its axes."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceJointElement(Element):
    """A joint of a library."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _url("The joint.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class AttachmentEndElement(Element):
    """Where a joint ends on a link, beside the joint that carries the link: a closed loop."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    joint: str | None = attribute(STRING, required=True, source=COLLADA, doc="The joint.")


class AttachmentStartElement(AttachmentEndElement):
    """Where a joint begins on a link, that ends on another link elsewhere in the tree: a closed loop."""


class AttachmentFullElement(Element):
    """A joint that carries a further link."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    link: LinkElement | None = element(lambda: LinkElement, name="link", required=True, source=COLLADA, doc="The link.")
    joint: str | None = attribute(STRING, required=True, source=COLLADA, doc="The joint.")


class LinkElement(Element):
    """A link, with all that hangs on it."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    attachments: tuple[AttachmentFullElement | AttachmentStartElement | AttachmentEndElement, ...] = one_of(
        {
            "attachment_end": AttachmentEndElement,
            "attachment_full": AttachmentFullElement,
            "attachment_start": AttachmentStartElement,
        },
        repeated=True,
        source=COLLADA,
        doc="The joints on it.",
    )
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class FormulaTechniqueElement(Element):
    """The formula itself."""

    opaque = True


class FormulaElement(Element):
    """A formula by which an axis follows others."""

    newparam: tuple[NewparamElement, ...] = _newparams()
    target: ValueElement | None = element(ValueElement, source=COLLADA, doc="The joint that follows.")
    technique_common: FormulaTechniqueElement | None = element(
        FormulaTechniqueElement, source=COLLADA, doc="The formula, in MathML."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceFormulaElement(Element):
    """A formula of a library."""

    setparam: tuple[SetparamElement, ...] = _setparams()
    url: str | None = attribute(STRING, source=COLLADA, doc="The formula.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


def _formulas() -> Any:
    return one_of(
        {"formula": FormulaElement, "instance_formula": InstanceFormulaElement},
        repeated=True,
        source=COLLADA,
        doc="By which joints follow others.",
    )


class KinematicsModelTechniqueElement(Element):
    """What a kinematics model is made of."""

    newparam: tuple[NewparamElement, ...] = _newparams()
    joints: tuple[JointElement | InstanceJointElement, ...] = one_of(
        {"instance_joint": InstanceJointElement, "joint": JointElement}, repeated=True, source=COLLADA, doc="Its joints."
    )
    link: tuple[LinkElement, ...] = element(LinkElement, repeated=True, source=COLLADA, doc="The roots of its links.")
    formulas: tuple[FormulaElement | InstanceFormulaElement, ...] = _formulas()


class KinematicsModelElement(Element):
    """Links and joints."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit, and a description.")
    technique_common: KinematicsModelTechniqueElement | None = element(
        KinematicsModelTechniqueElement, required=True, source=COLLADA, doc="What it is made of."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceKinematicsModelElement(Element):
    """A kinematics model in a system."""

    bind: tuple[BindElement, ...] = _binds()
    newparam: tuple[NewparamElement, ...] = _newparams()
    setparam: tuple[SetparamElement, ...] = _setparams()
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _url("The kinematics model.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceArticulatedSystemElement(Element):
    """An articulated system in a motion system or in a scene."""

    bind: tuple[BindElement, ...] = _binds()
    newparam: tuple[NewparamElement, ...] = _newparams()
    setparam: tuple[SetparamElement, ...] = _setparams()
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _url("The articulated system.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class AxisIndexElement(ValueElement):
    """Where an axis stands in a list."""

    semantic: str | None = attribute(STRING, source=COLLADA, doc="In which list.")


class AxisLimitsElement(Element):
    """How far a controller moves an axis: the soft limits."""

    min: ValueElement | None = element(ValueElement, unit="degree or length", source=COLLADA, doc="The lower limit.")
    max: ValueElement | None = element(ValueElement, unit="degree or length", source=COLLADA, doc="The upper limit.")


class KinematicsAxisInfoElement(Element):
    """What a kinematics system says about an axis."""

    newparam: tuple[NewparamElement, ...] = _newparams()
    active: ValueElement | None = element(ValueElement, source=COLLADA, doc="Whether it is driven.")
    locked: ValueElement | None = element(ValueElement, source=COLLADA, doc="Whether it is held fast.")
    index: tuple[AxisIndexElement, ...] = element(AxisIndexElement, repeated=True, source=COLLADA, doc="Its place in lists.")
    limits: AxisLimitsElement | None = element(AxisLimitsElement, source=COLLADA, doc="The soft limits.")
    formulas: tuple[FormulaElement | InstanceFormulaElement, ...] = _formulas()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    axis: str | None = attribute(STRING, required=True, source=COLLADA, doc="The axis: model, joint and axis.")


class KinematicsFrameElement(Element):
    """A frame of a kinematics system. Manipulators say the same where there are several arms, and are read instead."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    link: str | None = attribute(STRING, source=COLLADA, doc="The link that carries it.")


class KinematicsTechniqueElement(Element):
    """What a kinematics system says about its axes and frames."""

    unread = frozenset({"frame_tcp", "frame_object"})
    axis_info: tuple[KinematicsAxisInfoElement, ...] = element(
        KinematicsAxisInfoElement, repeated=True, source=COLLADA, doc="About one axis."
    )
    frame_origin: KinematicsFrameElement | None = element(
        KinematicsFrameElement, source=COLLADA, doc="Where its chain begins; not read."
    )
    frame_tip: KinematicsFrameElement | None = element(
        KinematicsFrameElement, source=COLLADA, doc="Where its chain ends; not read."
    )


class KinematicsElement(Element):
    """A system of kinematics models."""

    instance_kinematics_model: tuple[InstanceKinematicsModelElement, ...] = element(
        InstanceKinematicsModelElement, repeated=True, source=COLLADA, doc="The models; several make one robot."
    )
    technique_common: KinematicsTechniqueElement | None = element(
        KinematicsTechniqueElement, source=COLLADA, doc="About its axes."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()


class MotionAxisInfoElement(Element):
    """How an axis may move."""

    bind: tuple[BindElement, ...] = _binds()
    newparam: tuple[NewparamElement, ...] = _newparams()
    setparam: tuple[SetparamElement, ...] = _setparams()
    speed: ValueElement | None = element(ValueElement, unit="degree/s or length/s", source=COLLADA, doc="Its largest speed.")
    acceleration: ValueElement | None = element(
        ValueElement, unit="degree/s² or length/s²", source=COLLADA, doc="Its largest acceleration."
    )
    deceleration: ValueElement | None = element(
        ValueElement, unit="degree/s² or length/s²", source=COLLADA, doc="Its largest deceleration."
    )
    jerk: ValueElement | None = element(ValueElement, unit="degree/s³ or length/s³", source=COLLADA, doc="Its largest jerk.")
    sid: str | None = scoped_identifier()
    axis: str | None = attribute(STRING, required=True, source=COLLADA, doc="The axis_info of the kinematics system.")
    name: str | None = plain_name()


class MotionTechniqueElement(Element):
    """How the axes may move."""

    unread = frozenset({"effector_info"})
    axis_info: tuple[MotionAxisInfoElement, ...] = element(
        MotionAxisInfoElement, repeated=True, source=COLLADA, doc="How one axis may move."
    )


class MotionElement(Element):
    """A system that says how another one may move."""

    instance_articulated_system: InstanceArticulatedSystemElement | None = element(
        InstanceArticulatedSystemElement, required=True, source=COLLADA, doc="The other system."
    )
    technique_common: MotionTechniqueElement | None = element(MotionTechniqueElement, source=COLLADA, doc="How it may move.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()


class ArticulatedSystemElement(Element):
    """A robot, or a body: kinematics, or the motion of kinematics."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    system: KinematicsElement | MotionElement | None = one_of(
        {"kinematics": KinematicsElement, "motion": MotionElement}, source=COLLADA, doc="What it is made of."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class KinematicsSceneElement(Element):
    """What can move in a scene."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    instance_kinematics_model: tuple[InstanceKinematicsModelElement, ...] = element(
        InstanceKinematicsModelElement, repeated=True, source=COLLADA, doc="Models without a system."
    )
    instance_articulated_system: tuple[InstanceArticulatedSystemElement, ...] = element(
        InstanceArticulatedSystemElement, repeated=True, source=COLLADA, doc="Systems."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class BindKinematicsModelElement(Element):
    """Which node a kinematics model moves."""

    param: ParamElement | None = element(ParamElement, source=COLLADA, doc="The model, by a parameter.")
    sidref: str | None = child(STRING, name="SIDREF", source=COLLADA, doc="The model, by a path.")
    target: str | None = attribute(STRING, name="node", source=COLLADA, doc="The node, by a path in the visual scene.")


class BindJointAxisElement(Element):
    """Which transform an axis moves, and where it stands."""

    axis: ValueElement | None = element(ValueElement, required=True, source=COLLADA, doc="The axis.")
    value: ValueElement | None = element(
        ValueElement, unit="degree or length", source=COLLADA, doc="Its position at the start; radians with two old tools."
    )
    target: str | None = attribute(STRING, source=COLLADA, doc="The transform, by a path in the visual scene.")


class InstanceKinematicsSceneElement(Element):
    """A kinematics scene, bound to what is seen."""

    asset: AssetElement | None = element(AssetElement, source=COLLADA, doc="Its unit.")
    newparam: tuple[NewparamElement, ...] = _newparams()
    setparam: tuple[SetparamElement, ...] = _setparams()
    bind_kinematics_model: tuple[BindKinematicsModelElement, ...] = element(
        BindKinematicsModelElement, repeated=True, source=COLLADA, doc="Which nodes models move."
    )
    bind_joint_axis: tuple[BindJointAxisElement, ...] = element(
        BindJointAxisElement, repeated=True, source=COLLADA, doc="Which transforms axes move."
    )
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _url("The kinematics scene.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
