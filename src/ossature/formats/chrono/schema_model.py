"""Chrono's model files as data: every key of the published specification, and what newer schemas and the program read besides.

Sources: *document* is the published model specification with its schema, *newer* the schemas that came after it,
*Chrono* what the program reads or its sample models contain besides, *Ossature* what only this package reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

from ossature.syntax.schema import Element, child, element, one_of
from ossature.syntax.yaml_values import BOOLEAN, INTEGER, NUMBER, NUMBERS, STRING, VECTOR3, rows, vector, word

DOCUMENT, NEWER, CHRONO, OSSATURE = "document", "newer", "Chrono", "Ossature"

Vector: TypeAlias = tuple[float, float, float]
Table: TypeAlias = tuple[tuple[float, ...], ...]

ORIENTATION = vector(3, 4)
PAIRS = rows(2)
MAP_ROWS = rows()

SHAPE_TYPES = ("SPHERE", "BOX", "CYLINDER", "HULL", "MESH")
JOINT_TYPES = ("LOCK", "REVOLUTE", "SPHERICAL", "PRISMATIC", "UNIVERSAL", "CYLINDRICAL", "POINT_LINE", "POINT_PLANE")
JOINT_ALIASES = {"POINTLINE": "POINT_LINE", "POINTPLANE": "POINT_PLANE"}
CONSTRAINT_TYPES = ("DISTANCE", "REVOLUTE-SPHERICAL", "REVOLUTE-TRANSLATIONAL")
FUNCTION_TYPES = ("CONSTANT", "POLYNOMIAL", "SINE", "RAMP", "DATA", "CONTROLLER")

_ANGLES = "degrees or radians, as angle_degrees says"


class CenterOfMassElement(Element):
    """The centre-of-mass frame in the body reference frame."""

    position: Vector = child(VECTOR3, name="location", unit="m", default=(0.0, 0.0, 0.0), source=DOCUMENT, doc="Its origin.")
    orientation: tuple[float, ...] | None = child(
        ORIENTATION, unit=_ANGLES, source=DOCUMENT, doc="Its axes, as of a body; without it, those of the body."
    )


class ChronoInertiaElement(Element):
    """The inertia about the centre of mass, in the centre-of-mass frame."""

    moments: Vector | None = child(VECTOR3, unit="kg·m²", required=True, source=DOCUMENT, doc="Ixx, Iyy, Izz.")
    products: Vector = child(
        VECTOR3,
        unit="kg·m²",
        default=(0.0, 0.0, 0.0),
        source=DOCUMENT,
        doc="Ixy, Ixz, Iyz: the entries of the matrix, as the schema and the program have them.",
    )


class MaterialPropertiesElement(Element):
    """Elastic properties, for smooth contact."""

    young_modulus: float | None = child(
        NUMBER,
        unit="Pa",
        name="Young_modulus",
        required=True,
        source=CHRONO,
        aliases={"Youngs_modulus": "the schema's word, which the program drops in silence"},
        doc="Young's modulus.",
    )
    poisson_ratio: float | None = child(NUMBER, name="Poisson_ratio", required=True, source=NEWER, doc="Poisson's ratio.")


class MaterialCoefficientsElement(Element):
    """Coefficients of a penalty contact, for smooth contact."""

    normal_stiffness: float | None = child(NUMBER, unit="N/m", required=True, source=NEWER, doc="Along the normal.")
    normal_damping: float | None = child(NUMBER, unit="N·s/m", required=True, source=NEWER, doc="Along the normal.")
    tangential_stiffness: float | None = child(NUMBER, unit="N/m", required=True, source=NEWER, doc="Along the surface.")
    tangential_damping: float | None = child(NUMBER, unit="N·s/m", required=True, source=NEWER, doc="Along the surface.")


class ChronoMaterialElement(Element):
    """A contact material."""

    name: str | None = child(STRING, required=True, source=NEWER, doc="The name by which shapes refer to it.")
    coefficient_of_friction: float | None = child(NUMBER, source=NEWER, doc="Sliding friction; Chrono takes 0.8.")
    coefficient_of_restitution: float | None = child(NUMBER, source=NEWER, doc="Restitution; Chrono takes 0.01.")
    properties: MaterialPropertiesElement | None = element(MaterialPropertiesElement, source=NEWER, doc="Elastic properties.")
    coefficients: MaterialCoefficientsElement | None = element(
        MaterialCoefficientsElement,
        source=CHRONO,
        doc="Coefficients of a penalty contact.",
    )
    capital_coefficients: MaterialCoefficientsElement | None = element(
        MaterialCoefficientsElement,
        name="Coefficients",
        source=NEWER,
        doc="The schema's spelling of the same; Chrono looks for this key and then reads the other one.",
    )


class ContactShapeElement(Element):
    """A shape that is touched."""

    type: str | None = child(word(*SHAPE_TYPES), required=True, source=NEWER, doc="Which shape.")
    material: str | None = child(STRING, required=True, source=NEWER, doc="Name of its material.")
    position: Vector | None = child(
        VECTOR3, name="location", unit="m", source=NEWER, doc="Its frame's origin in the body frame."
    )
    orientation: tuple[float, ...] | None = child(ORIENTATION, unit=_ANGLES, source=NEWER, doc="Its frame's axes.")
    axis: Vector | None = child(VECTOR3, source=NEWER, doc="Of a cylinder: its axis in the body frame.")
    dimensions: Vector | None = child(VECTOR3, unit="m", source=NEWER, doc="Of a box: edge lengths.")
    radius: float | None = child(NUMBER, unit="m", source=NEWER, doc="Of a sphere or cylinder.")
    length: float | None = child(NUMBER, unit="m", source=NEWER, doc="Of a cylinder.")
    filename: str | None = child(STRING, source=NEWER, doc="Of a mesh or hull: its file.")
    scale: float = child(NUMBER, default=1.0, source=NEWER, doc="Of a mesh: factor on its size.")
    contact_radius: float = child(NUMBER, unit="m", default=0.0, source=NEWER, doc="Of a mesh: how thick its faces are.")


class ContactElement(Element):
    """How a body is touched."""

    materials: tuple[ChronoMaterialElement, ...] = element(
        ChronoMaterialElement, repeated=True, required=True, source=NEWER, doc="Its materials."
    )
    shapes: tuple[ContactShapeElement, ...] = element(
        ContactShapeElement, repeated=True, required=True, source=NEWER, doc="Its shapes."
    )
    collision_family: int | None = child(INTEGER, source=CHRONO, doc="A number from 0 to 15 for its kind in collisions.")


class VisualShapeElement(Element):
    """A shape that is seen."""

    type: str | None = child(word(*SHAPE_TYPES), required=True, source=NEWER, doc="Which shape.")
    position: Vector | None = child(
        VECTOR3, name="location", unit="m", source=NEWER, doc="Its frame's origin in the body frame."
    )
    orientation: tuple[float, ...] | None = child(ORIENTATION, unit=_ANGLES, source=NEWER, doc="Its frame's axes.")
    axis: Vector | None = child(VECTOR3, source=NEWER, doc="Of a cylinder: its axis in the body frame.")
    dimensions: Vector | None = child(VECTOR3, unit="m", source=NEWER, doc="Of a box: edge lengths.")
    radius: float | None = child(NUMBER, unit="m", source=NEWER, doc="Of a sphere or cylinder.")
    length: float | None = child(NUMBER, unit="m", source=NEWER, doc="Of a cylinder.")
    filename: str | None = child(STRING, source=NEWER, doc="Of a mesh: its file.")
    scale: float = child(NUMBER, default=1.0, source=NEWER, doc="Of a mesh: factor on its size.")
    color: Vector | None = child(VECTOR3, source=NEWER, doc="Red, green, blue, each from 0 to 1.")


class VisualizationElement(Element):
    """How a body is seen."""

    model_file: str | None = child(STRING, source=NEWER, doc="A file with the whole appearance.")
    shapes: tuple[VisualShapeElement, ...] = element(VisualShapeElement, repeated=True, source=NEWER, doc="Its shapes.")


class ChronoBodyElement(Element):
    """A rigid body."""

    name: str | None = child(STRING, required=True, source=DOCUMENT, doc="Its name, unique.")
    fixed: bool = child(BOOLEAN, default=False, source=DOCUMENT, doc="Whether it never moves.")
    position: Vector | None = child(
        VECTOR3,
        name="location",
        unit="m",
        required=True,
        source=DOCUMENT,
        doc="Origin of the body reference frame at time zero.",
    )
    orientation: tuple[float, ...] | None = child(
        ORIENTATION,
        unit=_ANGLES,
        source=DOCUMENT,
        doc="Its axes: three angles, about z, then the new y, then the new x; or a unit quaternion, scalar first.",
    )
    mass: float | None = child(NUMBER, unit="kg", source=DOCUMENT, doc="Mass; required unless fixed.")
    com: CenterOfMassElement | None = element(CenterOfMassElement, source=DOCUMENT, doc="The centre-of-mass frame.")
    inertia: ChronoInertiaElement | None = element(ChronoInertiaElement, source=DOCUMENT, doc="Inertia; required unless fixed.")
    initial_linear_velocity: Vector = child(
        VECTOR3,
        unit="m/s",
        default=(0.0, 0.0, 0.0),
        source=CHRONO,
        doc="Velocity of the centre of mass at time zero, in global axes.",
    )
    initial_angular_velocity: Vector = child(
        VECTOR3, unit="rad/s", default=(0.0, 0.0, 0.0), source=CHRONO, doc="Angular velocity at time zero, in body axes."
    )
    contact: ContactElement | None = element(ContactElement, source=NEWER, doc="How it is touched.")
    visualization: VisualizationElement | None = element(VisualizationElement, source=NEWER, doc="How it is seen.")

    ignored: ClassVar[Mapping[str, str]] = {
        "lin_vel": "Chrono drops it in silence; write 'initial_linear_velocity'",
        "ang_vel": "Chrono drops it in silence; write 'initial_angular_velocity'",
    }


class FreeBushingElement(Element):
    """Compliance of what the joint would leave free."""

    stiffness_linear: float = child(NUMBER, unit="N/m", default=0.0, source=DOCUMENT, doc="Free slides.")
    damping_linear: float = child(NUMBER, unit="N·s/m", default=0.0, source=DOCUMENT, doc="Free slides.")
    stiffness_rotational: float = child(NUMBER, unit="N·m/rad", default=0.0, source=DOCUMENT, doc="Free turns.")
    damping_rotational: float = child(NUMBER, unit="N·m·s/rad", default=0.0, source=DOCUMENT, doc="Free turns.")


class BushingElement(Element):
    """Compliance in place of a joint: of what the joint would hold, and under ``DOF`` of what it would leave free."""

    stiffness_linear: float = child(NUMBER, unit="N/m", default=0.0, source=DOCUMENT, doc="Along held directions.")
    damping_linear: float = child(NUMBER, unit="N·s/m", default=0.0, source=DOCUMENT, doc="Along held directions.")
    stiffness_rotational: float = child(NUMBER, unit="N·m/rad", default=0.0, source=DOCUMENT, doc="About held axes.")
    damping_rotational: float = child(NUMBER, unit="N·m·s/rad", default=0.0, source=DOCUMENT, doc="About held axes.")
    dof: FreeBushingElement | None = element(
        FreeBushingElement, name="DOF", source=DOCUMENT, doc="Compliance of what the joint would leave free."
    )


class ChronoJointElement(Element):
    """A joint between two bodies, or a bushing in its place. Everything is given in the global frame at time zero."""

    name: str | None = child(STRING, required=True, source=DOCUMENT, doc="Its name, unique.")
    type: str | None = child(
        word(*JOINT_TYPES, aliases=JOINT_ALIASES),
        source=DOCUMENT,
        doc="Which joint; LOCK where absent. Of point-line and point-plane, the point is the first body's.",
    )
    body1: str | None = child(STRING, required=True, source=DOCUMENT, doc="The first body.")
    body2: str | None = child(STRING, required=True, source=DOCUMENT, doc="The second body.")
    position: Vector | None = child(VECTOR3, name="location", unit="m", required=True, source=DOCUMENT, doc="Where it is.")
    axis: Vector | None = child(
        VECTOR3,
        source=DOCUMENT,
        doc="Axis of a revolute, prismatic or cylindrical joint (required); line of point-line, normal of point-plane.",
    )
    axis1: Vector | None = child(VECTOR3, source=DOCUMENT, doc="Of a universal joint: the axis on the first body.")
    axis2: Vector | None = child(
        VECTOR3, source=DOCUMENT, doc="Of a universal joint: the axis on the second body, made perpendicular."
    )
    bushing_data: BushingElement | None = element(
        BushingElement, source=DOCUMENT, doc="Compliance; with it the joint is a bushing."
    )


class ConstraintElement(Element):
    """A massless rod or link between two bodies. Everything is given in the global frame at time zero."""

    name: str | None = child(STRING, required=True, source=DOCUMENT, doc="Its name, unique.")
    type: str | None = child(word(*CONSTRAINT_TYPES), required=True, source=DOCUMENT, doc="Which constraint.")
    body1: str | None = child(STRING, required=True, source=DOCUMENT, doc="The first body.")
    body2: str | None = child(STRING, required=True, source=DOCUMENT, doc="The second body.")
    point1: Vector | None = child(VECTOR3, unit="m", required=True, source=DOCUMENT, doc="The point on the first body.")
    point2: Vector | None = child(VECTOR3, unit="m", required=True, source=DOCUMENT, doc="The point on the second body.")
    axis1: Vector | None = child(VECTOR3, source=OSSATURE, doc="The hinge's axis; perpendicular to the rod where absent.")
    axis2: Vector | None = child(
        VECTOR3, source=OSSATURE, doc="Of revolute-translational: the slide's direction; perpendicular where absent."
    )


class SpringVisualElement(Element):
    """How a spring-damper is seen."""

    type: str | None = child(word("SEGMENT", "SPRING"), required=True, source=DOCUMENT, doc="A line or a coil.")
    radius: float | None = child(NUMBER, unit="m", source=DOCUMENT, doc="Radius of the coil.")
    resolution: int | None = child(INTEGER, source=DOCUMENT, doc="Corners of each turn.")
    turns: float | None = child(NUMBER, source=DOCUMENT, doc="Turns of the coil.")
    color: Vector | None = child(VECTOR3, source=DOCUMENT, doc="Red, green, blue, each from 0 to 1.")


class TsdaElement(Element):
    """A spring-damper along the line between two points. Points are global at time zero; forces push apart."""

    name: str | None = child(STRING, required=True, source=DOCUMENT, doc="Its name, unique.")
    type: str | None = child(word("TSDA"), source=DOCUMENT, doc="TSDA; needed in a list of spring_dampers.")
    body1: str | None = child(STRING, required=True, source=DOCUMENT, doc="The first body.")
    body2: str | None = child(STRING, required=True, source=DOCUMENT, doc="The second body.")
    point1: Vector | None = child(VECTOR3, unit="m", required=True, source=DOCUMENT, doc="Where the first body holds it.")
    point2: Vector | None = child(VECTOR3, unit="m", required=True, source=DOCUMENT, doc="Where the second body holds it.")
    free_length: float | None = child(NUMBER, unit="m", source=DOCUMENT, doc="Length of the relaxed spring.")
    spring_coefficient: float | None = child(NUMBER, unit="N/m", source=DOCUMENT, doc="Stiffness.")
    damping_coefficient: float | None = child(NUMBER, unit="N·s/m", source=DOCUMENT, doc="Damping.")
    degressivity_compression: float | None = child(
        NUMBER, unit="s/m", source=CHRONO, doc="How damping falls off with the speed of compression."
    )
    degressivity_expansion: float | None = child(
        NUMBER, unit="s/m", source=CHRONO, doc="How damping falls off with the speed of extension."
    )
    spring_curve_data: Table | None = child(PAIRS, unit="m, N", source=DOCUMENT, doc="Force over deformation.")
    damping_curve_data: Table | None = child(PAIRS, unit="m/s, N", source=DOCUMENT, doc="Force over velocity.")
    deformation: tuple[float, ...] | None = child(
        NUMBERS, unit="m", source=DOCUMENT, doc="Deformations of the map's columns; required with map_data."
    )
    map_data: Table | None = child(
        MAP_ROWS, unit="m/s, N, …", source=DOCUMENT, doc="A row for each velocity: it, and a force for each deformation."
    )
    preload: float = child(NUMBER, unit="N", default=0.0, source=DOCUMENT, doc="Constant force.")
    minimum_length: float | None = child(NUMBER, unit="m", source=DOCUMENT, doc="Length at which a hard stop begins.")
    maximum_length: float | None = child(NUMBER, unit="m", source=DOCUMENT, doc="Length at which the other stop begins.")
    visualization: SpringVisualElement | None = element(SpringVisualElement, source=DOCUMENT, doc="How it is seen.")


class RsdaElement(Element):
    """A spring-damper about an axis; its torque acts on the second body. Global at time zero."""

    name: str | None = child(STRING, required=True, source=DOCUMENT, doc="Its name, unique.")
    type: str | None = child(word("RSDA"), source=DOCUMENT, doc="RSDA; needed in a list of spring_dampers.")
    body1: str | None = child(STRING, required=True, source=DOCUMENT, doc="The first body.")
    body2: str | None = child(STRING, required=True, source=DOCUMENT, doc="The second body.")
    position: Vector | None = child(VECTOR3, name="location", unit="m", source=DOCUMENT, doc="Where it is drawn.")
    axis: Vector | None = child(VECTOR3, required=True, source=DOCUMENT, doc="Its axis.")
    free_angle: float | None = child(NUMBER, unit=_ANGLES, source=DOCUMENT, doc="Angle of the relaxed spring.")
    spring_coefficient: float | None = child(NUMBER, unit="N·m/rad", source=DOCUMENT, doc="Stiffness.")
    damping_coefficient: float | None = child(NUMBER, unit="N·m·s/rad", source=DOCUMENT, doc="Damping.")
    spring_curve_data: Table | None = child(PAIRS, unit="rad, N·m", source=DOCUMENT, doc="Torque over deformation.")
    damping_curve_data: Table | None = child(PAIRS, unit="rad/s, N·m", source=DOCUMENT, doc="Torque over rate.")
    preload: float = child(NUMBER, unit="N·m", default=0.0, source=DOCUMENT, doc="Constant torque.")


class RepeatElement(Element):
    """A slice of a function, over and over."""

    start: float = child(NUMBER, unit="s", default=0.0, announce=True, source=DOCUMENT, doc="Where the slice begins.")
    width: float | None = child(NUMBER, unit="s", required=True, source=DOCUMENT, doc="How long it is.")
    shift: float = child(NUMBER, unit="s", default=0.0, announce=True, source=DOCUMENT, doc="How late it is entered.")


class FunctionElement(Element):
    """A function of time."""

    type: str | None = child(
        word(*FUNCTION_TYPES),
        required=True,
        source=DOCUMENT,
        doc="Which function; CONTROLLER (newer) leaves it to an outside program.",
    )
    value: float | None = child(NUMBER, source=DOCUMENT, doc="Of CONSTANT.")
    coefficients: tuple[float, ...] | None = child(
        NUMBERS, source=DOCUMENT, doc="Of POLYNOMIAL: from the constant one upwards."
    )
    amplitude: float | None = child(NUMBER, source=DOCUMENT, doc="Of SINE.")
    frequency: float | None = child(NUMBER, unit="Hz", source=DOCUMENT, doc="Of SINE.")
    phase: float = child(NUMBER, unit=_ANGLES, default=0.0, source=DOCUMENT, doc="Of SINE.")
    shift: float = child(NUMBER, default=0.0, source=CHRONO, doc="Of SINE: what is added.")
    slope: float | None = child(NUMBER, unit="1/s", source=DOCUMENT, doc="Of RAMP.")
    intercept: float = child(NUMBER, default=0.0, source=DOCUMENT, doc="Of RAMP.")
    data: Table | None = child(PAIRS, unit="s, …", source=DOCUMENT, doc="Of DATA: points, constant beyond the ends.")
    repeat: RepeatElement | None = element(RepeatElement, source=DOCUMENT, doc="Repeats a slice of it.")


class MotorElement(Element):
    """A motor that moves the first body relative to the second. Global at time zero."""

    name: str | None = child(STRING, required=True, source=DOCUMENT, doc="Its name, unique.")
    type: str | None = child(word("LINEAR", "ROTATION"), required=True, source=DOCUMENT, doc="A slide or a turn.")
    body1: str | None = child(STRING, required=True, source=DOCUMENT, doc="The body that is moved.")
    body2: str | None = child(STRING, required=True, source=DOCUMENT, doc="The body against which it is moved.")
    position: Vector | None = child(VECTOR3, name="location", unit="m", required=True, source=DOCUMENT, doc="Where it is.")
    axis: Vector | None = child(VECTOR3, required=True, source=DOCUMENT, doc="Along or about which it moves.")
    actuation_type: str | None = child(
        word("POSITION", "SPEED", "FORCE"), required=True, source=DOCUMENT, doc="What the function prescribes."
    )
    actuation_function: FunctionElement | None = element(
        FunctionElement, required=True, source=DOCUMENT, doc="The function; of turns always in radians."
    )
    guide: str | None = child(
        word("FREE", "PRISMATIC", "SPHERICAL"), source=DOCUMENT, doc="Of LINEAR: what it holds; PRISMATIC where absent."
    )
    spindle: str | None = child(
        word("FREE", "REVOLUTE", "CYLINDRICAL"), source=DOCUMENT, doc="Of ROTATION: what it holds; REVOLUTE where absent."
    )


class BodyLoadElement(Element):
    """A force or torque on a body."""

    name: str | None = child(STRING, required=True, source=NEWER, doc="Its name, unique.")
    type: str | None = child(word("FORCE", "TORQUE"), required=True, source=NEWER, doc="Force or torque.")
    body: str | None = child(STRING, required=True, source=NEWER, doc="The body.")
    load: Vector | None = child(VECTOR3, unit="N or N·m", required=True, source=NEWER, doc="The vector.")
    local_load: bool = child(
        BOOLEAN, default=False, announce=True, source=NEWER, doc="Whether the vector is in body axes, else in global ones."
    )
    point: Vector | None = child(VECTOR3, unit="m", source=NEWER, doc="Where a force acts; required for forces.")
    local_point: bool | None = child(
        BOOLEAN,
        source=NEWER,
        doc="Whether the point is in the centre-of-mass frame and moves with it, else global and at rest.",
    )
    modulation_function: FunctionElement | None = element(FunctionElement, source=NEWER, doc="Factor over time.")


class LoadControllerElement(Element):
    """A force or torque on a body that an outside program supplies."""

    name: str | None = child(STRING, required=True, source=NEWER, doc="Its name, unique.")
    type: str | None = child(word("FORCE", "TORQUE"), required=True, source=NEWER, doc="Force or torque.")
    body: str | None = child(STRING, required=True, source=NEWER, doc="The body.")
    local_load: bool = child(
        BOOLEAN, default=False, announce=True, source=NEWER, doc="Whether the vector is in body axes, else in global ones."
    )
    point: Vector | None = child(VECTOR3, unit="m", source=NEWER, doc="Where a force acts; required for forces.")
    local_point: bool | None = child(
        BOOLEAN, source=NEWER, doc="Whether the point is in the centre-of-mass frame, else global."
    )


class DataPathElement(Element):
    """Where mesh files lie."""

    type: str = child(
        word("ABSOLUTE", "RELATIVE"),
        default="ABSOLUTE",
        announce=True,
        source=DOCUMENT,
        doc="Whether file names are taken as they stand, or below the root.",
    )
    root: str = child(STRING, default=".", source=DOCUMENT, doc="The root, relative to this file.")


class ModelElement(Element):
    """A multibody model."""

    name: str | None = child(STRING, source=DOCUMENT, doc="Its name.")
    angle_degrees: bool = child(
        BOOLEAN, default=True, source=DOCUMENT, doc="Whether orientations, free angles and phases are in degrees."
    )
    data_path: DataPathElement | None = element(DataPathElement, source=DOCUMENT, doc="Where mesh files lie.")
    bodies: tuple[ChronoBodyElement, ...] = element(
        ChronoBodyElement, repeated=True, required=True, source=DOCUMENT, doc="Its bodies."
    )
    joints: tuple[ChronoJointElement, ...] = element(
        ChronoJointElement, repeated=True, source=DOCUMENT, doc="Joints and bushings."
    )
    constraints: tuple[ConstraintElement, ...] = element(
        ConstraintElement, repeated=True, source=DOCUMENT, doc="Massless rods and links."
    )
    tsdas: tuple[TsdaElement, ...] = element(TsdaElement, repeated=True, source=DOCUMENT, doc="Spring-dampers along lines.")
    rsdas: tuple[RsdaElement, ...] = element(RsdaElement, repeated=True, source=DOCUMENT, doc="Spring-dampers about axes.")
    spring_dampers: tuple[TsdaElement | RsdaElement, ...] = one_of(
        {"TSDA": TsdaElement, "RSDA": RsdaElement},
        repeated=True,
        name="spring_dampers",
        source=DOCUMENT,
        doc="Both kinds in one list, as the document's examples have them; each says its type.",
    )
    motors: tuple[MotorElement, ...] = element(MotorElement, repeated=True, source=DOCUMENT, doc="Motors.")
    body_loads: tuple[BodyLoadElement, ...] = element(
        BodyLoadElement, repeated=True, source=NEWER, doc="Forces and torques on bodies."
    )
    load_controllers: tuple[LoadControllerElement, ...] = element(
        LoadControllerElement, repeated=True, source=NEWER, doc="Forces and torques that an outside program supplies."
    )


class ModelFile(Element):
    """A model file."""

    chrono_version: str | None = child(
        STRING, name="chrono-version", required=True, source=DOCUMENT, doc="Version of Chrono, as 10.0 or 10.0.1."
    )
    type: str | None = child(STRING, source=CHRONO, doc="What the file is; not needed.")
    model: ModelElement | None = element(ModelElement, required=True, source=DOCUMENT, doc="The model.")
