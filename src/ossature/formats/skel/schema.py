"""The schema of SKEL: every element and attribute of both published documents, and those that only DART or its samples use.

Sources: *older* is the "SKEL file format" page of DART's website, *newer* the page of its later documentation, *DART* the
program itself or its sample files.
"""

from __future__ import annotations

from ossature.spatial import Vector3
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
_MISPRINT = "a misprint in the older document"


class SkelBoxElement(Element, source=BOTH):
    """A box centred on its frame."""

    size: Vector3 = child(VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, doc="Edge lengths along x, y and z.")
    frags: Vector3 | None = child(VECTOR3, source=DART, doc="Soft shapes: number of points along x, y and z.")


class SkelSphereElement(Element, source=DART):
    """A sphere centred on its frame."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=NEWER, doc="Radius.")
    num_slices: int | None = child(INTEGER, doc="Soft shapes: number of slices around z.")
    num_stacks: int | None = child(INTEGER, doc="Soft shapes: number of stacks along z.")


class EllipsoidElement(Element, source=DART):
    """An ellipsoid centred on its frame."""

    size: Vector3 = child(
        VECTOR3, unit="m", default=(1.0, 1.0, 1.0), announce=True, source=BOTH, doc="Diameters along x, y and z."
    )
    num_slices: int | None = child(INTEGER, doc="Soft shapes: number of slices around z.")
    num_stacks: int | None = child(INTEGER, doc="Soft shapes: number of stacks along z.")


class SkelCylinderElement(Element, source=DART):
    """A cylinder along z, centred on its frame."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, source=BOTH, doc="Radius.")
    height: float = child(
        NUMBER,
        unit="m",
        default=1.0,
        announce=True,
        source=BOTH,
        aliases={"length": "the name in the hierarchy of the older document"},
        doc="Distance between the end faces.",
    )
    num_rings: int | None = child(INTEGER, doc="Soft shapes: number of rings on the end faces.")
    num_slices: int | None = child(INTEGER, doc="Soft shapes: number of slices around z.")
    num_stacks: int | None = child(INTEGER, doc="Soft shapes: number of stacks along z.")


class SkelCapsuleElement(Element, source=NEWER):
    """A capsule along z, centred on its frame: a cylinder with hemispherical caps."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, doc="Radius.")
    height: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Length of the cylinder, without the caps.")


class ConeElement(Element, source=NEWER):
    """A cone along z, with its apex at positive z."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, doc="Radius of the base.")
    height: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Height.")


class PyramidElement(Element, source=NEWER):
    """A pyramid along z, with its apex at positive z."""

    base_width: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Length of the base along x.")
    base_depth: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Length of the base along y.")
    height: float = child(NUMBER, unit="m", default=1.0, announce=True, doc="Height.")


class SkelPlaneElement(Element, source=DART):
    """An infinite plane, specified by its normal and an offset or a point."""

    normal: Vector3 = child(VECTOR3, default=(0.0, 0.0, 1.0), announce=True, source=NEWER, doc="Normal; normalized when read.")
    offset: float | None = child(NUMBER, unit="m", doc="Distance from the origin along the normal.")
    point: Vector3 | None = child(VECTOR3, unit="m", doc="A point on the plane, instead of the offset.")


class BallElement(Element, source=NEWER):
    """One sphere of a multi-sphere."""

    radius: float = child(NUMBER, unit="m", default=0.5, announce=True, doc="Radius.")
    position: Vector3 = child(VECTOR3, unit="m", default=(0.0, 0.0, 0.0), announce=True, doc="Centre.")


class MultiSphereElement(Element, source=NEWER):
    """The convex hull of several spheres."""

    sphere: tuple[BallElement, ...] = element(BallElement, repeated=True, doc="One of the spheres.")


class SkelMeshElement(Element, source=NEWER):
    """A triangle mesh in a separate file."""

    file_name: str | None = child(
        STRING,
        required=True,
        doc="A path relative to this file, an absolute one, or a file://, package:// or dart://sample/ URI.",
    )
    scale: Vector3 = child(
        VECTOR3,
        default=(1.0, 1.0, 1.0),
        announce=True,
        source=DART,
        doc="Scale factors along x, y and z; DART refuses a mesh without them.",
    )


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


class SkelGeometryElement(Element, source=BOTH):
    """The geometry of a shape."""

    shape: Element | None = one_of(RIGID_SHAPES, required=True, doc="One geometry.")


class SoftGeometryElement(Element, source=DART):
    """The undeformed geometry of a soft shape."""

    shape: Element | None = one_of(
        {name: RIGID_SHAPES[name] for name in ("box", "sphere", "ellipsoid", "cylinder")}, required=True, doc="One geometry."
    )


class VisualizationShapeElement(Element, source=BOTH):
    """A visual shape of a body."""

    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, doc="Pose of the shape in the body frame."
    )
    geometry: SkelGeometryElement | None = element(SkelGeometryElement, required=True, doc="Geometry.")
    color: tuple[float, ...] | None = child(
        NUMBERS, source=NEWER, doc="Red, green, blue and optionally opacity, each from 0 to 1."
    )
    collidable: bool | None = child(
        BOOLEAN, source=OLDER, doc="Misplaced: applied to the collision shapes of the body, with a finding."
    )


class CollisionShapeElement(Element, source=BOTH):
    """A collision shape of a body."""

    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, doc="Pose of the shape in the body frame."
    )
    geometry: SkelGeometryElement | None = element(SkelGeometryElement, required=True, doc="Geometry.")
    collidable: bool = child(
        BOOLEAN, default=True, source=OLDER, doc="Whether the shape collides; can change during a simulation."
    )


class SoftShapeElement(Element, source=DART):
    """The deformable surface of a soft body."""

    total_mass: float = child(NUMBER, unit="kg", default=1.0, announce=True, doc="Total mass of its points.")
    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, doc="Pose of the shape in the body frame."
    )
    geometry: SoftGeometryElement | None = element(SoftGeometryElement, required=True, doc="Undeformed geometry.")
    kv: float = child(NUMBER, unit="N/m", default=0.0, doc="Stiffness between each point and its rest position in the body.")
    ke: float = child(NUMBER, unit="N/m", default=0.0, doc="Stiffness of each edge.")
    damp: float = child(NUMBER, unit="N·s/m", default=0.0, doc="Damping of each point.")


class MomentOfInertiaElement(Element, source=OLDER):
    """The inertia tensor at the centre of mass, expressed in the body frame."""

    ixx: float = child(NUMBER, unit="kg·m²", default=1.0, announce=True, doc="Moment of inertia about x.")
    iyy: float = child(NUMBER, unit="kg·m²", default=1.0, announce=True, doc="Moment of inertia about y.")
    izz: float = child(NUMBER, unit="kg·m²", default=1.0, announce=True, doc="Moment of inertia about z.")
    ixy: float = child(NUMBER, unit="kg·m²", default=0.0, announce=True, doc="Entry xy of the tensor.")
    ixz: float = child(NUMBER, unit="kg·m²", default=0.0, announce=True, doc="Entry xz of the tensor.")
    iyz: float = child(NUMBER, unit="kg·m²", default=0.0, announce=True, doc="Entry yz of the tensor.")


class SkelInertiaElement(Element, source=BOTH):
    """Mass, centre of mass and inertia tensor."""

    mass: float = child(NUMBER, unit="kg", default=1.0, announce=True, doc="Mass.")
    offset: Vector3 | None = child(VECTOR3, unit="m", doc="Centre of mass in the body frame; its origin if missing.")
    transformation: tuple[float, ...] | None = child(
        TRANSFORMATION,
        unit=_POSE_UNIT,
        source=OLDER,
        doc="Only in the hierarchy of the older document: pose of the inertial frame in the body frame, instead of the offset.",
    )
    moment_of_inertia: MomentOfInertiaElement | None = element(
        MomentOfInertiaElement, doc="Inertia tensor; if missing, computed from the shapes and the mass of the body."
    )


class MarkerElement(Element, source=DART):
    """A named point on a body."""

    name: str | None = attribute(STRING, doc="Name.")
    offset: Vector3 = child(VECTOR3, unit="m", default=(0.0, 0.0, 0.0), announce=True, doc="Position in the body frame.")


class SkelBodyElement(Element, source=BOTH):
    """A rigid body, or the rigid frame of a soft body."""

    name: str | None = attribute(STRING, doc="Name, unique within the skeleton.")
    type: str | None = attribute(word("soft"), source=DART, doc="soft for a body with a soft shape.")
    gravity: bool = child(BOOLEAN, default=True, source=OLDER, doc="Whether gravity acts on it.")
    self_collide: bool = child(
        BOOLEAN,
        default=False,
        source=OLDER,
        doc="Whether it collides with other bodies of its skeleton, except its parent and children.",
    )
    transformation: tuple[float, ...] = child(
        TRANSFORMATION,
        unit=_POSE_UNIT,
        default=ZERO6,
        doc="Pose of the body in the skeleton frame, with all joint positions zero.",
    )
    inertia: SkelInertiaElement | None = element(SkelInertiaElement, doc="Mass and inertia; 1 kg and unit moments if missing.")
    visualization_shape: tuple[VisualizationShapeElement, ...] = element(
        VisualizationShapeElement, repeated=True, doc="Visual shape."
    )
    collision_shape: tuple[CollisionShapeElement, ...] = element(CollisionShapeElement, repeated=True, doc="Collision shape.")
    soft_shape: SoftShapeElement | None = element(SoftShapeElement, source=DART, doc="Deformable surface.")
    marker: tuple[MarkerElement, ...] = element(MarkerElement, repeated=True, source=DART, doc="Named point.")


class SkelDynamicsElement(Element, source=BOTH):
    """Damping, friction and spring of one coordinate of a joint."""

    damping: float = child(NUMBER, unit="N·m·s/rad or N·s/m", default=0.0, doc="Viscous damping.")
    friction: float = child(NUMBER, unit="N·m or N", default=0.0, doc="Coulomb friction.")
    spring_rest_position: float = child(
        NUMBER, unit="rad or m", default=0.0, aliases={"sprint_rest_position": _MISPRINT}, doc="Rest position of the spring."
    )
    spring_stiffness: float = child(
        NUMBER, unit="N·m/rad or N/m", default=0.0, aliases={"sprint_stiffness": _MISPRINT}, doc="Spring stiffness."
    )


class SkelLimitElement(Element, source=BOTH):
    """Limits of one coordinate of a joint."""

    lower: float | None = child(BOUND, unit="rad or m", doc="Lower position limit; unlimited if missing.")
    upper: float | None = child(BOUND, unit="rad or m", doc="Upper position limit; unlimited if missing.")
    effort: float | None = child(
        BOUND, unit="N·m or N", source=OLDER, doc="Maximum magnitude of a commanded force or torque; ignored by DART."
    )
    velocity: float | None = child(
        BOUND, unit="rad/s or m/s", source=OLDER, doc="Maximum speed, not enforced; ignored by DART."
    )


class SkelAxisElement(Element, source=BOTH):
    """One axis of a joint, with the dynamics and limits of its coordinate."""

    xyz: Vector3 | None = child(VECTOR3, doc="Direction in the joint frame; normalized when read.")
    pitch: float | None = child(
        NUMBER,
        unit="m per revolution",
        source=DART,
        doc="Screw joints: translation along the axis per revolution; 0.1 if missing.",
    )
    damping: float | None = child(NUMBER, unit="N·m·s/rad or N·s/m", source=DART, doc="Deprecated form of dynamics/damping.")
    dynamics: SkelDynamicsElement | None = element(SkelDynamicsElement, doc="Damping, friction and spring.")
    limit: SkelLimitElement | None = element(SkelLimitElement, doc="Limits.")


class TranslationAxisElement(Element, source=OLDER):
    """One axis of a plane of motion."""

    xyz: Vector3 | None = child(VECTOR3, doc="Direction in the joint frame; normalized when read.")


class PlaneOfMotionElement(Element, source=OLDER):
    """The plane of a planar or translational2d joint."""

    type: str = attribute(
        word("xy", "yz", "zx", "arbitrary"), default="xy", announce=True, doc="Coordinate plane, or arbitrary."
    )
    translation_axis1: TranslationAxisElement | None = element(TranslationAxisElement, doc="First axis of an arbitrary plane.")
    translation_axis2: TranslationAxisElement | None = element(TranslationAxisElement, doc="Second axis of an arbitrary plane.")


class StateElement(Element, source=DART):
    """Limits and initial value of a position, velocity, acceleration or force."""

    lower: float | None = attribute(BOUND, doc="Lower limit; unlimited if missing.")
    upper: float | None = attribute(BOUND, doc="Upper limit; unlimited if missing.")
    initial: float | None = attribute(NUMBER, doc="Initial value.")


class DegreeOfFreedomElement(Element, source=DART):
    """Properties of one coordinate of a joint."""

    local_index: int | None = attribute(
        INTEGER, doc="Index of the coordinate, counted from zero; required if the joint has several."
    )
    name: str | None = attribute(STRING, doc="Name of the coordinate.")
    position: StateElement | None = element(StateElement, doc="Position [rad or m].")
    velocity: StateElement | None = element(StateElement, doc="Velocity [rad/s or m/s]; limits are not enforced.")
    acceleration: StateElement | None = element(StateElement, doc="Acceleration [rad/s² or m/s²].")
    force: StateElement | None = element(StateElement, doc="Commanded force or torque [N or N·m].")
    damping: float | None = child(NUMBER, unit="N·m·s/rad or N·s/m", doc="Viscous damping.")
    friction: float | None = child(NUMBER, unit="N·m or N", doc="Coulomb friction.")
    spring_rest_position: float | None = child(NUMBER, unit="rad or m", doc="Rest position of the spring.")
    spring_stiffness: float | None = child(NUMBER, unit="N·m/rad or N/m", doc="Spring stiffness.")


class SkelJointElement(Element, source=BOTH):
    """A joint between two bodies, or between the world and a body."""

    type: str | None = attribute(word(*JOINT_TYPES), required=True, doc="Joint type.")
    name: str | None = attribute(STRING, doc="Name, unique within the skeleton.")
    actuator: str = attribute(word(*ACTUATORS), default="force", doc="Commanded quantity; torque is the older name of force.")
    parent_body: str | None = child(STRING, name="parent", required=True, doc="Name of the parent body, or world.")
    child_body: str | None = child(STRING, name="child", required=True, doc="Name of the child body.")
    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, source=OLDER, doc="Pose of the joint in the frame of the child body."
    )
    axis: SkelAxisElement | None = element(SkelAxisElement, doc="First axis.")
    axis2: SkelAxisElement | None = element(SkelAxisElement, doc="Second axis.")
    axis3: SkelAxisElement | None = element(SkelAxisElement, doc="Third axis.")
    axis_order: str | None = child(word("xyz", "zyx"), source=OLDER, doc="Euler joints: order of the axes; xyz if missing.")
    plane: PlaneOfMotionElement | None = element(
        PlaneOfMotionElement, source=OLDER, doc="Planar and translational2d joints: plane of motion."
    )
    init_pos: tuple[float, ...] | None = child(
        NUMBERS, unit="rad or m", doc="Initial positions, one for each degree of freedom."
    )
    init_vel: tuple[float, ...] | None = child(
        NUMBERS, unit="rad/s or m/s", doc="Initial velocities, one for each degree of freedom."
    )
    dof: tuple[DegreeOfFreedomElement, ...] = element(
        DegreeOfFreedomElement, repeated=True, source=DART, doc="Properties of one coordinate."
    )


class SkeletonElement(Element, source=BOTH):
    """A model: a tree of bodies and joints."""

    name: str | None = attribute(STRING, doc="Name, unique within the world.")
    transformation: tuple[float, ...] = child(
        TRANSFORMATION, unit=_POSE_UNIT, default=ZERO6, source=OLDER, doc="Pose of the skeleton in the world frame."
    )
    immobile: bool | None = child(
        BOOLEAN, source=OLDER, doc="Whether all bodies are fixed, regardless of the joints; DART reads mobile instead."
    )
    mobile: bool | None = child(BOOLEAN, source=DART, doc="Whether the bodies can move; the opposite of immobile.")
    body: tuple[SkelBodyElement, ...] = element(SkelBodyElement, repeated=True, doc="A body.")
    joint: tuple[SkelJointElement, ...] = element(SkelJointElement, repeated=True, doc="A joint.")


class PhysicsElement(Element, source=BOTH):
    """Time step, gravity and collision detection."""

    time_step: float = child(NUMBER, unit="s", default=0.001, announce=True, doc="Time step of the integrator.")
    gravity: Vector3 | None = child(VECTOR3, unit="m/s²", doc="Gravitational acceleration; 0 0 -9.81 if missing, as in DART.")
    collision_detector: str | None = child(
        word(*COLLISION_DETECTORS), source=NEWER, doc="Collision detector of DART; passed through."
    )


class WorldElement(Element, source=BOTH):
    """A world: physics settings and skeletons."""

    name: str | None = attribute(STRING, doc="Name.")
    physics: PhysicsElement | None = element(PhysicsElement, doc="Time step, gravity and collision detection.")
    skeleton: tuple[SkeletonElement, ...] = element(SkeletonElement, repeated=True, doc="A skeleton.")


class SkelElement(Element, source=BOTH):
    """The root element."""

    version: str = attribute(STRING, default="1.0", announce=True, doc="Version of the format.")
    world: WorldElement | None = element(WorldElement, doc="The world.")
    skeleton: tuple[SkeletonElement, ...] = element(
        SkeletonElement, repeated=True, source=DART, doc="A skeleton outside of a world."
    )


ROOTS: tuple[tuple[str, type[Element]], ...] = (("skel", SkelElement),)
"""The root element of a SKEL file: its tag and declaration."""
