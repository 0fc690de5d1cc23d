"""The elements of SDFormat that describe models; those of other programs and devices are passed through as text.

The declarations are those of version 1.12. Names of earlier versions are replaced before: see ``upgrade``.
"""

from __future__ import annotations

import math

from ossature.formats.sdf.schema_common import LinkPoseElement, PoseElement, SdfElement, passed_through
from ossature.formats.sdf.schema_sensors import SdfSensorElement
from ossature.formats.sdf.schema_shapes import SdfGeometryElement, SdfMaterialElement, SurfaceElement
from ossature.spatial import Vector3
from ossature.syntax.schema import Element, attribute, child, element, text
from ossature.syntax.xml_values import BOOLEAN, BOUND, NUMBER, STRING, VECTOR3

_POSITION, _EFFORT, _VELOCITY = "rad or m", "N·m or N", "rad/s or m/s"


class InertiaElement(SdfElement):
    """The inertia tensor about the centre of mass, in the axes of the inertial frame."""

    ixx: float = child(NUMBER, unit="kg·m²", default=1.0, always_written=True, doc="Moment about x.")
    ixy: float = child(NUMBER, unit="kg·m²", default=0.0, always_written=True, doc="Element of the tensor.")
    ixz: float = child(NUMBER, unit="kg·m²", default=0.0, always_written=True, doc="Element of the tensor.")
    iyy: float = child(NUMBER, unit="kg·m²", default=1.0, always_written=True, doc="Moment about y.")
    iyz: float = child(NUMBER, unit="kg·m²", default=0.0, always_written=True, doc="Element of the tensor.")
    izz: float = child(NUMBER, unit="kg·m²", default=1.0, always_written=True, doc="Moment about z.")


class SdfInertialElement(SdfElement):
    """Mass and its distribution."""

    auto: bool = attribute(BOOLEAN, default=False, doc="Whether it is computed from the collision shapes.")
    mass: float | None = child(NUMBER, unit="kg", doc="Mass: 1 kg if absent.")
    density: float | None = child(NUMBER, unit="kg/m³", doc="Density for the computation: 1000 if absent.")
    pose: LinkPoseElement | None = element(LinkPoseElement, doc="The inertial frame in the frame of the link.")
    inertia: InertiaElement | None = element(InertiaElement, doc="The inertia tensor.")
    other: tuple[Element, ...] = passed_through("fluid_added_mass", "auto_inertia_params")


class SdfVisualElement(SdfElement):
    """A shape that is rendered."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in the link.")
    pose: PoseElement | None = element(PoseElement, doc="Its frame in the frame of the link.")
    geometry: SdfGeometryElement | None = element(SdfGeometryElement, doc="The shape.")
    material: SdfMaterialElement | None = element(SdfMaterialElement, doc="Its material.")
    transparency: float = child(NUMBER, default=0.0, doc="1 for invisible.")
    other: tuple[Element, ...] = passed_through("cast_shadows", "laser_retro", "visibility_flags", "meta", "plugin")


class SdfCollisionElement(SdfElement):
    """A shape that collides."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in the link.")
    pose: PoseElement | None = element(PoseElement, doc="Its frame in the frame of the link.")
    geometry: SdfGeometryElement | None = element(SdfGeometryElement, doc="The shape.")
    surface: SurfaceElement | None = element(SurfaceElement, doc="Contact properties.")
    density: float | None = child(NUMBER, unit="kg/m³", doc="Density for an inertia that is computed.")
    other: tuple[Element, ...] = passed_through("laser_retro", "max_contacts", "auto_inertia_params")


class SdfFrameElement(SdfElement):
    """A named frame."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in its model or world.")
    attached_to: str = attribute(STRING, default="", doc="The frame to which it is fixed; its model if empty.")
    pose: PoseElement | None = element(PoseElement, doc="Its pose, in the frame to which it is fixed by default.")


class SdfLinkElement(SdfElement):
    """A rigid body."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in the model.")
    pose: PoseElement | None = element(PoseElement, doc="Its frame in the frame of the model.")
    gravity: bool = child(BOOLEAN, default=True, doc="Whether gravity acts on it.")
    self_collide: bool | None = child(BOOLEAN, doc="Whether it collides with links of its model.")
    inertial: SdfInertialElement | None = element(SdfInertialElement, doc="1 kg and 1 kg·m² if absent.")
    collision: tuple[SdfCollisionElement, ...] = element(SdfCollisionElement, repeated=True, doc="A shape that collides.")
    visual: tuple[SdfVisualElement, ...] = element(SdfVisualElement, repeated=True, doc="A shape that is rendered.")
    sensor: tuple[SdfSensorElement, ...] = element(SdfSensorElement, repeated=True, doc="A sensor.")
    other: tuple[Element, ...] = passed_through(
        "enable_wind",
        "kinematic",
        "must_be_base_link",
        "velocity_decay",
        "projector",
        "audio_sink",
        "audio_source",
        "battery",
        "light",
        "particle_emitter",
        "damping",
    )


class AxisDirectionElement(SdfElement):
    """The direction of an axis."""

    expressed_in: str = attribute(STRING, default="", doc="The frame of its components: that of the joint.")
    xyz: Vector3 | None = text(VECTOR3, doc="The direction.")


class AxisLimitElement(SdfElement):
    """The limits of a coordinate. Bounds of at least 1e16 are none; negative ones of effort and velocity neither."""

    lower: float = child(BOUND, unit=_POSITION, default=-math.inf, doc="Lower limit.")
    upper: float = child(BOUND, unit=_POSITION, default=math.inf, doc="Upper limit.")
    effort: float = child(BOUND, unit=_EFFORT, default=math.inf, doc="Largest force or torque of an actuator.")
    velocity: float = child(BOUND, unit=_VELOCITY, default=math.inf, doc="Largest speed.")
    stiffness: float | None = child(NUMBER, doc="Stiffness of the stop; passed through.")
    dissipation: float | None = child(NUMBER, doc="Dissipation of the stop; passed through.")


class AxisDynamicsElement(SdfElement):
    """Resistance against the motion."""

    damping: float = child(NUMBER, unit="N·m·s/rad or N·s/m", default=0.0, doc="Viscous damping.")
    friction: float = child(NUMBER, unit=_EFFORT, default=0.0, doc="Coulomb friction.")
    spring_reference: float = child(NUMBER, unit=_POSITION, default=0.0, doc="Position of the relaxed spring.")
    spring_stiffness: float = child(NUMBER, unit="N·m/rad or N/m", default=0.0, doc="Stiffness of the spring.")


class SdfMimicElement(SdfElement):
    """A coupling: position = multiplier × (position of the leader − reference) + offset."""

    joint: str | None = attribute(STRING, required=True, doc="The leader.")
    axis: str = attribute(STRING, default="axis", doc="Which axis of the leader: axis or axis2.")
    multiplier: float = child(NUMBER, default=1.0, doc="Factor.")
    offset: float = child(NUMBER, unit=_POSITION, default=0.0, doc="Offset.")
    reference: float = child(NUMBER, unit=_POSITION, default=0.0, doc="Reference position of the leader.")


class SdfAxisElement(SdfElement):
    """An axis of a joint, and its coordinate."""

    xyz: AxisDirectionElement | None = element(AxisDirectionElement, doc="Direction: 0 0 1 if absent.")
    initial_position: float = child(NUMBER, unit=_POSITION, default=0.0, doc="Position at the start; until 1.9.")
    dynamics: AxisDynamicsElement | None = element(AxisDynamicsElement, doc="Resistance.")
    limit: AxisLimitElement | None = element(AxisLimitElement, doc="Limits.")
    mimic: SdfMimicElement | None = element(SdfMimicElement, doc="Coupling to another joint.")


class SdfJointElement(SdfElement):
    """A joint between two frames; its own frame is fixed in the child."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in the model.")
    type: str | None = attribute(STRING, required=True, doc="Its type.")
    parent_frame: str | None = child(STRING, name="parent", required=True, doc="A frame of the parent link, or world.")
    child_frame: str | None = child(STRING, name="child", required=True, doc="A frame of the child link.")
    pose: PoseElement | None = element(PoseElement, doc="Its frame, in that of the child by default.")
    gearbox_ratio: float = child(NUMBER, default=1.0, doc="Ratio of a gearbox.")
    gearbox_reference_body: str | None = child(STRING, doc="The link of the case of a gearbox.")
    thread_pitch: float | None = child(
        NUMBER, unit="rad/m", doc="Negative rotation of a screw for each metre; replaced by screw_thread_pitch."
    )
    screw_thread_pitch: float | None = child(NUMBER, unit="m", doc="Translation of a screw for each revolution.")
    axis: SdfAxisElement | None = element(SdfAxisElement, doc="The first axis.")
    axis2: SdfAxisElement | None = element(SdfAxisElement, doc="The second axis.")
    sensor: tuple[SdfSensorElement, ...] = element(SdfSensorElement, repeated=True, doc="A sensor.")
    other: tuple[Element, ...] = passed_through("physics")


class SdfModelElement(SdfElement):
    """A robot or an object: links, joints, frames and nested models."""

    name: str | None = attribute(STRING, required=True, doc="Name, unique in its world or model.")
    namespace: str | None = attribute(STRING, doc="Prefix of the names of topics; not used.")
    merge: bool = attribute(BOOLEAN, default=False, doc="Of an included model: whether its content belongs to the outer model.")
    canonical_link: str = attribute(STRING, default="", doc="The link to which its frame is fixed: the first one.")
    placement_frame: str = attribute(STRING, default="", doc="The frame of the model that has the stated pose.")
    pose: PoseElement | None = element(PoseElement, doc="Its frame in that of the world or outer model.")
    static: bool = child(BOOLEAN, default=False, doc="Whether it never moves.")
    self_collide: bool = child(BOOLEAN, default=False, doc="Whether its links collide with each other.")
    link: tuple[SdfLinkElement, ...] = element(SdfLinkElement, repeated=True, doc="A rigid body.")
    joint: tuple[SdfJointElement, ...] = element(SdfJointElement, repeated=True, doc="A joint.")
    frame: tuple[SdfFrameElement, ...] = element(SdfFrameElement, repeated=True, doc="A named frame.")
    model: tuple[SdfModelElement, ...] = element(lambda: SdfModelElement, repeated=True, doc="A nested model.")
    other: tuple[Element, ...] = passed_through("plugin", "gripper", "state", "allow_auto_disable", "enable_wind", "include")


class SdfPhysicsElement(SdfElement):
    """Settings of a physics engine; those except the step are passed through."""

    name: str | None = attribute(STRING, doc="Name.")
    default: bool = attribute(BOOLEAN, default=False, doc="Whether it is used, of several.")
    type: str | None = attribute(STRING, doc="The engine.")
    max_step_size: float | None = child(NUMBER, unit="s", doc="Time step: 0.001 s if absent.")
    other: tuple[Element, ...] = passed_through(
        "real_time_factor", "real_time_update_rate", "max_contacts", "dart", "simbody", "bullet", "ode"
    )


class SdfWorldElement(SdfElement):
    """Models under gravity."""

    name: str | None = attribute(STRING, required=True, doc="Name.")
    gravity: Vector3 = child(
        VECTOR3, unit="m/s²", default=(0.0, 0.0, -9.8), always_written=True, doc="Gravitational acceleration."
    )
    physics: tuple[SdfPhysicsElement, ...] = element(SdfPhysicsElement, repeated=True, doc="Physics engine.")
    model: tuple[SdfModelElement, ...] = element(SdfModelElement, repeated=True, doc="A model.")
    frame: tuple[SdfFrameElement, ...] = element(SdfFrameElement, repeated=True, doc="A named frame.")
    joint: tuple[SdfJointElement, ...] = element(SdfJointElement, repeated=True, doc="A joint between models.")
    other: tuple[Element, ...] = passed_through(
        "include",
        "audio",
        "wind",
        "magnetic_field",
        "atmosphere",
        "gui",
        "scene",
        "light",
        "actor",
        "plugin",
        "road",
        "spherical_coordinates",
        "state",
        "population",
    )


class SdfRootElement(SdfElement):
    """The root element: worlds, or one model."""

    version: str | None = attribute(STRING, required=True, doc="Version of SDFormat.")
    world: tuple[SdfWorldElement, ...] = element(SdfWorldElement, repeated=True, doc="A world; the first is read.")
    model: tuple[SdfModelElement, ...] = element(SdfModelElement, repeated=True, doc="A model; one is allowed.")
    other: tuple[Element, ...] = passed_through("actor", "light")


ROOTS: tuple[tuple[str, type[Element]], ...] = (("sdf", SdfRootElement),)
"""The root element of an SDFormat file: its tag and declaration."""
