"""A model: a graph of bodies and joints."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ossature.diagnostics import Location
from ossature.diagnostics.counted_nouns import counted
from ossature.model.actuator import Actuator
from ossature.model.appearance import Appearance, Texture
from ossature.model.body import Body
from ossature.model.cameras_and_lights import Camera, Light
from ossature.model.contact_pair import ContactPair
from ossature.model.equality_constraint import Equality
from ossature.model.force_element import Bushing, Load, RotationalSpringDamper, SpringDamper
from ossature.model.format_extension import Extension
from ossature.model.joint import Joint
from ossature.model.keyframe import Keyframe
from ossature.model.manipulator import Manipulator
from ossature.model.massless_link_constraint import Constraint
from ossature.model.motor import Motor
from ossature.model.named_list import NO_ELEMENTS, NamedList
from ossature.model.program_hints import HintedElement, OpenravePlugin
from ossature.model.sensor import Sensor
from ossature.model.tendon import Tendon
from ossature.spatial import IDENTITY, Pose

COLLECTIONS = (
    *("bodies", "joints", "bushings", "constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads"),
    *("manipulators", "sensors", "actuators"),
    *("tendons", "equalities", "contact_pairs", "keyframes", "cameras", "lights", "appearances", "textures"),
)
"""Fields of a model with named elements."""


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Model(HintedElement):
    """A robot, a mechanism, or an object: a graph of bodies and joints. Loops are allowed.

    Attributes:
        name: Its name, unique within the world.
        pose: The model frame in the world frame.
        bodies: Its bodies, in file order.
        joints: Its joints, in file order.
        static: Whether it never moves, regardless of its joints.
        joined_bodies_collide: Whether bodies that a joint connects collide as others do.
        bushings: Joints of rubber.
        constraints: Massless rods and links.
        spring_dampers: Spring-dampers along lines.
        rotational_spring_dampers: Spring-dampers about axes.
        motors: Motors; each is also a joint if its guide constrains motions.
        loads: Forces and torques on single bodies.
        ignored_pairs: Pairs of bodies that never collide with each other.
        manipulators: Arms with grippers.
        sensors: Its sensors.
        actuators: Its actuators.
        tendons: Its tendons.
        equalities: Equality constraints, which a solver enforces softly.
        contact_pairs: Pairs of shapes with contact parameters of their own.
        keyframes: Named states.
        cameras: Cameras of its scene.
        lights: Lights of its scene.
        appearances: Appearances to which shapes refer.
        textures: Textures to which appearances refer.
        hints: What its file states for OpenRAVE.
        extensions: Content that only its own format can represent.
    """

    name: str
    pose: Pose = IDENTITY
    bodies: NamedList[Body] = NO_ELEMENTS
    joints: NamedList[Joint] = NO_ELEMENTS
    static: bool = False
    joined_bodies_collide: bool = False
    bushings: NamedList[Bushing] = NO_ELEMENTS
    constraints: NamedList[Constraint] = NO_ELEMENTS
    spring_dampers: NamedList[SpringDamper] = NO_ELEMENTS
    rotational_spring_dampers: NamedList[RotationalSpringDamper] = NO_ELEMENTS
    motors: NamedList[Motor] = NO_ELEMENTS
    loads: NamedList[Load] = NO_ELEMENTS
    ignored_pairs: tuple[tuple[str, str], ...] = ()
    manipulators: NamedList[Manipulator] = NO_ELEMENTS
    sensors: NamedList[Sensor] = NO_ELEMENTS
    actuators: NamedList[Actuator] = NO_ELEMENTS
    tendons: NamedList[Tendon] = NO_ELEMENTS
    equalities: NamedList[Equality] = NO_ELEMENTS
    contact_pairs: NamedList[ContactPair] = NO_ELEMENTS
    keyframes: NamedList[Keyframe] = NO_ELEMENTS
    cameras: NamedList[Camera] = NO_ELEMENTS
    lights: NamedList[Light] = NO_ELEMENTS
    appearances: NamedList[Appearance] = NO_ELEMENTS
    textures: NamedList[Texture] = NO_ELEMENTS
    hints: tuple[OpenravePlugin, ...] = ()
    extensions: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)

    @property
    def degrees_of_freedom(self) -> int:
        """Number of joint coordinates that follow no others; zero for a static model.

        Loops are not considered; :func:`ossature.kinematics.mobility_of` returns the mobility.
        """
        coordinates = [coordinate for joint in self.joints for coordinate in joint.coordinates]
        return 0 if self.static else sum(coordinate.coupling is None for coordinate in coordinates)

    @property
    def mass(self) -> float:
        """Mass of all bodies [kg]."""
        return sum(body.inertial.mass for body in self.bodies)

    def body_pose(self, body: str | None) -> Pose:
        """Return a body's frame in the model frame; the model frame itself for the world, which is None."""
        return IDENTITY if body is None else self.bodies[body].pose

    def __repr__(self) -> str:
        return f"Model({self.name!r}: {self.summary}, {self.mass:g} kg)"

    def _repr_html_(self) -> str:
        html: str = import_module("ossature.model.world_text_and_html").world_html([self])  # late: it imports this module
        return html

    @property
    def summary(self) -> str:
        """Numbers of its bodies, joints and degrees of freedom, as text."""
        counts = {"body": len(self.bodies), "joint": len(self.joints), "degree of freedom": self.degrees_of_freedom}
        return ", ".join(counted(count, noun) for noun, count in counts.items())


def motors_and_force_elements(model: Model) -> dict[str, NamedList[Any]]:
    """Return the motors, force elements, constraints and loads of a model by the name of their kind."""
    return {
        "motor": model.motors,
        "bushing": model.bushings,
        "constraint": model.constraints,
        "spring-damper": model.spring_dampers,
        "rotational spring-damper": model.rotational_spring_dampers,
        "load": model.loads,
    }
