"""SKEL as data: every element and attribute of both published documents, and what real files and DART add.

Sources: *older* is the "SKEL file format" page of DART's site, *newer* the page of its later documentation, *DART* what
the program reads or its sample files contain besides.
"""

from __future__ import annotations

from ossature.syntax.schema import Element, attribute, child, element, one_of
from ossature.syntax.xml_values import BOOLEAN, BOUND, INTEGER, NUMBER, NUMBERS, STRING, VECTOR3, vector, word

OLDER, NEWER, BOTH, DART = "older", "newer", "older, newer", "DART"

TRANSFORMATION = vector(6)
ZERO6 = (0.0,) * 6
_POSE_UNIT = "m, rad"

JOINT_TYPES = (
    "weld",
    "revolute",
    "prismatic",
    "screw",
    "universal",
    "ball",
    "euler",
    "translational",
    "translational2d",
    "planar",
    "free",
)
ACTUATORS = ("force", "torque", "passive", "servo", "acceleration", "velocity", "locked")
COLLISION_DETECTORS = ("dart", "fcl", "fcl_mesh", "bullet", "ode")
_MISPRINT = "a misprint of the older document"


class SkelBoxElement(Element):
    """A box centred on its frame."""

    size: tuple[float, float, float] = child(
        VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, source=BOTH, doc="Edge lengths along x, y and z."
    )
    frags: tuple[float, float, float] | None = child(VECTOR3, source=DART, doc="Of a soft shape: points along x, y and z.")


class SkelSphereElement(Element):
    """A sphere centred on its frame."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=NEWER, doc="Radius.")
    num_slices: int | None = child(INTEGER, source=DART, doc="Of a soft shape: cuts around z.")
    num_stacks: int | None = child(INTEGER, source=DART, doc="Of a soft shape: cuts along z.")


class EllipsoidElement(Element):
    """An ellipsoid centred on its frame."""

    size: tuple[float, float, float] = child(
        VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, source=BOTH, doc="Diameters along x, y and z."
    )
    num_slices: int | None = child(INTEGER, source=DART, doc="Of a soft shape: cuts around z.")
    num_stacks: int | None = child(INTEGER, source=DART, doc="Of a soft shape: cuts along z.")


class SkelCylinderElement(Element):
    """A cylinder along z, centred on its frame."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=BOTH, doc="Radius.")
    height: float = child(
        NUMBER,
        unit="m",
        default=1.0,
        announce=True,
        source=BOTH,
        aliases={"length": "the older document's hierarchy calls it so"},
        doc="Distance between the end faces.",
    )
    num_rings: int | None = child(INTEGER, source=DART, doc="Of a soft shape: rings on the end faces.")
    num_slices: int | None = child(INTEGER, source=DART, doc="Of a soft shape: cuts around z.")
    num_stacks: int | None = child(INTEGER, source=DART, doc="Of a soft shape: cuts along z.")


class SkelCapsuleElement(Element):
    """A cylinder along z with half spheres at its ends, centred on its frame."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=NEWER, doc="Radius.")
    height: float = child(
        NUMBER, unit="m", default=1.0, announce=True, source=NEWER, doc="Length of the cylinder without its caps."
    )


class ConeElement(Element):
    """A cone along z, its tip up."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=NEWER, doc="Radius of the base.")
    height: float = child(NUMBER, unit="m", default=1.0, announce=True, source=NEWER, doc="Height.")


class PyramidElement(Element):
    """A pyramid along z, its tip up."""

    base_width: float = child(NUMBER, unit="m", default=1.0, announce=True, source=NEWER, doc="Base along x.")
    base_depth: float = child(NUMBER, unit="m", default=1.0, announce=True, source=NEWER, doc="Base along y.")
    height: float = child(NUMBER, unit="m", default=1.0, announce=True, source=NEWER, doc="Height.")


class SkelPlaneElement(Element):
    """An infinite plane, given by its normal and either an offset or a point."""

    normal: tuple[float, float, float] = child(
        VECTOR3, default=(0.0, 0.0, 1.0), announce=True, source=NEWER, doc="Normal; normalised when read."
    )
    offset: float | None = child(NUMBER, unit="m", source=DART, doc="Distance from the origin along the normal.")
    point: tuple[float, float, float] | None = child(
        VECTOR3, unit="m", source=DART, doc="A point of the plane, instead of the offset."
    )


class BallElement(Element):
    """One sphere of a multi-sphere."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=NEWER, doc="Radius.")
    position: tuple[float, float, float] = child(
        VECTOR3, unit="m", default=(0.0, 0.0, 0.0), announce=True, source=NEWER, doc="Centre."
    )


class MultiSphereElement(Element):
    """The convex hull of several spheres."""

    sphere: tuple[BallElement, ...] = element(BallElement, repeated=True, source=NEWER, doc="One of the spheres.")


class SkelMeshElement(Element):
    """A triangle mesh in a file of its own."""

    file_name: str | None = child(
        STRING,
        required=True,
        source=NEWER,
        doc="A path relative to this file, an absolute one, or a file://, package:// or dart://sample/ URI.",
    )
    scale: tuple[float, float, float] = child(VECTOR3, default=(1.0, 1.0, 1.0), source=DART, doc="Factor along x, y and z.")


RIGID_SHAPES: dict[str, type[Element]] = {
    "box": SkelBoxElement,
    "sphere": SkelSphereElement,
    "ellipsoid": EllipsoidElement,
    "cylinder": SkelCylinderElement,
    "capsule": SkelCapsuleElement,
    "cone": ConeElement,
    "pyramid": PyramidElement,
    "plane": SkelPlaneElement,
    "multi_sphere": MultiSphereElement,
    "mesh": SkelMeshElement,
}


class SkelGeometryElement(Element):
    """Holds one shape."""

    shape: Element | None = one_of(RIGID_SHAPES, required=True, source=BOTH, doc="The shape.")


class SoftGeometryElement(Element):
    """Holds the undeformed surface of a soft body."""

    shape: Element | None = one_of(
        {name: RIGID_SHAPES[name] for name in ("box", "sphere", "ellipsoid", "cylinder")},
        required=True,
        source=DART,
        doc="The surface.",
    )


class VisualizationShapeElement(Element):
    """What is seen of a body."""

    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, source=BOTH, doc="The shape's frame in the body frame."
    )
    geometry: SkelGeometryElement | None = element(SkelGeometryElement, required=True, source=BOTH, doc="The shape.")
    color: tuple[float, ...] | None = child(
        NUMBERS, source=NEWER, doc="Red, green, blue and perhaps opacity, each from 0 to 1."
    )
    collidable: bool | None = child(
        BOOLEAN, source=OLDER, doc="Belongs to a collision shape; read for the body's collision shape, with a finding."
    )


class CollisionShapeElement(Element):
    """What is touched of a body."""

    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, source=BOTH, doc="The shape's frame in the body frame."
    )
    geometry: SkelGeometryElement | None = element(SkelGeometryElement, required=True, source=BOTH, doc="The shape.")
    collidable: bool = child(
        BOOLEAN, default=True, source=OLDER, doc="Whether it takes part in collisions; may be switched at any time."
    )


class SoftShapeElement(Element):
    """The deformable surface of a soft body."""

    total_mass: float = child(NUMBER, unit="kg", default=1.0, announce=True, source=DART, doc="Mass of all its points.")
    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, source=DART, doc="The surface's frame in the body frame."
    )
    geometry: SoftGeometryElement | None = element(
        SoftGeometryElement, required=True, source=DART, doc="The undeformed surface."
    )
    kv: float = child(
        NUMBER, unit="N/m", default=0.0, source=DART, doc="Stiffness that holds each point at its place in the body."
    )
    ke: float = child(NUMBER, unit="N/m", default=0.0, source=DART, doc="Stiffness along each edge.")
    damp: float = child(NUMBER, unit="N·s/m", default=0.0, source=DART, doc="Damping of each point.")


class MomentOfInertiaElement(Element):
    """The inertia tensor about the centre of mass, axes parallel to the body frame."""

    ixx: float = child(NUMBER, unit="kg·m²", default=1.0, announce=True, source=OLDER, doc="Moment about x.")
    iyy: float = child(NUMBER, unit="kg·m²", default=1.0, announce=True, source=OLDER, doc="Moment about y.")
    izz: float = child(NUMBER, unit="kg·m²", default=1.0, announce=True, source=OLDER, doc="Moment about z.")
    ixy: float = child(NUMBER, unit="kg·m²", default=0.0, announce=True, source=OLDER, doc="Entry of row x, column y.")
    ixz: float = child(NUMBER, unit="kg·m²", default=0.0, announce=True, source=OLDER, doc="Entry of row x, column z.")
    iyz: float = child(NUMBER, unit="kg·m²", default=0.0, announce=True, source=OLDER, doc="Entry of row y, column z.")


class SkelInertiaElement(Element):
    """Mass and its distribution."""

    mass: float = child(NUMBER, unit="kg", default=1.0, announce=True, source=BOTH, doc="Mass.")
    offset: tuple[float, float, float] | None = child(
        VECTOR3, unit="m", source=BOTH, doc="Centre of mass in the body frame; its origin where it is missing."
    )
    transformation: tuple[float, ...] | None = child(
        TRANSFORMATION,
        unit=_POSE_UNIT,
        source=OLDER,
        doc="Named in the older hierarchy: the frame of mass and moment in the body frame, instead of the offset.",
    )
    moment_of_inertia: MomentOfInertiaElement | None = element(
        MomentOfInertiaElement,
        source=BOTH,
        doc="The tensor; where it is missing it is computed from the body's shapes and its mass.",
    )


class MarkerElement(Element):
    """A named point of a body."""

    name: str | None = attribute(STRING, source=DART, doc="Its name.")
    offset: tuple[float, float, float] = child(
        VECTOR3, unit="m", default=(0.0, 0.0, 0.0), announce=True, source=DART, doc="The point in the body frame."
    )


class SkelBodyElement(Element):
    """A rigid body, or the frame of a soft one."""

    name: str | None = attribute(STRING, source=BOTH, doc="Its name, unique within the skeleton.")
    type: str | None = attribute(word("soft"), source=DART, doc="soft for a body with a soft shape.")
    gravity: bool = child(BOOLEAN, default=True, source=OLDER, doc="Whether gravity acts on it.")
    self_collide: bool = child(
        BOOLEAN,
        default=False,
        source=OLDER,
        doc="Whether it collides with other bodies of its skeleton, those joined to it excepted.",
    )
    transformation: tuple[float, ...] = child(
        TRANSFORMATION,
        unit=_POSE_UNIT,
        default=ZERO6,
        source=BOTH,
        doc="The body frame in the skeleton frame, with all joints at zero.",
    )
    inertia: SkelInertiaElement | None = element(
        SkelInertiaElement, source=BOTH, doc="Mass and its distribution; 1 kg and unit moments where it is missing."
    )
    visualization_shape: tuple[VisualizationShapeElement, ...] = element(
        VisualizationShapeElement, repeated=True, source=BOTH, doc="What is seen."
    )
    collision_shape: tuple[CollisionShapeElement, ...] = element(
        CollisionShapeElement, repeated=True, source=BOTH, doc="What is touched."
    )
    soft_shape: SoftShapeElement | None = element(SoftShapeElement, source=DART, doc="Its deformable surface.")
    marker: tuple[MarkerElement, ...] = element(MarkerElement, repeated=True, source=DART, doc="A named point.")


class SkelDynamicsElement(Element):
    """How one coordinate of a joint resists."""

    damping: float = child(NUMBER, unit="N·m·s/rad or N·s/m", default=0.0, source=BOTH, doc="Viscous damping.")
    friction: float = child(NUMBER, unit="N·m or N", default=0.0, source=BOTH, doc="Coulomb friction.")
    spring_rest_position: float = child(
        NUMBER,
        unit="rad or m",
        default=0.0,
        source=BOTH,
        aliases={"sprint_rest_position": _MISPRINT},
        doc="Position at which the spring is relaxed.",
    )
    spring_stiffness: float = child(
        NUMBER,
        unit="N·m/rad or N/m",
        default=0.0,
        source=BOTH,
        aliases={"sprint_stiffness": _MISPRINT},
        doc="Spring stiffness.",
    )


class SkelLimitElement(Element):
    """Limits of one coordinate of a joint."""

    lower: float | None = child(BOUND, unit="rad or m", source=BOTH, doc="Lowest position; none where it is missing.")
    upper: float | None = child(BOUND, unit="rad or m", source=BOTH, doc="Highest position; none where it is missing.")
    effort: float | None = child(
        BOUND, unit="N·m or N", source=OLDER, doc="Largest commanded force or torque, either way; DART ignores it."
    )
    velocity: float | None = child(BOUND, unit="rad/s or m/s", source=OLDER, doc="Largest speed, either way; DART ignores it.")


class SkelAxisElement(Element):
    """One axis of a joint, and what acts on its coordinate."""

    xyz: tuple[float, float, float] | None = child(
        VECTOR3, source=BOTH, doc="Direction in the joint frame; normalised when read."
    )
    pitch: float | None = child(
        NUMBER,
        unit="m per turn",
        source=DART,
        doc="Of a screw joint: advance along the axis for each turn; 0.1 if missing.",
    )
    damping: float | None = child(NUMBER, unit="N·m·s/rad or N·s/m", source=DART, doc="An older place of dynamics/damping.")
    dynamics: SkelDynamicsElement | None = element(SkelDynamicsElement, source=BOTH, doc="How the coordinate resists.")
    limit: SkelLimitElement | None = element(SkelLimitElement, source=BOTH, doc="Its limits.")


class TranslationAxisElement(Element):
    """One direction of a plane."""

    xyz: tuple[float, float, float] | None = child(
        VECTOR3, source=OLDER, doc="Direction in the joint frame; normalised when read."
    )


class PlaneOfMotionElement(Element):
    """The plane of a planar or translational2d joint."""

    type: str = attribute(word("xy", "yz", "zx", "arbitrary"), default="xy", announce=True, source=OLDER, doc="Which plane.")
    translation_axis1: TranslationAxisElement | None = element(
        TranslationAxisElement, source=OLDER, doc="First direction of an arbitrary plane."
    )
    translation_axis2: TranslationAxisElement | None = element(
        TranslationAxisElement, source=OLDER, doc="Second direction of an arbitrary plane."
    )


class StateElement(Element):
    """Limits and initial value of a position, velocity, acceleration or force."""

    lower: float | None = attribute(BOUND, source=DART, doc="Lowest value; none where it is missing.")
    upper: float | None = attribute(BOUND, source=DART, doc="Highest value; none where it is missing.")
    initial: float | None = attribute(NUMBER, source=DART, doc="Value at time zero.")


class DegreeOfFreedomElement(Element):
    """Refines a single coordinate of a joint."""

    local_index: int = attribute(INTEGER, default=0, source=DART, doc="Which coordinate, counted from zero.")
    name: str | None = attribute(STRING, source=DART, doc="The coordinate's own name.")
    position: StateElement | None = element(StateElement, source=DART, doc="Its position [rad or m].")
    velocity: StateElement | None = element(StateElement, source=DART, doc="Its velocity [rad/s or m/s].")
    acceleration: StateElement | None = element(StateElement, source=DART, doc="Its acceleration [rad/s² or m/s²].")
    force: StateElement | None = element(StateElement, source=DART, doc="Its commanded force or torque [N or N·m].")
    damping: float | None = child(NUMBER, unit="N·m·s/rad or N·s/m", source=DART, doc="Viscous damping.")
    friction: float | None = child(NUMBER, unit="N·m or N", source=DART, doc="Coulomb friction.")
    spring_rest_position: float | None = child(
        NUMBER, unit="rad or m", source=DART, doc="Position at which the spring is relaxed."
    )
    spring_stiffness: float | None = child(NUMBER, unit="N·m/rad or N/m", source=DART, doc="Spring stiffness.")


class SkelJointElement(Element):
    """A joint between two bodies, or between the world and a body."""

    type: str | None = attribute(word(*JOINT_TYPES), required=True, source=BOTH, doc="What it lets move.")
    name: str | None = attribute(STRING, source=BOTH, doc="Its name, unique within the skeleton.")
    actuator: str = attribute(
        word(*ACTUATORS),
        default="force",
        source=BOTH,
        doc="What a command to it means; torque is the older word for force.",
    )
    parent_body: str | None = child(STRING, name="parent", required=True, source=BOTH, doc="Name of the parent body, or world.")
    child_body: str | None = child(STRING, name="child", required=True, source=BOTH, doc="Name of the child body.")
    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, source=OLDER, doc="The joint frame in the child body's frame."
    )
    axis: SkelAxisElement | None = element(SkelAxisElement, source=BOTH, doc="First axis.")
    axis2: SkelAxisElement | None = element(SkelAxisElement, source=BOTH, doc="Second axis.")
    axis3: SkelAxisElement | None = element(SkelAxisElement, source=BOTH, doc="Third axis.")
    axis_order: str | None = child(
        word("xyz", "zyx"), source=OLDER, doc="Of an euler joint: the order of its axes; xyz if missing."
    )
    plane: PlaneOfMotionElement | None = element(
        PlaneOfMotionElement, source=OLDER, doc="Of a planar or translational2d joint."
    )
    init_pos: tuple[float, ...] | None = child(
        NUMBERS, unit="rad or m", source=BOTH, doc="Positions at time zero, one for each degree of freedom."
    )
    init_vel: tuple[float, ...] | None = child(
        NUMBERS, unit="rad/s or m/s", source=BOTH, doc="Velocities at time zero, one for each degree of freedom."
    )
    dof: tuple[DegreeOfFreedomElement, ...] = element(
        DegreeOfFreedomElement, repeated=True, source=DART, doc="Refines one coordinate."
    )


class SkeletonElement(Element):
    """A robot or a thing: a tree of bodies and joints."""

    name: str | None = attribute(STRING, source=BOTH, doc="Its name, unique within the world.")
    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, source=OLDER, doc="The skeleton frame in the world frame."
    )
    immobile: bool | None = child(
        BOOLEAN, source=OLDER, doc="Whether it never moves, whatever its joints say; DART reads mobile instead."
    )
    mobile: bool | None = child(BOOLEAN, source=DART, doc="Whether it can move; the opposite of immobile.")
    body: tuple[SkelBodyElement, ...] = element(SkelBodyElement, repeated=True, source=BOTH, doc="A body.")
    joint: tuple[SkelJointElement, ...] = element(SkelJointElement, repeated=True, source=BOTH, doc="A joint.")


class PhysicsElement(Element):
    """What holds for the whole world."""

    time_step: float = child(NUMBER, unit="s", default=0.001, announce=True, source=BOTH, doc="Step of integration.")
    gravity: tuple[float, float, float] | None = child(
        VECTOR3, unit="m/s²", source=BOTH, doc="Gravitational acceleration; 0 0 -9.81 if missing, as in DART."
    )
    collision_detector: str | None = child(
        word(*COLLISION_DETECTORS), source=NEWER, doc="Which of DART's collision detectors to use; kept and written."
    )


class WorldElement(Element):
    """A world of skeletons."""

    name: str | None = attribute(STRING, source=BOTH, doc="Its name.")
    physics: PhysicsElement | None = element(PhysicsElement, source=BOTH, doc="What holds for the whole world.")
    skeleton: tuple[SkeletonElement, ...] = element(SkeletonElement, repeated=True, source=BOTH, doc="A skeleton.")


class SkelElement(Element):
    """The root."""

    version: str = attribute(STRING, default="1.0", announce=True, source=BOTH, doc="Version of the format.")
    world: WorldElement | None = element(WorldElement, source=BOTH, doc="The world.")
    skeleton: tuple[SkeletonElement, ...] = element(
        SkeletonElement, repeated=True, source=DART, doc="A skeleton without a world around it."
    )


ROOTS: tuple[tuple[str, type[Element]], ...] = (("skel", SkelElement),)
"""The root element of a SKEL file: its tag and declaration."""
