"""Joints: what they let move, how each of their coordinates resists, and what drives them.

A joint frame is fixed in the child and coincides, with all coordinates at zero, with a frame fixed in the parent.
Axes are unit vectors in that frame. Positions are listed as users expect them, one number per degree of freedom. The
velocities of ball and free joints are not the rates of their positions: a ball has its angular velocity in axes of the
child's joint frame; a free joint has its angular velocity and the velocity of the joint frame's origin, in axes of the
parent body (of the world where there is none). ``docs/conventions.md`` says more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from ossature.diagnostics import Location
from ossature.model.expression import Coupling
from ossature.model.format_extension import Extension
from ossature.spatial import IDENTITY, EulerOrder, Pose, Vector3

X_AXIS: Vector3 = (1.0, 0.0, 0.0)
Y_AXIS: Vector3 = (0.0, 1.0, 0.0)
Z_AXIS: Vector3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """No relative motion."""

    degrees_of_freedom: ClassVar[int] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Revolute:
    """A turn [rad] about an axis."""

    axis: Vector3 = Z_AXIS
    degrees_of_freedom: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prismatic:
    """A slide [m] along an axis."""

    axis: Vector3 = Z_AXIS
    degrees_of_freedom: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Screw:
    """A turn [rad] about an axis that advances along it.

    Attributes:
        axis: The axis.
        pitch: Advance along the axis for each whole turn [m].
    """

    axis: Vector3 = Z_AXIS
    pitch: float = 0.1
    degrees_of_freedom: ClassVar[int] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cylindrical:
    """A turn [rad] about an axis and a slide [m] along it, neither bound to the other."""

    axis: Vector3 = Z_AXIS
    degrees_of_freedom: ClassVar[int] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PointOnLine:
    """A point of the child stays on a line of the parent: a slide [m] along the line, then any turn (rotation vector)."""

    axis: Vector3 = X_AXIS
    degrees_of_freedom: ClassVar[int] = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PointOnPlane:
    """A point of the child stays in a plane of the parent: slides [m] along two axes, then any turn (rotation vector).

    The plane is the one of the two axes, which are perpendicular.
    """

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Universal:
    """A turn [rad] about the first axis, then one about the second."""

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Spherical:
    """Any turn, as a rotation vector [rad]: a ball joint."""

    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Euler:
    """Any turn, as three intrinsic angles [rad] in an axis order."""

    order: EulerOrder = "xyz"
    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Translational:
    """Slides [m] along x, y and z."""

    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Translational2D:
    """Slides [m] along two axes."""

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Planar:
    """Slides [m] along two axes, then a turn [rad] about their cross product."""

    axis1: Vector3 = X_AXIS
    axis2: Vector3 = Y_AXIS
    degrees_of_freedom: ClassVar[int] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One axis of a compound joint.

    Attributes:
        direction: Unit vector.
        is_revolute: Whether the joint turns about it [rad], else slides along it [m].
    """

    direction: Vector3 = Z_AXIS
    is_revolute: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Compound:
    """Turns and slides one after the other, each in the frame that those before it have moved."""

    axes: tuple[Axis, ...]

    @property
    def degrees_of_freedom(self) -> int:
        """How many axes there are."""
        return len(self.axes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Floating:
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
"""What a joint lets move."""


class Actuation(StrEnum):
    """What a command to a joint means."""

    FORCE = "force"
    """The command is a force or torque."""
    PASSIVE = "passive"
    """The joint takes no command."""
    SERVO = "servo"
    """The command is a velocity, followed as far as the effort limits allow."""
    VELOCITY = "velocity"
    """The command is a velocity, followed exactly."""
    ACCELERATION = "acceleration"
    """The command is an acceleration, followed exactly."""
    LOCKED = "locked"
    """The joint stays where it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """An interval; without bounds where the file names none."""

    lower: float = -math.inf
    upper: float = math.inf

    @property
    def bounded(self) -> bool:
        """Whether either end is finite."""
        return self.lower != -math.inf or self.upper != math.inf


UNBOUNDED = Range()


@dataclass(frozen=True, slots=True, kw_only=True)
class HardLimits:
    """Limits of the mechanism itself; those that a controller keeps to are narrower.

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
class Coordinate:
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
        hard_limits: What the mechanism itself limits, where the file tells it from what a controller keeps to.
        continuous: Whether the two limits are one and the same place: a turn without end.
        coupling: What its position follows, or None for a coordinate that moves by itself.
        planning_weight: How much a way along it counts for planners, or None.
        planning_resolution: Step in which planners should look along it [rad or m], or None.
        states_position: Whether a file or state says the initial position; one other than zero always counts as said.
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
    planning_weight: float | None = None
    planning_resolution: float | None = None
    states_position: bool = field(default=False, compare=False, repr=False)


UNCONSTRAINED_COORDINATE = Coordinate()
"""A coordinate that nothing limits, resists or drives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """A joint between two bodies, or between the world and a body.

    Attributes:
        name: Its name, unique within the model.
        type: What it lets move.
        parent: Name of the parent body, or None for the world.
        child: Name of the child body.
        pose: The joint frame in the child body's frame.
        coordinates: One for each degree of freedom.
        actuation: What a command to it means.
        extensions: What only its own format says about it.
        spelled_pose: The joint frame in the parent's frame, with all coordinates at zero, as the file spelled it that the
            joint came from. It takes no part in equality, and a writer uses it only where it still means the place of the
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

    def __post_init__(self) -> None:
        if len(self.coordinates) != self.type.degrees_of_freedom:
            if self.coordinates:
                raise ValueError(
                    f"joint '{self.name}' has {self.type.degrees_of_freedom} degrees of freedom, not {len(self.coordinates)}"
                )
            object.__setattr__(self, "coordinates", (UNCONSTRAINED_COORDINATE,) * self.type.degrees_of_freedom)

    @property
    def degrees_of_freedom(self) -> int:
        """How many coordinates it has."""
        return self.type.degrees_of_freedom

    @property
    def initial_positions(self) -> tuple[float, ...]:
        """Positions of its coordinates at time zero."""
        return tuple([coordinate.initial_position for coordinate in self.coordinates])

    @property
    def initial_velocities(self) -> tuple[float, ...]:
        """Velocities of its coordinates at time zero."""
        return tuple([coordinate.initial_velocity for coordinate in self.coordinates])
