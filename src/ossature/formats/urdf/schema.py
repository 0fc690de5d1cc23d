"""The schema of URDF: every element and attribute that the parser of ROS reads, and those that are passed through.

Sources: *URDF* is the published XML specification, *urdfdom* the parser of ROS, *ROS* other programs of ROS. The parser of ROS
ignores unknown elements, so that many files contain elements of other programs.
"""

from __future__ import annotations

from typing import ClassVar

from ossature.spatial import Vector3
from ossature.syntax.schema import Element, attribute, element, one_of
from ossature.syntax.xml_values import NUMBER, STRING, VECTOR3, vector

URDF, URDFDOM, ROS = "URDF", "urdfdom", "ROS"

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
ZERO3, ONE3 = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
X_AXIS = (1.0, 0.0, 0.0)
_EFFORT_UNIT, _POSITION_UNIT = "N m or N", "rad or m"


class OriginElement(Element, source=URDF):
    """The pose of a frame in another frame."""

    xyz: Vector3 = attribute(VECTOR3, unit="m", default=ZERO3, always_written=True, doc="Position.")
    rpy: Vector3 | None = attribute(
        VECTOR3, unit="rad", doc="Roll, pitch and yaw about the fixed axes x, y and z; 0 0 0 if absent."
    )
    quat_xyzw: tuple[float, float, float, float] | None = attribute(
        vector(4), source=URDFDOM, doc="Rotation as a quaternion with the scalar last, instead of rpy."
    )


class MassElement(Element, source=URDF):
    """The mass of a link."""

    value: float | None = attribute(NUMBER, unit="kg", doc="Mass.")


def _moment(name: str) -> float | None:
    entry: float | None = attribute(NUMBER, unit="kg m2", source=URDF, doc=f"Entry {name} of the inertia tensor.")
    return entry


class UrdfInertiaElement(Element):
    """The inertia tensor at the centre of mass, expressed in the inertial frame."""

    ixx: float | None = _moment("xx")
    ixy: float | None = _moment("xy")
    ixz: float | None = _moment("xz")
    iyy: float | None = _moment("yy")
    iyz: float | None = _moment("yz")
    izz: float | None = _moment("zz")


class InertialElement(Element, source=URDF):
    """Mass, centre of mass and inertia tensor. A link without it is massless."""

    origin: OriginElement | None = element(
        OriginElement, doc="Pose of the inertial frame in the link frame; its origin is the centre of mass."
    )
    mass: MassElement | None = element(MassElement, doc="Mass.")
    inertia: UrdfInertiaElement | None = element(UrdfInertiaElement, doc="Inertia tensor.")


class UrdfBoxElement(Element, source=URDF):
    """A box centred on its frame."""

    size: Vector3 | None = attribute(VECTOR3, unit="m", required=True, doc="Edge lengths.")


class UrdfCylinderElement(Element, source=URDF):
    """A cylinder along z, centred on its frame."""

    radius: float | None = attribute(NUMBER, unit="m", required=True, doc="Radius.")
    length: float | None = attribute(NUMBER, unit="m", required=True, doc="Distance between the end faces.")


class UrdfCapsuleElement(Element, source=URDFDOM):
    """A capsule along z, centred on its frame: a cylinder with hemispherical caps. Since URDF 1.1."""

    radius: float | None = attribute(NUMBER, unit="m", required=True, doc="Radius.")
    length: float | None = attribute(NUMBER, unit="m", required=True, doc="Length of the cylinder, without the caps.")


class UrdfSphereElement(Element, source=URDF):
    """A sphere centred on its frame."""

    radius: float | None = attribute(NUMBER, unit="m", required=True, doc="Radius.")


class UrdfMeshElement(Element, source=URDF):
    """A triangle mesh in a separate file."""

    filename: str | None = attribute(STRING, required=True, doc="A package:// or file:// URI, or a path relative to this file.")
    scale: Vector3 = attribute(VECTOR3, default=ONE3, doc="Scale factors along x, y and z.")


SHAPES: dict[str, type[Element]] = {
    "box": UrdfBoxElement,
    "cylinder": UrdfCylinderElement,
    "capsule": UrdfCapsuleElement,
    "sphere": UrdfSphereElement,
    "mesh": UrdfMeshElement,
}


class UrdfGeometryElement(Element, source=URDF):
    """The geometry of a visual or collision shape."""

    shape: Element | None = one_of(SHAPES, doc="One geometry; a shape with another one is ignored.")


class UrdfColorElement(Element, source=URDF):
    """A colour."""

    rgba: tuple[float, float, float, float] | None = attribute(
        vector(4), required=True, doc="Red, green, blue and opacity, each from 0 to 1."
    )


class TextureElement(Element, source=URDF):
    """An image on a surface."""

    filename: str | None = attribute(STRING, doc="URI of the image.")


class UrdfMaterialElement(Element, source=URDF):
    """The appearance of a surface. A material with a name only refers to one that the file defines elsewhere."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in the file.")
    color: UrdfColorElement | None = element(UrdfColorElement, doc="Colour.")
    texture: TextureElement | None = element(TextureElement, doc="Image; passed through.")


class VisualElement(Element, source=URDF):
    """A visual shape of a link, which can have several."""

    has_passthrough: ClassVar[bool] = True
    name: str | None = attribute(STRING, doc="Name.")
    origin: OriginElement | None = element(OriginElement, doc="Pose of the shape in the link frame.")
    geometry: UrdfGeometryElement | None = element(UrdfGeometryElement, required=True, doc="Geometry.")
    material: UrdfMaterialElement | None = element(UrdfMaterialElement, doc="Appearance.")


class UrdfCollisionElement(Element, source=URDF):
    """A collision shape of a link, which can have several."""

    has_passthrough: ClassVar[bool] = True
    name: str | None = attribute(STRING, doc="Name.")
    origin: OriginElement | None = element(OriginElement, doc="Pose of the shape in the link frame.")
    geometry: UrdfGeometryElement | None = element(UrdfGeometryElement, required=True, doc="Geometry.")


class UrdfLinkElement(Element, source=URDF):
    """A rigid body. An empty root link with the name world is the world."""

    has_passthrough: ClassVar[bool] = True
    name: str | None = attribute(STRING, required=True, doc="Name, unique in the file.")
    inertial: InertialElement | None = element(InertialElement, doc="Mass and inertia; massless if absent.")
    visual: tuple[VisualElement, ...] = element(VisualElement, repeated=True, doc="Visual shape.")
    collision: tuple[UrdfCollisionElement, ...] = element(UrdfCollisionElement, repeated=True, doc="Collision shape.")


class LinkReferenceElement(Element, source=URDF):
    """A link that a joint connects."""

    link: str | None = attribute(STRING, required=True, doc="Name of the link.")


class UrdfAxisElement(Element, source=URDF):
    """The axis of a joint, in the joint frame; for a planar joint, the normal of its plane."""

    xyz: Vector3 = attribute(
        VECTOR3, default=X_AXIS, always_written=True, doc="Unit vector."
    )  # MuJoCo and the parser of ROS require it in an <axis>


class UrdfLimitElement(Element, source=URDF):
    """The limits of a joint. The largest finite double means unlimited."""

    lower: float | None = attribute(NUMBER, unit=_POSITION_UNIT, doc="Lower position limit; 0 if absent.")
    upper: float | None = attribute(NUMBER, unit=_POSITION_UNIT, doc="Upper position limit; 0 if absent.")
    effort: float | None = attribute(
        NUMBER, unit=_EFFORT_UNIT, doc="Maximum magnitude of torque or force; required for revolute and prismatic joints."
    )
    velocity: float | None = attribute(
        NUMBER,
        unit="rad/s or m/s",
        doc="Maximum magnitude of velocity, not enforced; required for revolute and prismatic joints.",
    )


class UrdfDynamicsElement(Element, source=URDF):
    """Damping and friction of a joint."""

    damping: float = attribute(NUMBER, unit="N m s/rad or N s/m", default=0.0, doc="Viscous damping.")
    friction: float = attribute(NUMBER, unit=_EFFORT_UNIT, default=0.0, doc="Coulomb friction.")


class MimicElement(Element, source=URDF):
    """A coupling to another joint: position = multiplier × position of the other joint + offset."""

    joint: str | None = attribute(STRING, required=True, doc="Name of the other joint.")
    multiplier: float = attribute(NUMBER, default=1.0, doc="Factor.")
    offset: float = attribute(NUMBER, unit=_POSITION_UNIT, default=0.0, doc="Offset.")


class CalibrationElement(Element, source=URDF):
    """Positions of a reference switch; passed through."""

    rising: float | None = attribute(NUMBER, unit=_POSITION_UNIT, doc="Position of the rising edge.")
    falling: float | None = attribute(NUMBER, unit=_POSITION_UNIT, doc="Position of the falling edge.")
    reference_position: float | None = attribute(NUMBER, unit=_POSITION_UNIT, source=URDFDOM, doc="Position of the switch.")


class SafetyControllerElement(Element, source=URDF):
    """Soft limits and gains of the safety controller of ROS; passed through."""

    soft_lower_limit: float = attribute(NUMBER, unit=_POSITION_UNIT, default=0.0, doc="Lower soft limit.")
    soft_upper_limit: float = attribute(NUMBER, unit=_POSITION_UNIT, default=0.0, doc="Upper soft limit.")
    k_position: float = attribute(NUMBER, default=0.0, doc="Gain from position to velocity.")
    k_velocity: float | None = attribute(NUMBER, required=True, doc="Gain from velocity to effort.")


class UrdfJointElement(Element, source=URDF):
    """A joint between two links. The joint frame is the frame of the child."""

    has_passthrough: ClassVar[bool] = True
    name: str | None = attribute(STRING, required=True, doc="Name, unique in the file.")
    type: str | None = attribute(
        STRING, required=True, doc=f"{', '.join(JOINT_TYPES)}: revolute rotates within limits, continuous without limits."
    )
    origin: OriginElement | None = element(OriginElement, doc="Pose of the joint in the frame of the parent.")
    parent: LinkReferenceElement | None = element(LinkReferenceElement, required=True, doc="Parent link.")
    child: LinkReferenceElement | None = element(LinkReferenceElement, required=True, doc="Child link.")
    axis: UrdfAxisElement | None = element(UrdfAxisElement, doc="Axis; 1 0 0 if absent.")
    limit: UrdfLimitElement | None = element(UrdfLimitElement, doc="Limits; required for revolute and prismatic joints.")
    dynamics: UrdfDynamicsElement | None = element(UrdfDynamicsElement, doc="Damping and friction.")
    mimic: MimicElement | None = element(MimicElement, doc="Coupling to another joint.")
    calibration: CalibrationElement | None = element(CalibrationElement, doc="Reference switch.")
    safety_controller: SafetyControllerElement | None = element(SafetyControllerElement, doc="Safety controller.")


class TransmissionElement(Element, source=ROS):
    """The transmission between actuators and joints, in the older or newer form; passed through."""

    opaque: ClassVar[bool] = True
    name: str | None = attribute(STRING, doc="Name.")
    type: str | None = attribute(STRING, doc="Type of the transmission, in the older form.")


class GazeboElement(Element, source=ROS):
    """Settings of the simulator Gazebo; passed through."""

    opaque: ClassVar[bool] = True
    reference: str | None = attribute(STRING, doc="Link or joint that it applies to; the robot if absent.")


class Ros2ControlElement(Element, source=ROS):
    """Hardware interfaces of ros2_control; passed through."""

    opaque: ClassVar[bool] = True
    name: str | None = attribute(STRING, doc="Name.")
    type: str | None = attribute(STRING, doc="system, actuator or sensor.")


class RobotElement(Element, source=URDF):
    """The root element: one robot. Elements of other programs are passed through."""

    has_passthrough: ClassVar[bool] = True
    name: str | None = attribute(STRING, required=True, doc="Name.")
    version: str | None = attribute(STRING, source=URDFDOM, doc="Version of URDF: 1.0 if absent; capsules need 1.1.")
    material: tuple[UrdfMaterialElement, ...] = element(
        UrdfMaterialElement, repeated=True, doc="A material that links can refer to by name."
    )
    link: tuple[UrdfLinkElement, ...] = element(UrdfLinkElement, repeated=True, doc="A rigid body.")
    joint: tuple[UrdfJointElement, ...] = element(UrdfJointElement, repeated=True, doc="A joint.")
    transmission: tuple[TransmissionElement, ...] = element(
        TransmissionElement, repeated=True, source=ROS, doc="Transmission between actuators and joints."
    )
    gazebo: tuple[GazeboElement, ...] = element(GazeboElement, repeated=True, source=ROS, doc="Settings of Gazebo.")
    ros2_control: tuple[Ros2ControlElement, ...] = element(
        Ros2ControlElement, repeated=True, source=ROS, doc="Hardware interfaces of ROS 2."
    )


ROOTS: tuple[tuple[str, type[Element]], ...] = (("robot", RobotElement),)
"""The root element of a URDF file: its tag and declaration."""
