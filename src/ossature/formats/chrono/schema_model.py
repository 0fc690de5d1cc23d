"""Schema of Chrono's model files: all keys of the published specification, of newer schemas and of the program.

Sources: *document* is the published model specification with its schema, *newer* are the later schemas,
*Chrono* are other keys of the program or of its sample models, *Ossature* are those of this package only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

from ossature.spatial import Vector3
from ossature.syntax.schema import Element, child, element, one_of
from ossature.syntax.yaml_values import BOOLEAN, INTEGER, NUMBER, NUMBERS, STRING, VECTOR3, rows, vector, word

DOCUMENT, NEWER, CHRONO, OSSATURE = "document", "newer", "Chrono", "Ossature"

Table: TypeAlias = tuple[tuple[float, ...], ...]

ORIENTATION = vector(3, 4)
PAIRS = rows(2)
MAP_ROWS = rows()

SHAPE_TYPES = ("SPHERE", "BOX", "CYLINDER", "HULL", "MESH")
JOINT_TYPES = ("LOCK", "REVOLUTE", "SPHERICAL", "PRISMATIC", "UNIVERSAL", "CYLINDRICAL", "POINT_LINE", "POINT_PLANE")
JOINT_ALIASES = {"POINTLINE": "POINT_LINE", "POINTPLANE": "POINT_PLANE"}
CONSTRAINT_TYPES = ("DISTANCE", "REVOLUTE-SPHERICAL", "REVOLUTE-TRANSLATIONAL")
FUNCTION_TYPES = ("CONSTANT", "POLYNOMIAL", "SINE", "RAMP", "DATA", "CONTROLLER")

_ANGLES = "degrees or radians, according to angle_degrees"


class CenterOfMassElement(Element, source=DOCUMENT):
    """The centre-of-mass frame in the body reference frame."""

    position: Vector3 = child(VECTOR3, name="location", unit="m", default=(0.0, 0.0, 0.0), doc="Its origin.")
    orientation: tuple[float, ...] | None = child(
        ORIENTATION, unit=_ANGLES, doc="Its rotation, as for a body; identity by default."
    )


class ChronoInertiaElement(Element, source=DOCUMENT):
    """The inertia about the centre of mass, in the centre-of-mass frame."""

    moments: Vector3 | None = child(VECTOR3, unit="kg·m²", required=True, doc="Ixx, Iyy, Izz.")
    products: Vector3 = child(
        VECTOR3,
        unit="kg·m²",
        default=(0.0, 0.0, 0.0),
        doc="Ixy, Ixz, Iyz: the entries of the matrix, as in the schema and the program.",
    )


class MaterialPropertiesElement(Element, source=CHRONO):
    """Elastic properties, for smooth contact."""

    young_modulus: float | None = child(
        NUMBER,
        unit="Pa",
        name="Young_modulus",
        required=True,
        aliases={"Youngs_modulus": "the schema's key, which the program ignores silently"},
        doc="Young's modulus.",
    )
    poisson_ratio: float | None = child(NUMBER, name="Poisson_ratio", required=True, source=NEWER, doc="Poisson's ratio.")


class MaterialCoefficientsElement(Element, source=NEWER):
    """Coefficients of a penalty contact, for smooth contact."""

    normal_stiffness: float | None = child(NUMBER, unit="N/m", required=True, doc="Along the normal.")
    normal_damping: float | None = child(NUMBER, unit="N·s/m", required=True, doc="Along the normal.")
    tangential_stiffness: float | None = child(NUMBER, unit="N/m", required=True, doc="Along the surface.")
    tangential_damping: float | None = child(NUMBER, unit="N·s/m", required=True, doc="Along the surface.")


class ChronoMaterialElement(Element, source=NEWER):
    """A contact material."""

    name: str | None = child(STRING, required=True, doc="Name that shapes refer to.")
    coefficient_of_friction: float | None = child(NUMBER, doc="Sliding friction; 0.8 by default in Chrono.")
    coefficient_of_restitution: float | None = child(NUMBER, doc="Restitution; 0.01 by default in Chrono.")
    properties: MaterialPropertiesElement | None = element(MaterialPropertiesElement, doc="Elastic properties.")
    coefficients: MaterialCoefficientsElement | None = element(
        MaterialCoefficientsElement,
        source=CHRONO,
        doc="Coefficients of a penalty contact.",
    )
    capital_coefficients: MaterialCoefficientsElement | None = element(
        MaterialCoefficientsElement,
        name="Coefficients",
        doc="The same in the spelling of the schema; Chrono checks for this key and then reads the other one.",
    )


class ContactShapeElement(Element, source=NEWER):
    """A collision shape."""

    type: str | None = child(word(*SHAPE_TYPES), required=True, doc="Type of the shape.")
    material: str | None = child(STRING, required=True, doc="Name of its material.")
    position: Vector3 | None = child(VECTOR3, name="location", unit="m", doc="Position in the body frame.")
    orientation: tuple[float, ...] | None = child(ORIENTATION, unit=_ANGLES, doc="Rotation in the body frame.")
    axis: Vector3 | None = child(VECTOR3, doc="Of a cylinder: its axis in the body frame.")
    dimensions: Vector3 | None = child(VECTOR3, unit="m", doc="Of a box: edge lengths.")
    radius: float | None = child(NUMBER, unit="m", doc="Of a sphere or cylinder.")
    length: float | None = child(NUMBER, unit="m", doc="Of a cylinder.")
    filename: str | None = child(STRING, doc="Of a mesh or hull: its file.")
    scale: float = child(NUMBER, default=1.0, doc="Of a mesh: scale factor.")
    contact_radius: float = child(NUMBER, unit="m", default=0.0, doc="Of a mesh: thickness of its faces.")


class ContactElement(Element, source=NEWER):
    """Collision properties of a body."""

    materials: tuple[ChronoMaterialElement, ...] = element(
        ChronoMaterialElement, repeated=True, required=True, doc="Its materials."
    )
    shapes: tuple[ContactShapeElement, ...] = element(ContactShapeElement, repeated=True, required=True, doc="Its shapes.")
    collision_family: int | None = child(INTEGER, source=CHRONO, doc="Number of its collision group, 0 to 15.")


class VisualShapeElement(Element, source=NEWER):
    """A visual shape."""

    type: str | None = child(word(*SHAPE_TYPES), required=True, doc="Type of the shape.")
    position: Vector3 | None = child(VECTOR3, name="location", unit="m", doc="Position in the body frame.")
    orientation: tuple[float, ...] | None = child(ORIENTATION, unit=_ANGLES, doc="Rotation in the body frame.")
    axis: Vector3 | None = child(VECTOR3, doc="Of a cylinder: its axis in the body frame.")
    dimensions: Vector3 | None = child(VECTOR3, unit="m", doc="Of a box: edge lengths.")
    radius: float | None = child(NUMBER, unit="m", doc="Of a sphere or cylinder.")
    length: float | None = child(NUMBER, unit="m", doc="Of a cylinder.")
    filename: str | None = child(STRING, doc="Of a mesh: its file.")
    scale: float = child(NUMBER, default=1.0, doc="Of a mesh: scale factor.")
    color: Vector3 | None = child(VECTOR3, doc="Red, green, blue, each from 0 to 1.")


class VisualizationElement(Element, source=NEWER):
    """Appearance of a body."""

    model_file: str | None = child(STRING, doc="A file with the complete appearance.")
    shapes: tuple[VisualShapeElement, ...] = element(VisualShapeElement, repeated=True, doc="Its shapes.")


class ChronoBodyElement(Element, source=DOCUMENT):
    """A rigid body."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    fixed: bool = child(BOOLEAN, default=False, doc="Whether it is fixed to the world.")
    position: Vector3 | None = child(
        VECTOR3, name="location", unit="m", required=True, doc="Origin of the body reference frame at time zero."
    )
    orientation: tuple[float, ...] | None = child(
        ORIENTATION,
        unit=_ANGLES,
        doc="Its rotation: three angles about z, the new y and the new x; or a unit quaternion, scalar first.",
    )
    mass: float | None = child(NUMBER, unit="kg", doc="Mass; required unless fixed.")
    com: CenterOfMassElement | None = element(CenterOfMassElement, doc="The centre-of-mass frame.")
    inertia: ChronoInertiaElement | None = element(ChronoInertiaElement, doc="Inertia; required unless fixed.")
    initial_linear_velocity: Vector3 = child(
        VECTOR3,
        unit="m/s",
        default=(0.0, 0.0, 0.0),
        source=CHRONO,
        doc="Velocity of the centre of mass at time zero, in global axes.",
    )
    initial_angular_velocity: Vector3 = child(
        VECTOR3,
        unit="rad/s",
        default=(0.0, 0.0, 0.0),
        source=CHRONO,
        doc="Angular velocity at time zero, in axes of the centre-of-mass frame.",
    )
    contact: ContactElement | None = element(ContactElement, source=NEWER, doc="Collision properties.")
    visualization: VisualizationElement | None = element(VisualizationElement, source=NEWER, doc="Appearance.")

    ignored: ClassVar[Mapping[str, str]] = {
        "lin_vel": "Chrono ignores it silently; use 'initial_linear_velocity'",
        "ang_vel": "Chrono ignores it silently; use 'initial_angular_velocity'",
    }


class FreeBushingElement(Element, source=DOCUMENT):
    """Compliance of the free motions of the joint."""

    stiffness_linear: float = child(NUMBER, unit="N/m", default=0.0, doc="Free translations.")
    damping_linear: float = child(NUMBER, unit="N·s/m", default=0.0, doc="Free translations.")
    stiffness_rotational: float = child(NUMBER, unit="N·m/rad", default=0.0, doc="Free rotations.")
    damping_rotational: float = child(NUMBER, unit="N·m·s/rad", default=0.0, doc="Free rotations.")


class BushingElement(Element, source=DOCUMENT):
    """Compliance instead of an ideal joint: of the constrained motions, and under ``DOF`` of the free ones."""

    stiffness_linear: float = child(NUMBER, unit="N/m", default=0.0, doc="Along constrained directions.")
    damping_linear: float = child(NUMBER, unit="N·s/m", default=0.0, doc="Along constrained directions.")
    stiffness_rotational: float = child(NUMBER, unit="N·m/rad", default=0.0, doc="About constrained axes.")
    damping_rotational: float = child(NUMBER, unit="N·m·s/rad", default=0.0, doc="About constrained axes.")
    dof: FreeBushingElement | None = element(FreeBushingElement, name="DOF", doc="Compliance of the free motions.")


class ChronoJointElement(Element, source=DOCUMENT):
    """A joint or bushing between two bodies. All values are in the global frame at time zero."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    type: str | None = child(
        word(*JOINT_TYPES, aliases=JOINT_ALIASES),
        doc="Type of the joint; LOCK by default. The point of point-line and point-plane is on the first body.",
    )
    body1: str | None = child(STRING, required=True, doc="The first body.")
    body2: str | None = child(STRING, required=True, doc="The second body.")
    position: Vector3 | None = child(VECTOR3, name="location", unit="m", required=True, doc="Position.")
    axis: Vector3 | None = child(
        VECTOR3, doc="Axis of a revolute, prismatic or cylindrical joint (required); line of point-line, normal of point-plane."
    )
    axis1: Vector3 | None = child(VECTOR3, doc="Of a universal joint: the axis on the first body.")
    axis2: Vector3 | None = child(VECTOR3, doc="Of a universal joint: the axis on the second body, made perpendicular.")
    bushing_data: BushingElement | None = element(BushingElement, doc="Compliance; with it the joint is a bushing.")


class ConstraintElement(Element, source=DOCUMENT):
    """A massless rod or link between two bodies. All values are in the global frame at time zero."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    type: str | None = child(word(*CONSTRAINT_TYPES), required=True, doc="Type of the constraint.")
    body1: str | None = child(STRING, required=True, doc="The first body.")
    body2: str | None = child(STRING, required=True, doc="The second body.")
    point1: Vector3 | None = child(VECTOR3, unit="m", required=True, doc="The point on the first body.")
    point2: Vector3 | None = child(VECTOR3, unit="m", required=True, doc="The point on the second body.")
    axis1: Vector3 | None = child(VECTOR3, source=OSSATURE, doc="Axis of the hinge; by default perpendicular to the rod.")
    axis2: Vector3 | None = child(
        VECTOR3, source=OSSATURE, doc="Of revolute-translational: direction of the slider; by default perpendicular."
    )


class SpringVisualElement(Element, source=DOCUMENT):
    """Appearance of a spring-damper."""

    type: str | None = child(word("SEGMENT", "SPRING"), required=True, doc="A line or a coil.")
    radius: float | None = child(NUMBER, unit="m", doc="Radius of the coil.")
    resolution: int | None = child(INTEGER, doc="Segments of each coil.")
    turns: float | None = child(NUMBER, doc="Number of coils.")
    color: Vector3 | None = child(VECTOR3, doc="Red, green, blue, each from 0 to 1.")


class TsdaElement(Element, source=DOCUMENT):
    """A spring-damper between two points (global, at time zero). Positive forces are repulsive."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    type: str | None = child(word("TSDA"), doc="TSDA; required in a list of spring_dampers.")
    body1: str | None = child(STRING, required=True, doc="The first body.")
    body2: str | None = child(STRING, required=True, doc="The second body.")
    point1: Vector3 | None = child(VECTOR3, unit="m", required=True, doc="Attachment point on the first body.")
    point2: Vector3 | None = child(VECTOR3, unit="m", required=True, doc="Attachment point on the second body.")
    free_length: float | None = child(NUMBER, unit="m", doc="Length of the relaxed spring.")
    spring_coefficient: float | None = child(NUMBER, unit="N/m", doc="Stiffness.")
    damping_coefficient: float | None = child(NUMBER, unit="N·s/m", doc="Damping.")
    degressivity_compression: float | None = child(
        NUMBER, unit="s/m", source=CHRONO, doc="Decrease of damping with the speed of compression."
    )
    degressivity_expansion: float | None = child(
        NUMBER, unit="s/m", source=CHRONO, doc="Decrease of damping with the speed of extension."
    )
    spring_curve_data: Table | None = child(PAIRS, unit="m, N", doc="Force over deformation.")
    damping_curve_data: Table | None = child(PAIRS, unit="m/s, N", doc="Force over velocity.")
    deformation: tuple[float, ...] | None = child(
        NUMBERS, unit="m", doc="Deformations of the map's columns; required with map_data."
    )
    map_data: Table | None = child(
        MAP_ROWS, unit="m/s, N, …", doc="A row for each velocity: the velocity, then a force for each deformation."
    )
    preload: float = child(NUMBER, unit="N", default=0.0, doc="Constant force.")
    minimum_length: float | None = child(NUMBER, unit="m", doc="Length of the lower stop.")
    maximum_length: float | None = child(NUMBER, unit="m", doc="Length of the upper stop.")
    visualization: SpringVisualElement | None = element(SpringVisualElement, doc="Appearance.")


class RsdaElement(Element, source=DOCUMENT):
    """A spring-damper about an axis; its torque acts on the second body. All values are global at time zero."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    type: str | None = child(word("RSDA"), doc="RSDA; required in a list of spring_dampers.")
    body1: str | None = child(STRING, required=True, doc="The first body.")
    body2: str | None = child(STRING, required=True, doc="The second body.")
    position: Vector3 | None = child(VECTOR3, name="location", unit="m", doc="Position of its drawing.")
    axis: Vector3 | None = child(VECTOR3, required=True, doc="Its axis.")
    free_angle: float | None = child(NUMBER, unit=_ANGLES, doc="Angle of the relaxed spring.")
    spring_coefficient: float | None = child(NUMBER, unit="N·m/rad", doc="Stiffness.")
    damping_coefficient: float | None = child(NUMBER, unit="N·m·s/rad", doc="Damping.")
    spring_curve_data: Table | None = child(PAIRS, unit="rad, N·m", doc="Torque over deformation.")
    damping_curve_data: Table | None = child(PAIRS, unit="rad/s, N·m", doc="Torque over rate.")
    preload: float = child(NUMBER, unit="N·m", default=0.0, doc="Constant torque.")


class RepeatElement(Element, source=DOCUMENT):
    """Periodic repetition of an interval of a function."""

    start: float = child(NUMBER, unit="s", default=0.0, announce=True, doc="Start of the interval.")
    width: float | None = child(NUMBER, unit="s", required=True, doc="Length of the interval.")
    shift: float = child(NUMBER, unit="s", default=0.0, announce=True, doc="Offset within the interval at time zero.")


class FunctionElement(Element, source=DOCUMENT):
    """A function of time."""

    type: str | None = child(
        word(*FUNCTION_TYPES), required=True, doc="Type of the function; CONTROLLER (newer) is supplied by an external program."
    )
    value: float | None = child(NUMBER, doc="Of CONSTANT.")
    coefficients: tuple[float, ...] | None = child(NUMBERS, doc="Of POLYNOMIAL: in ascending order of powers.")
    amplitude: float | None = child(NUMBER, doc="Of SINE.")
    frequency: float | None = child(NUMBER, unit="Hz", doc="Of SINE.")
    phase: float = child(NUMBER, unit=_ANGLES, default=0.0, doc="Of SINE.")
    shift: float = child(NUMBER, default=0.0, source=CHRONO, doc="Of SINE: offset.")
    slope: float | None = child(NUMBER, unit="1/s", doc="Of RAMP.")
    intercept: float = child(NUMBER, default=0.0, doc="Of RAMP.")
    data: Table | None = child(PAIRS, unit="s, …", doc="Of DATA: points; constant before the first and after the last.")
    repeat: RepeatElement | None = element(RepeatElement, doc="Periodic repetition.")


class MotorElement(Element, source=DOCUMENT):
    """A motor that moves the first body relative to the second. All values are global at time zero."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    type: str | None = child(word("LINEAR", "ROTATION"), required=True, doc="Translation or rotation.")
    body1: str | None = child(STRING, required=True, doc="The first body.")
    body2: str | None = child(STRING, required=True, doc="The second body.")
    position: Vector3 | None = child(VECTOR3, name="location", unit="m", required=True, doc="Position.")
    axis: Vector3 | None = child(VECTOR3, required=True, doc="Axis of the motion.")
    actuation_type: str | None = child(word("POSITION", "SPEED", "FORCE"), required=True, doc="What the function prescribes.")
    actuation_function: FunctionElement | None = element(
        FunctionElement, required=True, doc="The function; angles are always in radians."
    )
    guide: str | None = child(
        word("FREE", "PRISMATIC", "SPHERICAL", aliases={"REVOLUTE": "REVOLUTE", "CYLINDRICAL": "CYLINDRICAL"}),
        doc="Of LINEAR: type of its joint; PRISMATIC by default.",
    )
    spindle: str | None = child(
        word("FREE", "REVOLUTE", "CYLINDRICAL", aliases={"PRISMATIC": "PRISMATIC", "SPHERICAL": "SPHERICAL"}),
        doc="Of ROTATION: type of its joint; REVOLUTE by default.",
    )


class BodyLoadElement(Element, source=NEWER):
    """A force or torque on a body."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    type: str | None = child(word("FORCE", "TORQUE"), required=True, doc="Force or torque.")
    body: str | None = child(STRING, required=True, doc="The body.")
    load: Vector3 | None = child(VECTOR3, unit="N or N·m", required=True, doc="The vector.")
    local_load: bool = child(
        BOOLEAN,
        default=False,
        announce=True,
        doc="Whether the vector is expressed in the centre-of-mass frame, else in global axes.",
    )
    point: Vector3 | None = child(VECTOR3, unit="m", doc="Point of application; required for forces.")
    local_point: bool | None = child(
        BOOLEAN, doc="Whether the point is fixed in the centre-of-mass frame, else in the global frame."
    )
    modulation_function: FunctionElement | None = element(FunctionElement, doc="Factor over time.")


class LoadControllerElement(Element, source=NEWER):
    """A force or torque on a body that an external program supplies."""

    name: str | None = child(STRING, required=True, doc="Its name, unique.")
    type: str | None = child(word("FORCE", "TORQUE"), required=True, doc="Force or torque.")
    body: str | None = child(STRING, required=True, doc="The body.")
    local_load: bool = child(
        BOOLEAN,
        default=False,
        announce=True,
        doc="Whether the vector is expressed in the centre-of-mass frame, else in global axes.",
    )
    point: Vector3 | None = child(VECTOR3, unit="m", doc="Point of application; required for forces.")
    local_point: bool | None = child(BOOLEAN, doc="Whether the point is in the centre-of-mass frame, else global.")


class DataPathElement(Element, source=DOCUMENT):
    """Folder of mesh files."""

    type: str = child(
        word("ABSOLUTE", "RELATIVE"),
        default="ABSOLUTE",
        announce=True,
        doc="Whether file names are unchanged, or relative to the root.",
    )
    root: str = child(STRING, default=".", doc="The root, relative to this file.")


class ModelElement(Element, source=DOCUMENT):
    """A multibody model."""

    name: str | None = child(STRING, doc="Its name.")
    angle_degrees: bool = child(BOOLEAN, default=True, doc="Whether orientations, free angles and phases are in degrees.")
    data_path: DataPathElement | None = element(DataPathElement, doc="Folder of mesh files.")
    bodies: tuple[ChronoBodyElement, ...] = element(ChronoBodyElement, repeated=True, required=True, doc="Its bodies.")
    joints: tuple[ChronoJointElement, ...] = element(ChronoJointElement, repeated=True, doc="Joints and bushings.")
    constraints: tuple[ConstraintElement, ...] = element(ConstraintElement, repeated=True, doc="Massless rods and links.")
    tsdas: tuple[TsdaElement, ...] = element(TsdaElement, repeated=True, doc="Spring-dampers along lines.")
    rsdas: tuple[RsdaElement, ...] = element(RsdaElement, repeated=True, doc="Spring-dampers about axes.")
    spring_dampers: tuple[TsdaElement | RsdaElement, ...] = one_of(
        {"TSDA": TsdaElement, "RSDA": RsdaElement},
        repeated=True,
        name="spring_dampers",
        doc="Both kinds in one list, as in the examples of the documentation; each states its type.",
    )
    motors: tuple[MotorElement, ...] = element(MotorElement, repeated=True, doc="Motors.")
    body_loads: tuple[BodyLoadElement, ...] = element(
        BodyLoadElement, repeated=True, source=NEWER, doc="Forces and torques on bodies."
    )
    load_controllers: tuple[LoadControllerElement, ...] = element(
        LoadControllerElement, repeated=True, source=NEWER, doc="Forces and torques that an external program supplies."
    )

    ignored: ClassVar[Mapping[str, str]] = {
        "FEA": "finite elements are not read: bodies that only they connect are free here",
    }


class ModelFile(Element, source=DOCUMENT):
    """A model file."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    type: str | None = child(STRING, source=CHRONO, doc="Type of the file; not used.")
    model: ModelElement | None = element(ModelElement, required=True, doc="The model.")
