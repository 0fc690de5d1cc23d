"""Schema of COLLADA's kinematics: joints, links, models, articulated systems and scenes."""

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
from ossature.spatial import Vector3
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import BOUND, STRING, VECTOR3


def _declare_newparams() -> Any:
    return element(NewparamElement, name="newparam", repeated=True, source=COLLADA, doc="Parameters.")


def _declare_setparams() -> Any:
    return element(SetparamElement, name="setparam", repeated=True, source=COLLADA, doc="New values for parameters.")


def _declare_binds() -> Any:
    return element(BindElement, name="bind", repeated=True, source=COLLADA, doc="Values for symbols.")


def _declare_url(doc: str) -> Any:
    return attribute(STRING, required=True, source=COLLADA, doc=doc)


class BoundElement(Element, source=COLLADA):
    """A number that may be infinite."""

    value: float | None = text(BOUND, doc="The number.")
    sid: str | None = scoped_identifier()


class JointLimitsElement(Element, source=COLLADA):
    """Position limits of an axis: the hard limits."""

    min: BoundElement | None = element(BoundElement, unit="degree or length", doc="The lower limit.")
    max: BoundElement | None = element(BoundElement, unit="degree or length", doc="The upper limit.")


class AxisDirectionElement(Element, source=COLLADA):
    """A direction."""

    value: Vector3 | None = text(VECTOR3, doc="Components along x, y and z.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class AxisElement(Element, source=COLLADA):
    """One degree of freedom."""

    axis: AxisDirectionElement | None = element(AxisDirectionElement, required=True, doc="Its direction.")
    limits: JointLimitsElement | None = element(JointLimitsElement, doc="Hard position limits.")
    sid: str | None = scoped_identifier()


class RevoluteElement(AxisElement):
    """A rotation about an axis."""


class PrismaticElement(AxisElement):
    """A translation along an axis."""


class JointElement(Element, source=COLLADA):
    """A joint: one axis or several in series."""

    axes: tuple[RevoluteElement | PrismaticElement, ...] = one_of(
        {"prismatic": PrismaticElement, "revolute": RevoluteElement}, repeated=True, doc="The axes, parent first."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceJointElement(Element):
    """An instance of a joint of a library."""

    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _declare_url("The joint.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class AttachmentEndElement(Element, source=COLLADA):
    """The child side of a loop joint, on a link that has a parent joint already."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    joint: str | None = attribute(STRING, required=True, doc="The joint.")


class AttachmentStartElement(AttachmentEndElement):
    """The parent side of a loop joint, whose child is another link of the tree."""


class AttachmentFullElement(Element, source=COLLADA):
    """A joint with its child link."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    link: LinkElement | None = element(lambda: LinkElement, name="link", required=True, doc="The child link.")
    joint: str | None = attribute(STRING, required=True, doc="The joint.")


class LinkElement(Element, source=COLLADA):
    """A link with its descendants."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    attachments: tuple[AttachmentFullElement | AttachmentStartElement | AttachmentEndElement, ...] = one_of(
        {
            "attachment_end": AttachmentEndElement,
            "attachment_full": AttachmentFullElement,
            "attachment_start": AttachmentStartElement,
        },
        repeated=True,
        doc="The joints that are attached to it.",
    )
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class FormulaTechniqueElement(Element):
    """The content of a formula."""

    opaque = True


class FormulaElement(Element, source=COLLADA):
    """A coupling: the position of an axis as a function of others."""

    newparam: tuple[NewparamElement, ...] = _declare_newparams()
    target: ValueElement | None = element(ValueElement, doc="The joint that is coupled.")
    technique_common: FormulaTechniqueElement | None = element(FormulaTechniqueElement, doc="The formula, in MathML.")
    technique: tuple[TechniqueElement, ...] = techniques()
    id: str | None = identifier()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceFormulaElement(Element, source=COLLADA):
    """An instance of a formula of a library."""

    setparam: tuple[SetparamElement, ...] = _declare_setparams()
    url: str | None = attribute(STRING, doc="The formula.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


def _declare_formulas() -> Any:
    return one_of(
        {"formula": FormulaElement, "instance_formula": InstanceFormulaElement},
        repeated=True,
        source=COLLADA,
        doc="Couplings of joints.",
    )


class KinematicsModelTechniqueElement(Element, source=COLLADA):
    """The content of a kinematics model."""

    newparam: tuple[NewparamElement, ...] = _declare_newparams()
    joints: tuple[JointElement | InstanceJointElement, ...] = one_of(
        {"instance_joint": InstanceJointElement, "joint": JointElement}, repeated=True, doc="Joints."
    )
    link: tuple[LinkElement, ...] = element(LinkElement, repeated=True, doc="Root links.")
    formulas: tuple[FormulaElement | InstanceFormulaElement, ...] = _declare_formulas()


class KinematicsModelElement(Element, source=COLLADA):
    """A kinematics model: links and joints."""

    asset: AssetElement | None = element(AssetElement, doc="Unit of length, and a description.")
    technique_common: KinematicsModelTechniqueElement | None = element(
        KinematicsModelTechniqueElement, required=True, doc="Links, joints and couplings."
    )
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class InstanceKinematicsModelElement(Element):
    """An instance of a kinematics model."""

    bind: tuple[BindElement, ...] = _declare_binds()
    newparam: tuple[NewparamElement, ...] = _declare_newparams()
    setparam: tuple[SetparamElement, ...] = _declare_setparams()
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _declare_url("The kinematics model.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class InstanceArticulatedSystemElement(Element):
    """An instance of an articulated system in a motion system or in a scene."""

    bind: tuple[BindElement, ...] = _declare_binds()
    newparam: tuple[NewparamElement, ...] = _declare_newparams()
    setparam: tuple[SetparamElement, ...] = _declare_setparams()
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _declare_url("The articulated system.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()


class AxisIndexElement(ValueElement, source=COLLADA):
    """The index of an axis in a list."""

    semantic: str | None = attribute(STRING, doc="Name of the list.")


class AxisLimitsElement(Element, source=COLLADA):
    """Position limits that a controller uses: the soft limits."""

    min: ValueElement | None = element(ValueElement, unit="degree or length", doc="The lower limit.")
    max: ValueElement | None = element(ValueElement, unit="degree or length", doc="The upper limit.")


class KinematicsAxisInfoElement(Element, source=COLLADA):
    """Kinematic properties of an axis."""

    newparam: tuple[NewparamElement, ...] = _declare_newparams()
    active: ValueElement | None = element(ValueElement, doc="Whether the axis is driven.")
    locked: ValueElement | None = element(ValueElement, doc="Whether the axis is locked.")
    index: tuple[AxisIndexElement, ...] = element(AxisIndexElement, repeated=True, doc="Indices in lists.")
    limits: AxisLimitsElement | None = element(AxisLimitsElement, doc="Soft position limits.")
    formulas: tuple[FormulaElement | InstanceFormulaElement, ...] = _declare_formulas()
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
    axis: str | None = attribute(STRING, required=True, doc="Path of the axis: model, joint and axis.")


class KinematicsFrameElement(Element, source=COLLADA):
    """A frame of a kinematics system. It is ignored: the manipulator extensions specify the frames of several arms."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    link: str | None = attribute(STRING, doc="The link that it is attached to.")


class KinematicsTechniqueElement(Element, source=COLLADA):
    """Properties of the axes and frames of a kinematics system."""

    unread = frozenset({"frame_tcp", "frame_object"})
    axis_info: tuple[KinematicsAxisInfoElement, ...] = element(
        KinematicsAxisInfoElement, repeated=True, doc="Properties of one axis."
    )
    frame_origin: KinematicsFrameElement | None = element(KinematicsFrameElement, doc="Base frame of the chain; ignored.")
    frame_tip: KinematicsFrameElement | None = element(KinematicsFrameElement, doc="Tip frame of the chain; ignored.")


class KinematicsElement(Element, source=COLLADA):
    """A kinematics system: one or more kinematics models."""

    instance_kinematics_model: tuple[InstanceKinematicsModelElement, ...] = element(
        InstanceKinematicsModelElement, repeated=True, doc="The models; several form one robot."
    )
    technique_common: KinematicsTechniqueElement | None = element(KinematicsTechniqueElement, doc="Properties of the axes.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()


class MotionAxisInfoElement(Element, source=COLLADA):
    """Motion limits of an axis."""

    bind: tuple[BindElement, ...] = _declare_binds()
    newparam: tuple[NewparamElement, ...] = _declare_newparams()
    setparam: tuple[SetparamElement, ...] = _declare_setparams()
    speed: ValueElement | None = element(ValueElement, unit="degree/s or length/s", doc="Velocity limit.")
    acceleration: ValueElement | None = element(ValueElement, unit="degree/s² or length/s²", doc="Acceleration limit.")
    deceleration: ValueElement | None = element(ValueElement, unit="degree/s² or length/s²", doc="Deceleration limit; ignored.")
    jerk: ValueElement | None = element(ValueElement, unit="degree/s³ or length/s³", doc="Jerk limit.")
    sid: str | None = scoped_identifier()
    axis: str | None = attribute(STRING, required=True, doc="The axis_info of the kinematics system.")
    name: str | None = plain_name()


class MotionTechniqueElement(Element, source=COLLADA):
    """Motion limits of the axes."""

    unread = frozenset({"effector_info"})
    axis_info: tuple[MotionAxisInfoElement, ...] = element(
        MotionAxisInfoElement, repeated=True, doc="Motion limits of one axis."
    )


class MotionElement(Element, source=COLLADA):
    """A motion system: motion limits of another system."""

    instance_articulated_system: InstanceArticulatedSystemElement | None = element(
        InstanceArticulatedSystemElement, required=True, doc="The system that it refers to."
    )
    technique_common: MotionTechniqueElement | None = element(MotionTechniqueElement, doc="Motion limits.")
    technique: tuple[TechniqueElement, ...] = techniques()
    extra: tuple[ExtraElement, ...] = extras()


class ArticulatedSystemElement(Element, source=COLLADA):
    """A robot or a body: a kinematics system or a motion system."""

    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    system: KinematicsElement | MotionElement | None = one_of(
        {"kinematics": KinematicsElement, "motion": MotionElement}, doc="The content."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class KinematicsSceneElement(Element, source=COLLADA):
    """A kinematics scene: the articulated systems and models of a scene."""

    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    instance_kinematics_model: tuple[InstanceKinematicsModelElement, ...] = element(
        InstanceKinematicsModelElement, repeated=True, doc="Kinematics models without an articulated system."
    )
    instance_articulated_system: tuple[InstanceArticulatedSystemElement, ...] = element(
        InstanceArticulatedSystemElement, repeated=True, doc="Articulated systems."
    )
    extra: tuple[ExtraElement, ...] = extras()
    id: str | None = identifier()
    name: str | None = plain_name()


class BindKinematicsModelElement(Element, source=COLLADA):
    """Binds a kinematics model to a node."""

    param: ParamElement | None = element(ParamElement, doc="The model, as a parameter.")
    sidref: str | None = child(STRING, name="SIDREF", doc="The model, as a SID path.")
    target: str | None = attribute(STRING, name="node", doc="The node, as a path in the visual scene.")


class BindJointAxisElement(Element, source=COLLADA):
    """Binds a joint axis to a transform of a node, and states its initial position."""

    axis: ValueElement | None = element(ValueElement, required=True, doc="The axis.")
    value: ValueElement | None = element(
        ValueElement, unit="degree or length", doc="Initial position; in radians with two old authoring tools."
    )
    target: str | None = attribute(STRING, doc="The transform, as a path in the visual scene.")


class InstanceKinematicsSceneElement(Element, source=COLLADA):
    """An instance of a kinematics scene, bound to the visual scene."""

    asset: AssetElement | None = element(AssetElement, doc="Unit of length.")
    newparam: tuple[NewparamElement, ...] = _declare_newparams()
    setparam: tuple[SetparamElement, ...] = _declare_setparams()
    bind_kinematics_model: tuple[BindKinematicsModelElement, ...] = element(
        BindKinematicsModelElement, repeated=True, doc="Bindings of models to nodes."
    )
    bind_joint_axis: tuple[BindJointAxisElement, ...] = element(
        BindJointAxisElement, repeated=True, doc="Bindings of axes to transforms."
    )
    extra: tuple[ExtraElement, ...] = extras()
    url: str | None = _declare_url("The kinematics scene.")
    sid: str | None = scoped_identifier()
    name: str | None = plain_name()
