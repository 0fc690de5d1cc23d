"""URDF as data: every element and attribute that ROS's parser reads, and what is only carried along.

Sources: *URDF* the published XML specification, *urdfdom* what ROS's parser reads besides, *ROS* what other programs of ROS
look for. ROS's parser skips what it does not know, and so many files hold elements of other programs.
"""

from __future__ import annotations

from typing import ClassVar

from ossature.syntax.schema import Element, attribute, element, one_of
from ossature.syntax.xml_values import NUMBER, STRING, VECTOR3, vector

URDF, URDFDOM, ROS = "URDF", "urdfdom", "ROS"

JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
ZERO3, ONE3 = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
X_AXIS = (1.0, 0.0, 0.0)
_EFFORT_UNIT, _PLACE_UNIT = "N m or N", "rad or m"


class OriginElement(Element):
    """A frame in another one."""

    xyz: tuple[float, float, float] = attribute(VECTOR3, unit="m", default=ZERO3, source=URDF, doc="Position.")
    rpy: tuple[float, float, float] | None = attribute(
        VECTOR3, unit="rad", source=URDF, doc="Roll, pitch and yaw about the fixed axes x, y and z; 0 0 0 if absent."
    )
    quat_xyzw: tuple[float, float, float, float] | None = attribute(
        vector(4), source=URDFDOM, doc="The rotation as a quaternion, scalar last, in place of rpy."
    )


class MassElement(Element):
    """The mass of a link."""

    value: float | None = attribute(NUMBER, unit="kg", required=True, source=URDF, doc="Mass.")


def _moment(name: str) -> float | None:
    found: float | None = attribute(NUMBER, unit="kg m2", required=True, source=URDF, doc=f"{name} of the inertia tensor.")
    return found


class UrdfInertiaElement(Element):
    """The inertia tensor about the centre of mass, in axes of the inertial frame."""

    ixx: float | None = _moment("xx")
    ixy: float | None = _moment("xy")
    ixz: float | None = _moment("xz")
    iyy: float | None = _moment("yy")
    iyz: float | None = _moment("yz")
    izz: float | None = _moment("zz")


class InertialElement(Element):
    """Mass and its distribution. A link without it has no mass."""

    origin: OriginElement | None = element(
        OriginElement,
        source=URDF,
        doc="The inertial frame, at the centre of mass, in the link frame.",
    )
    mass: MassElement | None = element(MassElement, required=True, source=URDF, doc="Mass.")
    inertia: UrdfInertiaElement | None = element(UrdfInertiaElement, required=True, source=URDF, doc="Inertia tensor.")


class UrdfBoxElement(Element):
    """A box centred on its frame."""

    size: tuple[float, float, float] | None = attribute(VECTOR3, unit="m", required=True, source=URDF, doc="Edge lengths.")


class UrdfCylinderElement(Element):
    """A cylinder along z, centred on its frame."""

    radius: float | None = attribute(NUMBER, unit="m", required=True, source=URDF, doc="Radius.")
    length: float | None = attribute(NUMBER, unit="m", required=True, source=URDF, doc="Distance between the end faces.")


class UrdfCapsuleElement(Element):
    """A cylinder along z with half spheres at its ends, centred on its frame; of URDF 1.1."""

    radius: float | None = attribute(NUMBER, unit="m", required=True, source=URDFDOM, doc="Radius.")
    length: float | None = attribute(
        NUMBER, unit="m", required=True, source=URDFDOM, doc="Length of the cylinder without its caps."
    )


class UrdfSphereElement(Element):
    """A sphere centred on its frame."""

    radius: float | None = attribute(NUMBER, unit="m", required=True, source=URDF, doc="Radius.")


class UrdfMeshElement(Element):
    """A triangle mesh in a file of its own."""

    filename: str | None = attribute(
        STRING, required=True, source=URDF, doc="A package:// or file:// URI, or a path relative to this file."
    )
    scale: tuple[float, float, float] = attribute(VECTOR3, default=ONE3, source=URDF, doc="Factor along x, y and z.")


SHAPES: dict[str, type[Element]] = {
    "box": UrdfBoxElement,
    "cylinder": UrdfCylinderElement,
    "capsule": UrdfCapsuleElement,
    "sphere": UrdfSphereElement,
    "mesh": UrdfMeshElement,
}


class UrdfGeometryElement(Element):
    """The shape of what is seen or touched."""

    shape: Element | None = one_of(SHAPES, required=True, source=URDF, doc="One shape.")


class UrdfColorElement(Element):
    """A colour."""

    rgba: tuple[float, float, float, float] | None = attribute(
        vector(4), required=True, source=URDF, doc="Red, green, blue and opacity, each from 0 to 1."
    )


class TextureElement(Element):
    """A picture on a surface."""

    filename: str | None = attribute(STRING, required=True, source=URDF, doc="URI of the picture.")


class UrdfMaterialElement(Element):
    """What a surface looks like. A name alone refers to a material that is described elsewhere in the file."""

    name: str | None = attribute(STRING, required=True, source=URDF, doc="Name, unique in the file.")
    color: UrdfColorElement | None = element(UrdfColorElement, source=URDF, doc="Colour.")
    texture: TextureElement | None = element(TextureElement, source=URDF, doc="Picture; carried along as it stands.")


class VisualElement(Element):
    """What is seen of a link; several make up what is seen together."""

    keeps_others: ClassVar[bool] = True
    name: str | None = attribute(STRING, source=URDF, doc="Name.")
    origin: OriginElement | None = element(OriginElement, source=URDF, doc="The shape's frame in the link frame.")
    geometry: UrdfGeometryElement | None = element(UrdfGeometryElement, required=True, source=URDF, doc="The shape.")
    material: UrdfMaterialElement | None = element(UrdfMaterialElement, source=URDF, doc="What it looks like.")


class UrdfCollisionElement(Element):
    """What is touched of a link; several make up what is touched together."""

    keeps_others: ClassVar[bool] = True
    name: str | None = attribute(STRING, source=URDF, doc="Name.")
    origin: OriginElement | None = element(OriginElement, source=URDF, doc="The shape's frame in the link frame.")
    geometry: UrdfGeometryElement | None = element(UrdfGeometryElement, required=True, source=URDF, doc="The shape.")


class UrdfLinkElement(Element):
    """A rigid body. A root link of the name world that holds nothing is the world itself."""

    keeps_others: ClassVar[bool] = True
    name: str | None = attribute(STRING, required=True, source=URDF, doc="Name, unique in the file.")
    inertial: InertialElement | None = element(InertialElement, source=URDF, doc="Mass; none if absent.")
    visual: tuple[VisualElement, ...] = element(VisualElement, repeated=True, source=URDF, doc="What is seen.")
    collision: tuple[UrdfCollisionElement, ...] = element(
        UrdfCollisionElement, repeated=True, source=URDF, doc="What is touched."
    )


class LinkReferenceElement(Element):
    """A link that a joint connects."""

    link: str | None = attribute(STRING, required=True, source=URDF, doc="Name of the link.")


class UrdfAxisElement(Element):
    """The axis of a joint, in the joint frame; of a planar joint the normal of its plane."""

    xyz: tuple[float, float, float] = attribute(VECTOR3, default=X_AXIS, source=URDF, doc="Unit vector.")


class UrdfLimitElement(Element):
    """What a joint keeps to. The largest number that a double can be stands for no limit."""

    lower: float | None = attribute(NUMBER, unit=_PLACE_UNIT, source=URDF, doc="Lowest position; 0 if absent.")
    upper: float | None = attribute(NUMBER, unit=_PLACE_UNIT, source=URDF, doc="Highest position; 0 if absent.")
    effort: float | None = attribute(
        NUMBER,
        unit=_EFFORT_UNIT,
        source=URDF,
        doc="Largest torque or force, either way; required of revolute and prismatic joints.",
    )
    velocity: float | None = attribute(
        NUMBER,
        unit="rad/s or m/s",
        source=URDF,
        doc="Largest velocity, either way; required of revolute and prismatic joints.",
    )


class UrdfDynamicsElement(Element):
    """How a joint resists."""

    damping: float = attribute(NUMBER, unit="N m s/rad or N s/m", default=0.0, source=URDF, doc="Viscous damping.")
    friction: float = attribute(NUMBER, unit=_EFFORT_UNIT, default=0.0, source=URDF, doc="Coulomb friction.")


class MimicElement(Element):
    """The joint follows another one: its position is multiplier times the other's, plus offset."""

    joint: str | None = attribute(STRING, required=True, source=URDF, doc="Name of the joint that it follows.")
    multiplier: float = attribute(NUMBER, default=1.0, source=URDF, doc="Factor.")
    offset: float = attribute(NUMBER, unit=_PLACE_UNIT, default=0.0, source=URDF, doc="What is added.")


class CalibrationElement(Element):
    """Where a reference switch changes; carried along as it stands."""

    rising: float | None = attribute(NUMBER, unit=_PLACE_UNIT, source=URDF, doc="Position of the rising edge.")
    falling: float | None = attribute(NUMBER, unit=_PLACE_UNIT, source=URDF, doc="Position of the falling edge.")
    reference_position: float | None = attribute(NUMBER, unit=_PLACE_UNIT, source=URDFDOM, doc="Position of the switch.")


class SafetyControllerElement(Element):
    """Where ROS's safety controller begins to hold a joint back; carried along as it stands."""

    soft_lower_limit: float = attribute(NUMBER, unit=_PLACE_UNIT, default=0.0, source=URDF, doc="Where it begins below.")
    soft_upper_limit: float = attribute(NUMBER, unit=_PLACE_UNIT, default=0.0, source=URDF, doc="Where it begins above.")
    k_position: float = attribute(NUMBER, default=0.0, source=URDF, doc="Gain from position to velocity.")
    k_velocity: float | None = attribute(NUMBER, required=True, source=URDF, doc="Gain from velocity to effort.")


class UrdfJointElement(Element):
    """A joint between two links. The child's frame is the joint frame."""

    keeps_others: ClassVar[bool] = True
    name: str | None = attribute(STRING, required=True, source=URDF, doc="Name, unique in the file.")
    type: str | None = attribute(
        STRING,
        required=True,
        source=URDF,
        doc=f"{', '.join(JOINT_TYPES)}: revolute turns within limits, continuous without, floating lets everything move.",
    )
    origin: OriginElement | None = element(OriginElement, source=URDF, doc="The joint frame in the parent's frame.")
    parent: LinkReferenceElement | None = element(
        LinkReferenceElement, required=True, source=URDF, doc="The link nearer to the root."
    )
    child: LinkReferenceElement | None = element(LinkReferenceElement, required=True, source=URDF, doc="The link that moves.")
    axis: UrdfAxisElement | None = element(UrdfAxisElement, source=URDF, doc="Axis; 1 0 0 if absent.")
    limit: UrdfLimitElement | None = element(
        UrdfLimitElement, source=URDF, doc="Limits; required of revolute and prismatic joints."
    )
    dynamics: UrdfDynamicsElement | None = element(UrdfDynamicsElement, source=URDF, doc="Damping and friction.")
    mimic: MimicElement | None = element(MimicElement, source=URDF, doc="What it follows.")
    calibration: CalibrationElement | None = element(CalibrationElement, source=URDF, doc="Reference switch.")
    safety_controller: SafetyControllerElement | None = element(SafetyControllerElement, source=URDF, doc="Safety controller.")


class TransmissionElement(Element):
    """How actuators drive joints, in its older spelling or its newer one; carried along as it stands."""

    opaque: ClassVar[bool] = True
    name: str | None = attribute(STRING, source=ROS, doc="Name.")
    type: str | None = attribute(STRING, source=ROS, doc="In the older spelling: what it is.")


class GazeboElement(Element):
    """What the simulator Gazebo is told; carried along as it stands."""

    opaque: ClassVar[bool] = True
    reference: str | None = attribute(STRING, source=ROS, doc="The link or joint that it is about; the robot if absent.")


class Ros2ControlElement(Element):
    """What ros2_control drives and measures; carried along as it stands."""

    opaque: ClassVar[bool] = True
    name: str | None = attribute(STRING, source=ROS, doc="Name.")
    type: str | None = attribute(STRING, source=ROS, doc="system, actuator or sensor.")


class RobotElement(Element):
    """The root: one robot. What other programs put into it besides is carried along as it stands."""

    keeps_others: ClassVar[bool] = True
    name: str | None = attribute(STRING, required=True, source=URDF, doc="Name.")
    version: str | None = attribute(STRING, source=URDFDOM, doc="Version of URDF: 1.0 if absent; capsules need 1.1.")
    material: tuple[UrdfMaterialElement, ...] = element(
        UrdfMaterialElement, repeated=True, source=URDF, doc="A material that links refer to by its name."
    )
    link: tuple[UrdfLinkElement, ...] = element(UrdfLinkElement, repeated=True, source=URDF, doc="A rigid body.")
    joint: tuple[UrdfJointElement, ...] = element(UrdfJointElement, repeated=True, source=URDF, doc="A joint.")
    transmission: tuple[TransmissionElement, ...] = element(
        TransmissionElement, repeated=True, source=ROS, doc="How actuators drive joints."
    )
    gazebo: tuple[GazeboElement, ...] = element(GazeboElement, repeated=True, source=ROS, doc="For Gazebo.")
    ros2_control: tuple[Ros2ControlElement, ...] = element(Ros2ControlElement, repeated=True, source=ROS, doc="For ROS 2.")


ROOTS: tuple[tuple[str, type[Element]], ...] = (("robot", RobotElement),)
"""What a URDF file holds."""
