"""Joints: their types, coordinates and actuation.

A joint frame is fixed in the child and coincides, with all coordinates at zero, with a frame fixed in the parent.
Axes are unit vectors in that frame. Positions are listed as users expect them, one number per degree of freedom. The
velocities of ball and free joints are not the rates of their positions: a ball has its angular velocity in axes of the
child's joint frame; a free joint has its angular velocity and the velocity of the joint frame's origin, in axes of the
parent body (of the world if there is none). See ``docs/conventions.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from typing import ClassVar, TypeAlias

from ossature.diagnostics import Location
from ossature.diagnostics.counted_nouns import counted
from ossature.model.coupling import Coupling
from ossature.model.format_extension import Extension
from ossature.model.mujoco_hints import MujocoJoint
from ossature.model.program_hints import HintedElement, OpenravePlanning
from ossature.model.validated_element import Element
from ossature.spatial import IDENTITY, ZERO3, EulerOrder, Pose, Vector3

X_AXIS: Vector3 = (1.0, 0.0, 0.0)
Y_AXIS: Vector3 = (0.0, 1.0, 0.0)
Z_AXIS: Vector3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed(Element):
    """No relative motion."""

    degrees_of_freedom: ClassVar[int] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Revolute(Element):
    """A rotation [rad] about an axis."""

    axis: Vector3 = Z_AXIS
    degrees_of_freedom: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prismatic(Element):
    """A slide [m] along an axis."""

    axis: Vector3 = Z_AXIS
    degrees_of_freedom: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Screw(Element):
    """A rotation [rad] about an axis coupled to a translation along it.

    Attributes:
        axis: The axis.
        pitch: Translation along the axis per revolution [m].
    """

    axis: Vector3 = Z_AXIS
    pitch: float = 0.1
    degrees_of_freedom: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylindrical(Element):
    """A rotation [rad] about an axis and an independent translation [m] along it."""

    axis: Vector3 = Z_AXIS
    degrees_of_freedom: ClassVar[int] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PointOnLine(Element):
    """A point of the child stays on a line of the parent: a translation [m], then any rotation (rotation vector)."""

    axis: Vector3 = X_AXIS
    degrees_of_freedom: ClassVar[int] = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PointOnPlane(Element):
    """A point of the child stays in a plane of the parent: translations [m] along two axes, then any rotation.

    The plane is the one of the two axes, which are perpendicular.
    """

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Universal(Element):
    """A rotation [rad] about the first axis, then one about the second."""

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Spherical(Element):
    """Any rotation, as a rotation vector [rad]: a ball joint.

    Attributes:
        max_angle: Largest angle of the rotation [rad], or None if it is unlimited.
    """

    max_angle: float | None = None
    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Euler(Element):
    """Any rotation, as three intrinsic angles [rad] in an axis order."""

    order: EulerOrder = "xyz"
    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Translational(Element):
    """Slides [m] along x, y and z."""

    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Translational2D(Element):
    """Slides [m] along two axes."""

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Planar(Element):
    """Translations [m] along two axes, then a rotation [rad] about their cross product."""

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis(Element):
    """One axis of a compound joint.

    Attributes:
        direction: Unit vector.
        is_revolute: Whether the motion is a rotation about it [rad], else a translation along it [m].
        anchor: A point of the axis of a rotation [m].
    """

    direction: Vector3 = Z_AXIS
    is_revolute: bool = True
    anchor: Vector3 = ZERO3
    degrees_of_freedom: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SphericalMotion(Element):
    """Any rotation about a point, as a part of a compound joint: a rotation vector [rad].

    Attributes:
        anchor: The point [m].
        max_angle: Largest angle of the rotation [rad], or None if it is unlimited.
    """

    anchor: Vector3 = ZERO3
    max_angle: float | None = None
    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound(Element):
    """A sequence of rotations and translations, each in the frame moved by those before it.

    Attributes:
        axes: The motions; a spherical one has three coordinates, the others one each.
    """

    axes: tuple[Axis | SphericalMotion, ...]

    @property
    def degrees_of_freedom(self) -> int:
        """The number of coordinates of all motions."""
        return sum([axis.degrees_of_freedom for axis in self.axes])

    @property
    def motions(self) -> tuple[tuple[int, Axis | SphericalMotion], ...]:
        """Each motion with the index of its first coordinate."""
        firsts = accumulate([axis.degrees_of_freedom for axis in self.axes], initial=0)
        return tuple(zip(firsts, self.axes, strict=False))

    def motion_of(self, coordinate: int) -> Axis | SphericalMotion:
        """Return the motion that a coordinate belongs to."""
        return next(axis for first, axis in reversed(self.motions) if first <= coordinate)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floating(Element):
    """Any motion: a rotation vector [rad], then a translation [m]."""

    degrees_of_freedom: ClassVar[int] = 6


JointType: TypeAlias = (
    Fixed
    | Revolute
    | Prismatic
    | Screw
    | Cylindrical
    | Universal
    | Spherical
    | Euler
    | Translational
    | Translational2D
    | Planar
    | PointOnLine
    | PointOnPlane
    | Compound
    | Floating
)
"""The type of a joint."""


class Actuation(StrEnum):
    """The meaning of a joint's command."""

    FORCE = "force"
    """The command is a force or torque."""
    PASSIVE = "passive"
    """The joint has no command."""
    SERVO = "servo"
    """The command is a velocity, tracked within the effort limits."""
    VELOCITY = "velocity"
    """The command is a velocity, followed exactly."""
    ACCELERATION = "acceleration"
    """The command is an acceleration, followed exactly."""
    LOCKED = "locked"
    """The joint does not move."""


@dataclass(frozen=True, slots=True)
class Range(Element):
    """An interval; unbounded by default."""

    lower: float = -math.inf
    upper: float = math.inf

    @property
    def bounded(self) -> bool:
        """Whether either end is finite."""
        return self.lower != -math.inf or self.upper != math.inf


UNBOUNDED = Range()


@dataclass(frozen=True, slots=True, kw_only=True)
class HardLimits(Element):
    """Mechanical limits; the soft limits of a controller are narrower.

    Attributes:
        position: Limits of the position.
        velocity: Limits of the velocity.
        acceleration: Limits of the acceleration.
        jerk: Limits of the rate of the acceleration.
    """

    position: Range = UNBOUNDED
    velocity: Range = UNBOUNDED
    acceleration: Range = UNBOUNDED
    jerk: Range = UNBOUNDED


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate(HintedElement):
    """One degree of freedom of a joint; units follow its kind (rad or m, N·m or N, s).

    Attributes:
        name: Its own name, or None.
        position_limits: Limits of the position.
        velocity_limits: Limits of the velocity.
        acceleration_limits: Limits of the acceleration.
        effort_limits: Limits of the commanded force or torque.
        initial_position: Position at time zero.
        initial_velocity: Velocity at time zero.
        initial_acceleration: Acceleration that the file states for time zero.
        initial_effort: Commanded force or torque at time zero.
        damping: Viscous damping [N·m·s/rad or N·s/m].
        friction: Coulomb friction [N·m or N].
        stiffness: Spring stiffness [N·m/rad or N/m].
        spring_reference: Position at which the spring is relaxed.
        jerk_limits: Limits of the rate of the acceleration.
        hard_limits: Mechanical limits, if the file states them besides the soft limits of a controller.
        continuous: Whether it rotates without limits: both limits are the same position.
        coupling: Its coupling to other coordinates, or None for an independent one.
        armature: Inertia of its motion that does not depend on positions, such as that of a rotor behind a gear [kg·m² or kg].
        hints: What its file states for OpenRAVE or MuJoCo.
        states_position: Whether a file or state specifies the initial position; one other than zero always is.
    """

    name: str | None = None
    position_limits: Range = UNBOUNDED
    velocity_limits: Range = UNBOUNDED
    acceleration_limits: Range = UNBOUNDED
    effort_limits: Range = UNBOUNDED
    initial_position: float = 0.0
    initial_velocity: float = 0.0
    initial_acceleration: float = 0.0
    initial_effort: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    spring_reference: float = 0.0
    jerk_limits: Range = UNBOUNDED
    hard_limits: HardLimits | None = None
    continuous: bool = False
    coupling: Coupling | None = None
    armature: float = 0.0
    hints: tuple[OpenravePlanning | MujocoJoint, ...] = ()
    states_position: bool = field(default=False, compare=False, repr=False)


UNCONSTRAINED_COORDINATE = Coordinate()
"""A coordinate without limits, resistance and drive."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint(Element):
    """A joint between two bodies, or between the world and a body.

    Attributes:
        name: Its name, unique within the model.
        type: Its type, which defines its coordinates.
        parent: Name of the parent body, or None for the world.
        child: Name of the child body.
        pose: The joint frame in the child body's frame.
        coordinates: One for each degree of freedom.
        actuation: The meaning of its command.
        extensions: Content that only its own format can represent.
        spelled_pose: The joint frame in the parent's frame, with all coordinates at zero, as the file spelled it that the
            joint came from. It takes no part in equality, and a writer uses it only if it still gives the pose of the
            child to the bit.
    """

    name: str
    type: JointType
    parent: str | None
    child: str
    pose: Pose = IDENTITY
    coordinates: tuple[Coordinate, ...] = ()
    actuation: Actuation = Actuation.FORCE
    extensions: tuple[Extension, ...] = ()
    spelled_pose: Pose | None = field(default=None, compare=False, repr=False)
    origin: Location | None = field(default=None, compare=False, repr=False)

    def _finish(self) -> None:
        if len(self.coordinates) != self.type.degrees_of_freedom:
            if self.coordinates:
                freedom = counted(self.type.degrees_of_freedom, "degree of freedom")
                raise ValueError(f"joint '{self.name}' has {freedom}, not {len(self.coordinates)}")
            object.__setattr__(self, "coordinates", (UNCONSTRAINED_COORDINATE,) * self.type.degrees_of_freedom)

    @property
    def degrees_of_freedom(self) -> int:
        """How many coordinates it has."""
        return self.type.degrees_of_freedom

    @property
    def is_fixed_to_world(self) -> bool:
        """Whether it fixes its child to the world."""
        return self.parent is None and isinstance(self.type, Fixed)

    @property
    def initial_positions(self) -> tuple[float, ...]:
        """Positions of its coordinates at time zero."""
        return tuple([coordinate.initial_position for coordinate in self.coordinates])

    @property
    def initial_velocities(self) -> tuple[float, ...]:
        """Velocities of its coordinates at time zero."""
        return tuple([coordinate.initial_velocity for coordinate in self.coordinates])

    def __repr__(self) -> str:
        parent = "world" if self.parent is None else repr(self.parent)
        return f"Joint({self.name!r}: {type(self.type).__name__.lower()}, {parent} to {self.child!r})"
