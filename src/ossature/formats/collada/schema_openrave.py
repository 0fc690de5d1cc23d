"""OpenRAVE's robot extensions as data: what stands in ``<technique profile="OpenRAVE">`` of each kind of ``<extra>``."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_actuator import ActuatorElement as ActuatorElement
from ossature.formats.collada.schema_common import (
    PAGE,
    PROGRAM,
    RotateElement,
    TranslateElement,
    ValueElement,
    extras,
    rigid_transforms,
    scoped_identifier,
)
from ossature.formats.collada.schema_common import (
    ExtraElement as ExtraElement,
)
from ossature.formats.collada.schema_physics import SIMPLE_SHAPES, CylinderZElement, ShapeGeometry
from ossature.syntax.schema import Element, attribute, child, element, one_of, text
from ossature.syntax.xml_values import NUMBER, STRING, VECTOR3, word

PROFILE = "OpenRAVE"
IK_TYPES = (
    "Transform6D",
    "Rotation3D",
    "Translation3D",
    "Direction3D",
    "Ray4D",
    "Lookat3D",
    "TranslationDirection5D",
)


def _link(doc: str = "The link.", name: str = "link") -> Any:
    return attribute(STRING, name=name, required=True, source=PAGE, doc=doc)


class OpenraveElement(Element):
    """What OpenRAVE says in one extension."""

    profile: str | None = attribute(STRING, source=PAGE, doc="The program's name: OpenRAVE.")
    sid: str | None = scoped_identifier()


class InterfaceElement(Element):
    """The program part that is meant."""

    value: str | None = text(STRING, source=PAGE, doc="Its name.")
    type: str | None = attribute(STRING, source=PAGE, doc="What it is a part for: robot, kinbody, sensor, iksolver …")


class InterfaceTypeElement(OpenraveElement):
    """interface_type: the program part that a robot, a sensor or a solver is meant for. It is kept, never loaded."""

    interface: InterfaceElement | None = element(InterfaceElement, required=True, source=PAGE, doc="The program part.")
    plugin: str | None = child(STRING, source=PAGE, doc="The library that holds it.")


class InnerInterfaceTypeElement(Element):
    """The program part that is meant, with a technique around it or without."""

    interface: InterfaceElement | None = element(InterfaceElement, source=PAGE, doc="The program part.")
    plugin: str | None = child(STRING, source=PAGE, doc="The library that holds it.")
    technique: InterfaceTypeElement | None = element(InterfaceTypeElement, source=PROGRAM, doc="The same.")

    @property
    def stated(self) -> InterfaceTypeElement | InnerInterfaceTypeElement:
        """The element that states it."""
        return self.technique if self.technique is not None else self


class FrameOriginElement(Element):
    """A frame on a link."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    link: str | None = _link()


class FrameTipElement(Element):
    """The frame of a manipulator."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    direction: tuple[float, float, float] | None = child(
        VECTOR3, source=PAGE, doc="The direction in which it works, in its own frame; 0 0 1 if absent."
    )
    link: str | None = _link("The link that carries it.")


class ClosingDirectionElement(ValueElement):
    """The sign in which an axis of a gripper closes."""

    axis: str | None = attribute(STRING, required=True, source=PAGE, doc="The axis inside the joint.")


class ChuckingDirectionElement(ClosingDirectionElement):
    """The sign in which an axis of a gripper closes, in the newer edition's word."""


class GripperJointElement(Element):
    """A joint of a gripper."""

    directions: tuple[ChuckingDirectionElement | ClosingDirectionElement, ...] = one_of(
        {"chucking_direction": ChuckingDirectionElement, "closing_direction": ClosingDirectionElement},
        repeated=True,
        source=PAGE,
        doc="In which direction its axes close; 0 for an axis that is not named.",
    )
    joint: str | None = attribute(STRING, required=True, source=PAGE, doc="The joint.")


class FreeJointElement(Element):
    """A joint whose positions a solver tries one after the other."""

    joint: str | None = attribute(STRING, required=True, source=PAGE, doc="The joint.")
    stepsize: float | None = attribute(NUMBER, unit="rad or m", source=PAGE, doc="Distance of tried positions.")


class IkSolverElement(Element):
    """Inverse kinematics that suits a manipulator."""

    free_joint: tuple[FreeJointElement, ...] = element(FreeJointElement, repeated=True, source=PAGE, doc="Joints to sample.")
    interface_type: InnerInterfaceTypeElement | None = element(
        InnerInterfaceTypeElement, source=PAGE, doc="The program part that is meant."
    )
    type: str | None = attribute(word(*IK_TYPES), source=PAGE, doc="What it solves for.")


class EndLinkElement(Element):
    """The link where the chain for inverse kinematics ends."""

    link: str | None = _link()


class ManipulatorElement(OpenraveElement):
    """manipulator: an arm and a gripper."""

    frame_origin: FrameOriginElement | None = element(
        FrameOriginElement, required=True, source=PAGE, doc="The frame where the arm begins."
    )
    frame_tip: FrameTipElement | None = element(FrameTipElement, required=True, source=PAGE, doc="The frame where it ends.")
    gripper_joint: tuple[GripperJointElement, ...] = element(
        GripperJointElement, repeated=True, source=PAGE, doc="The joints of its gripper."
    )
    iksolver: tuple[IkSolverElement, ...] = element(IkSolverElement, repeated=True, source=PAGE, doc="What suits it.")
    frame_endlink: EndLinkElement | None = element(EndLinkElement, source=PROGRAM, doc="Where its chain ends.")
    grippername: str | None = child(
        STRING, aliases={"gripperid": "the program's older word"}, source=PROGRAM, doc="The gripper's name."
    )
    toolChangerConnectedBodyToolName: str | None = child(STRING, source=PROGRAM, doc="Kept.")  # noqa: N815
    toolChangerLinkName: str | None = child(STRING, source=PROGRAM, doc="Kept.")  # noqa: N815
    restrict_graspset_name: str | None = child(STRING, source=PROGRAM, doc="Kept.")


class IgnoreLinkElement(Element):
    """A link that does not collide with what is held."""

    link: str | None = _link("The link, by the path or the sid of its rigid body.")


class IgnoreLinksElement(OpenraveElement):
    """Links that do not collide with what is held."""

    ignore_link: tuple[IgnoreLinkElement, ...] = element(IgnoreLinkElement, repeated=True, source=PAGE, doc="One of them.")


class AttachmentElement(Element):
    """One side of a rigid constraint."""

    rigid_body: str | None = attribute(
        STRING, required=True, source=PAGE, doc="The body: sids of the physics model's and the rigid body's instances."
    )


class RigidConstraintElement(Element):
    """A body that holds another one."""

    ref_attachment: AttachmentElement | None = element(AttachmentElement, required=True, source=PAGE, doc="What holds.")
    attachment: AttachmentElement | None = element(AttachmentElement, required=True, source=PAGE, doc="What is held.")
    technique: IgnoreLinksElement | None = element(IgnoreLinksElement, source=PAGE, doc="What does not collide.")
    sid: str | None = scoped_identifier()
    name: str | None = attribute(STRING, source=PROGRAM, doc="Its name.")


class DynamicRigidConstraintsElement(OpenraveElement):
    """dynamic_rigid_constraints: which bodies hold which."""

    rigid_constraint: tuple[RigidConstraintElement, ...] = element(
        RigidConstraintElement, repeated=True, source=PAGE, doc="A body that holds another one."
    )


class BindInstanceGeometryElement(Element):
    """A geometry that is touched, where that is not the one that is seen."""

    type: str | None = attribute(
        word("environment", "self"), required=True, source=PAGE, doc="By other models, or by links of the same one."
    )
    link: str | None = _link()
    url: str | None = attribute(STRING, required=True, source=PAGE, doc="The geometry.")
    material: str | None = attribute(STRING, source=PROGRAM, doc="Its material; colours of what is touched are not used.")


class IgnoreLinkPairElement(Element):
    """Two links that never collide."""

    link0: str | None = _link("The first link.", "link0")
    link1: str | None = _link("The second link.", "link1")


class LinkStateElement(ValueElement):
    """Whether a link collides, or is visible."""

    link: str | None = _link()


class CollisionElement(OpenraveElement):
    """collision: what is touched, and what never collides."""

    bind_instance_geometry: tuple[BindInstanceGeometryElement, ...] = element(
        BindInstanceGeometryElement, repeated=True, source=PAGE, doc="A geometry that is touched."
    )
    ignore_link_pair: tuple[IgnoreLinkPairElement, ...] = element(
        IgnoreLinkPairElement, repeated=True, source=PAGE, doc="Two links that never collide."
    )
    link_collision_state: tuple[LinkStateElement, ...] = element(
        LinkStateElement, repeated=True, source=PAGE, doc="Whether a link collides."
    )
    link_visible_state: tuple[LinkStateElement, ...] = element(
        LinkStateElement, repeated=True, source=PAGE, doc="Whether a link is visible."
    )


class VisibleElement(OpenraveElement):
    """visible: which links are visible, where the program reads it."""

    link_visible_state: tuple[LinkStateElement, ...] = element(
        LinkStateElement, repeated=True, source=PROGRAM, doc="Whether a link is visible."
    )


class OpaqueElement(Element):
    """Something that only the program knows."""

    opaque = True


class GeometryInfoElement(OpenraveElement):
    """geometry_info: the simple shape that a mesh stands for, its frame, and whether it is visible."""

    shape: ShapeGeometry | None = one_of({**SIMPLE_SHAPES, "cylinderz": CylinderZElement}, source=PAGE, doc="The simple shape.")
    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    visible: ValueElement | None = element(ValueElement, source=PAGE, doc="Whether it is visible; it is if absent.")
    container: OpaqueElement | None = element(OpaqueElement, source=PROGRAM, doc="A container; its mesh is taken.")
    cage: OpaqueElement | None = element(OpaqueElement, source=PROGRAM, doc="A cage; its mesh is taken.")
    calibration_board: OpaqueElement | None = element(
        OpaqueElement, source=PROGRAM, doc="A calibration board; its mesh is taken."
    )


class InfoArrayElement(Element):
    """Numbers or words with a name."""

    value: str | None = text(STRING, source=PAGE, doc="The numbers or words.")
    name: str | None = attribute(STRING, required=True, source=PAGE, doc="Their name.")
    link: str | None = attribute(STRING, source=PAGE, doc="The link, again.")
    joint: str | None = attribute(STRING, source=PAGE, doc="The joint, again.")


class FloatInfoElement(InfoArrayElement):
    """Numbers with a name."""


class IntInfoElement(InfoArrayElement):
    """Whole numbers with a name."""


class StringInfoElement(InfoArrayElement):
    """A text with a name."""


class InfoElement(OpenraveElement):
    """link_info and joint_info: numbers and words about a link or a joint."""

    arrays: tuple[FloatInfoElement | IntInfoElement | StringInfoElement, ...] = one_of(
        {"float_array": FloatInfoElement, "int_array": IntInfoElement, "string_value": StringInfoElement},
        repeated=True,
        source=PAGE,
        doc="The numbers and words.",
    )


class SensorElement(Element):
    """A sensor; what is inside depends on its type."""

    opaque = True
    type: str | None = attribute(STRING, required=True, source=PAGE, doc="What it is.")
    id: str | None = attribute(STRING, required=True, source=PAGE, doc="Its identifier.")
    name: str | None = attribute(STRING, source=PROGRAM, doc="Its name.")


class LibrarySensorsElement(OpenraveElement):
    """library_sensors: sensors to attach."""

    sensor: tuple[SensorElement, ...] = element(SensorElement, repeated=True, source=PAGE, doc="A sensor.")


class LibraryActuatorsElement(OpenraveElement):
    """library_actuators: actuators to attach."""

    actuator: tuple[ActuatorElement, ...] = element(ActuatorElement, repeated=True, source=PAGE, doc="An actuator.")


class InstanceUrlElement(Element):
    """A thing of a library."""

    url: str | None = attribute(STRING, required=True, source=PAGE, doc="The thing.")
    extra: tuple[ExtraElement, ...] = extras()


class AttachSensorElement(OpenraveElement):
    """attach_sensor: a sensor on a link."""

    instance_sensor: InstanceUrlElement | None = element(InstanceUrlElement, source=PAGE, doc="The sensor.")
    frame_origin: FrameOriginElement | None = element(FrameOriginElement, source=PAGE, doc="Where it sits.")


class BindActuatorElement(Element):
    """The joint that an actuator drives."""

    joint: str | None = attribute(STRING, required=True, source=PAGE, doc="The joint.")


class AttachActuatorElement(OpenraveElement):
    """attach_actuator: an actuator on a joint."""

    instance_actuator: tuple[InstanceUrlElement, ...] = element(
        InstanceUrlElement, repeated=True, source=PAGE, doc="The actuator; of several, all drive the joint."
    )
    bind_actuator: tuple[BindActuatorElement, ...] = element(
        BindActuatorElement,
        repeated=True,
        required=True,
        source=PAGE,
        doc="The joint that it drives, or several.",
    )


class EquationElement(Element):
    """An equation in MathML."""

    opaque = True
    type: str | None = attribute(
        word("position", "first_partial", "second_partial"), required=True, source=PAGE, doc="What it states."
    )
    target: str | None = attribute(STRING, source=PAGE, doc="Of a partial derivative: the joint by which it is taken.")


class FormulaEquationsElement(OpenraveElement):
    """formula/technique: the formula, and its partial derivatives."""

    equation: tuple[EquationElement, ...] = element(EquationElement, repeated=True, source=PAGE, doc="An equation.")


EXTENSIONS: dict[str, type[OpenraveElement]] = {
    "interface_type": InterfaceTypeElement,
    "manipulator": ManipulatorElement,
    "dynamic_rigid_constraints": DynamicRigidConstraintsElement,
    "collision": CollisionElement,
    "visible": VisibleElement,
    "geometry_info": GeometryInfoElement,
    "link_info": InfoElement,
    "joint_info": InfoElement,
    "library_sensors": LibrarySensorsElement,
    "attach_sensor": AttachSensorElement,
    "library_actuators": LibraryActuatorsElement,
    "attach_actuator": AttachActuatorElement,
}
"""What stands in the technique of each type of ``<extra>`` that is read."""
