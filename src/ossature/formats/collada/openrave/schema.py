"""Schema of OpenRAVE's robot extensions: content of ``<technique profile="OpenRAVE">`` of each type of ``<extra>``."""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.openrave.schema_actuators import ActuatorElement as ActuatorElement
from ossature.formats.collada.physics.schema import SIMPLE_SHAPES, CylinderZElement, ShapeGeometry
from ossature.formats.collada.rules import INCOMPLETE_EXTENSION
from ossature.formats.collada.schema_common import (
    PAGE,
    PROGRAM,
    ExtensionElement,
    RotateElement,
    TranslateElement,
    ValueElement,
    extras,
    rigid_transforms,
    scoped_identifier,
)
from ossature.formats.collada.schema_common import ExtraElement as ExtraElement
from ossature.spatial import Vector3
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


def _declare_link_reference(doc: str = "The link.", name: str = "link") -> Any:
    return attribute(STRING, name=name, required=True, source=PAGE, doc=doc)


class OpenraveElement(ExtensionElement, source=PAGE):
    """The technique of OpenRAVE in an extension."""

    profile: str | None = attribute(STRING, doc="Name of the program: OpenRAVE.")
    sid: str | None = scoped_identifier()


class InterfaceElement(Element, source=PAGE):
    """An interface of OpenRAVE that a plugin implements."""

    value: str | None = text(STRING, doc="Name of the interface.")
    type: str | None = attribute(STRING, doc="Type of interface: robot, kinbody, sensor, iksolver …")


class InterfaceTypeElement(OpenraveElement, source=PAGE):
    """interface_type: the OpenRAVE interface of a robot, a sensor or a solver. It is passed through and never loaded."""

    interface: InterfaceElement | None = element(InterfaceElement, required=True, doc="The interface.")
    plugin: str | None = child(STRING, doc="The plugin library that implements it.")


class InnerInterfaceTypeElement(Element, source=PAGE):
    """An interface of OpenRAVE, with or without an enclosing technique."""

    interface: InterfaceElement | None = element(InterfaceElement, doc="The interface.")
    plugin: str | None = child(STRING, doc="The plugin library that implements it.")
    technique: InterfaceTypeElement | None = element(InterfaceTypeElement, source=PROGRAM, doc="Enclosing technique.")

    @property
    def specified(self) -> InterfaceTypeElement | InnerInterfaceTypeElement:
        """The element with the interface."""
        return self.technique if self.technique is not None else self


class FrameOriginElement(ExtensionElement):
    """A frame on a link."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    link: str | None = _declare_link_reference()


class FrameTipElement(ExtensionElement, source=PAGE):
    """The tip frame of a manipulator."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    direction: Vector3 | None = child(VECTOR3, doc="Approach direction, expressed in the tip frame; 0 0 1 if absent.")
    link: str | None = _declare_link_reference("The link that the frame is attached to.")


class ClosingDirectionElement(ValueElement, source=PAGE):
    """The closing direction of an axis of a gripper: 1, -1 or 0."""

    missing_rule = INCOMPLETE_EXTENSION

    axis: str | None = attribute(STRING, required=True, doc="The axis of the joint.")


class ChuckingDirectionElement(ClosingDirectionElement):
    """The closing direction of an axis of a gripper, as the newer edition names it."""


class GripperJointElement(ExtensionElement, source=PAGE):
    """A joint of a gripper."""

    directions: tuple[ChuckingDirectionElement | ClosingDirectionElement, ...] = one_of(
        {"chucking_direction": ChuckingDirectionElement, "closing_direction": ClosingDirectionElement},
        repeated=True,
        doc="Closing directions of the axes; 0 for an axis without one.",
    )
    joint: str | None = attribute(STRING, required=True, doc="The joint.")


class FreeJointElement(ExtensionElement, source=PAGE):
    """A free joint of an inverse kinematics solver, whose positions are sampled."""

    joint: str | None = attribute(STRING, required=True, doc="The joint.")
    stepsize: float | None = attribute(NUMBER, unit="rad or m", doc="Step between sampled positions.")


class IkSolverElement(Element, source=PAGE):
    """An inverse kinematics solver of a manipulator."""

    free_joint: tuple[FreeJointElement, ...] = element(FreeJointElement, repeated=True, doc="Joints to sample.")
    interface_type: InnerInterfaceTypeElement | None = element(
        InnerInterfaceTypeElement, doc="The OpenRAVE interface of the solver."
    )
    type: str | None = attribute(word(*IK_TYPES), doc="Type of target.")


class EndLinkElement(ExtensionElement):
    """The last link of the chain for inverse kinematics."""

    link: str | None = _declare_link_reference()


class ManipulatorElement(OpenraveElement, source=PROGRAM):
    """manipulator: an arm and a gripper."""

    frame_origin: FrameOriginElement | None = element(
        FrameOriginElement, required=True, source=PAGE, doc="Base frame of the arm."
    )
    frame_tip: FrameTipElement | None = element(FrameTipElement, required=True, source=PAGE, doc="Tip frame.")
    gripper_joint: tuple[GripperJointElement, ...] = element(
        GripperJointElement, repeated=True, source=PAGE, doc="Joints of the gripper."
    )
    iksolver: tuple[IkSolverElement, ...] = element(IkSolverElement, repeated=True, source=PAGE, doc="IK solvers.")
    frame_endlink: EndLinkElement | None = element(EndLinkElement, doc="Last link of the chain.")
    grippername: str | None = child(STRING, aliases={"gripperid": "the older name in OpenRAVE"}, doc="Name of the gripper.")
    toolChangerConnectedBodyToolName: str | None = child(STRING, doc="Passed through.")  # noqa: N815
    toolChangerLinkName: str | None = child(STRING, doc="Passed through.")  # noqa: N815
    restrict_graspset_name: str | None = child(STRING, doc="Passed through.")


class IgnoreLinkElement(ExtensionElement):
    """A link that does not collide with the grasped body."""

    link: str | None = _declare_link_reference("The link, as the path or the sid of its rigid body.")


class IgnoreLinksElement(OpenraveElement, source=PAGE):
    """Links that do not collide with the grasped body."""

    ignore_link: tuple[IgnoreLinkElement, ...] = element(IgnoreLinkElement, repeated=True, doc="A link.")


class AttachmentElement(ExtensionElement, source=PAGE):
    """One side of a rigid constraint."""

    rigid_body: str | None = attribute(
        STRING, required=True, doc="The body: sids of the instances of physics model and rigid body."
    )


class RigidConstraintElement(ExtensionElement, source=PAGE):
    """A grasp: a body that is rigidly attached to another one."""

    ref_attachment: AttachmentElement | None = element(AttachmentElement, required=True, doc="Gripper link.")
    attachment: AttachmentElement | None = element(AttachmentElement, required=True, doc="The grasped body.")
    technique: IgnoreLinksElement | None = element(IgnoreLinksElement, doc="Links that do not collide with it.")
    sid: str | None = scoped_identifier()
    name: str | None = attribute(STRING, source=PROGRAM, doc="Name.")


class DynamicRigidConstraintsElement(OpenraveElement, source=PAGE):
    """dynamic_rigid_constraints: grasps."""

    rigid_constraint: tuple[RigidConstraintElement, ...] = element(RigidConstraintElement, repeated=True, doc="A grasp.")


class BindInstanceGeometryElement(ExtensionElement, source=PAGE):
    """A collision geometry of a link, if it differs from the visual geometry."""

    type: str | None = attribute(
        word("environment", "self"), required=True, doc="Contact with other models, or between links of one model."
    )
    link: str | None = _declare_link_reference()
    url: str | None = attribute(STRING, required=True, doc="The geometry.")
    material: str | None = attribute(STRING, source=PROGRAM, doc="Material; ignored for collision geometries.")


class IgnoreLinkPairElement(ExtensionElement):
    """Two links that never collide."""

    link0: str | None = _declare_link_reference("The first link.", "link0")
    link1: str | None = _declare_link_reference("The second link.", "link1")


class LinkStateElement(ValueElement):
    """Whether a link collides, or is visible."""

    missing_rule = INCOMPLETE_EXTENSION

    link: str | None = _declare_link_reference()


class CollisionElement(OpenraveElement, source=PAGE):
    """collision: collision geometries and collision filters."""

    bind_instance_geometry: tuple[BindInstanceGeometryElement, ...] = element(
        BindInstanceGeometryElement, repeated=True, doc="A collision geometry."
    )
    ignore_link_pair: tuple[IgnoreLinkPairElement, ...] = element(
        IgnoreLinkPairElement, repeated=True, doc="Two links that never collide."
    )
    link_collision_state: tuple[LinkStateElement, ...] = element(
        LinkStateElement, repeated=True, doc="Whether a link collides."
    )
    link_visible_state: tuple[LinkStateElement, ...] = element(
        LinkStateElement, repeated=True, doc="Whether a link is visible."
    )


class VisibleElement(OpenraveElement, source=PROGRAM):
    """visible: the visibility of links, in the extension that OpenRAVE reads."""

    link_visible_state: tuple[LinkStateElement, ...] = element(
        LinkStateElement, repeated=True, doc="Whether a link is visible."
    )


class OpaqueElement(Element):
    """Content that only OpenRAVE reads."""

    opaque = True


class GeometryInfoElement(OpenraveElement, source=PROGRAM):
    """geometry_info: the primitive that a mesh represents, its frame and its visibility."""

    shape: ShapeGeometry | None = one_of({**SIMPLE_SHAPES, "cylinderz": CylinderZElement}, source=PAGE, doc="The primitive.")
    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    visible: ValueElement | None = element(ValueElement, source=PAGE, doc="Whether it is visible; true if absent.")
    container: OpaqueElement | None = element(OpaqueElement, doc="A container; its mesh is used.")
    cage: OpaqueElement | None = element(OpaqueElement, doc="A cage; its mesh is used.")
    calibration_board: OpaqueElement | None = element(OpaqueElement, doc="A calibration board; its mesh is used.")


class InfoArrayElement(ExtensionElement, source=PAGE):
    """A named array of numbers, or a named text."""

    value: str | None = text(STRING, doc="The numbers or the text.")
    name: str | None = attribute(STRING, required=True, doc="Name.")
    link: str | None = attribute(STRING, doc="The link; repeats the name of the extension.")
    joint: str | None = attribute(STRING, doc="The joint; repeats the name of the extension.")


class FloatInfoElement(InfoArrayElement):
    """A named array of numbers."""


class IntInfoElement(InfoArrayElement):
    """A named array of integers."""


class StringInfoElement(InfoArrayElement):
    """A named text."""


class InfoElement(OpenraveElement, source=PAGE):
    """link_info and joint_info: named numbers and texts of a link or a joint."""

    arrays: tuple[FloatInfoElement | IntInfoElement | StringInfoElement, ...] = one_of(
        {"float_array": FloatInfoElement, "int_array": IntInfoElement, "string_value": StringInfoElement},
        repeated=True,
        doc="The numbers and texts.",
    )


class SensorElement(ExtensionElement, source=PAGE):
    """A sensor. The content depends on the type."""

    opaque = True
    type: str | None = attribute(STRING, required=True, doc="Type of sensor.")
    id: str | None = attribute(STRING, required=True, doc="Identifier.")
    name: str | None = attribute(STRING, source=PROGRAM, doc="Name.")


class LibrarySensorsElement(OpenraveElement, source=PAGE):
    """library_sensors: sensors to attach."""

    sensor: tuple[SensorElement, ...] = element(SensorElement, repeated=True, doc="A sensor.")


class LibraryActuatorsElement(OpenraveElement, source=PAGE):
    """library_actuators: actuators to attach."""

    actuator: tuple[ActuatorElement, ...] = element(ActuatorElement, repeated=True, doc="An actuator.")


class InstanceUrlElement(ExtensionElement, source=PAGE):
    """An instance of an element of a library."""

    url: str | None = attribute(STRING, required=True, doc="The element.")
    extra: tuple[ExtraElement, ...] = extras()


class AttachSensorElement(OpenraveElement, source=PAGE):
    """attach_sensor: a sensor on a link."""

    instance_sensor: InstanceUrlElement | None = element(InstanceUrlElement, doc="The sensor.")
    frame_origin: FrameOriginElement | None = element(FrameOriginElement, doc="Frame of the sensor on its link.")


class BindActuatorElement(ExtensionElement, source=PAGE):
    """The joint that an actuator drives."""

    joint: str | None = attribute(STRING, required=True, doc="The joint.")


class AttachActuatorElement(OpenraveElement, source=PAGE):
    """attach_actuator: an actuator on a joint."""

    instance_actuator: tuple[InstanceUrlElement, ...] = element(
        InstanceUrlElement, repeated=True, doc="The actuator; several all drive the joint."
    )
    bind_actuator: tuple[BindActuatorElement, ...] = element(
        BindActuatorElement, repeated=True, required=True, doc="The joint or joints that it drives."
    )


class EquationElement(Element, source=PAGE):
    """An equation in MathML."""

    opaque = True
    type: str | None = attribute(
        word("position", "first_partial", "second_partial"), required=True, doc="Position or partial derivative."
    )
    target: str | None = attribute(STRING, doc="The joint that a partial derivative is with respect to.")


class FormulaEquationsElement(OpenraveElement, source=PAGE):
    """formula/technique: a formula and its partial derivatives."""

    equation: tuple[EquationElement, ...] = element(EquationElement, repeated=True, doc="An equation.")


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
"""Content of the technique of each supported type of ``<extra>``."""
