"""What makes a mechanism a robot: arms with grippers, actuators, and what a hand holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ossature.diagnostics import Location
from ossature.model.electric_motor import Controller, ElectricMotor
from ossature.model.format_extension import Extension
from ossature.model.joint import Z_AXIS
from ossature.spatial import IDENTITY, Pose, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenravePlugin:
    """The program part that its author meant for something. It is a name only: nothing is ever loaded by it.

    Attributes:
        kind: What it is a part for: ``robot``, ``kinbody``, ``sensor``, ``iksolver``, or None where nothing says so.
        name: Its name.
        plugin: The library that holds it, or None.
    """

    kind: str | None = None
    name: str
    plugin: str | None = None


class IkType(StrEnum):
    """What an inverse kinematics solver brings a manipulator's tip to."""

    TRANSFORM_6D = "Transform6D"
    """A pose."""
    ROTATION_3D = "Rotation3D"
    """An orientation, anywhere."""
    TRANSLATION_3D = "Translation3D"
    """A point, in any orientation."""
    DIRECTION_3D = "Direction3D"
    """Its direction along a given one, anywhere."""
    RAY_4D = "Ray4D"
    """Its ray onto a given ray."""
    LOOKAT_3D = "Lookat3D"
    """Its direction towards a point."""
    TRANSLATION_DIRECTION_5D = "TranslationDirection5D"
    """A point, with its direction along a given one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IkFreeJoint:
    """A joint whose values a solver tries one after the other.

    Attributes:
        joint: The joint's name.
        step: Distance between tried values [rad or m], or None.
    """

    joint: str
    step: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IkSolver:
    """Which inverse kinematics suits a manipulator.

    Attributes:
        type: What it solves for, or None where the file names a type that nobody knows, kept in ``extensions``.
        free_joints: Joints that it samples.
        interface: The program part that its author meant, or None.
        extensions: What only its own format says about it.
    """

    type: IkType | None
    free_joints: tuple[IkFreeJoint, ...] = ()
    interface: OpenravePlugin | None = None
    extensions: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperJoint:
    """A joint of a gripper.

    Attributes:
        joint: The joint's name.
        closing_directions: For each of its coordinates the sign in which it closes: 1, -1, or 0 for neither.
    """

    joint: str
    closing_directions: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manipulator:
    """An arm with a gripper: the chain of joints from one body to another.

    Attributes:
        name: Its name, unique among the model's manipulators.
        base: The body where the arm begins.
        tip: The body that carries the gripper.
        chain_end: The body where the arm's joints end, or None where that is the tip: what lies between stays as it is.
        pose: The manipulator's frame in the frame of the tip body.
        direction: The direction in which it works, unit vector in the manipulator's frame.
        gripper: The joints of its gripper.
        solvers: Inverse kinematics that suits it.
        extensions: What only its own format says about it.
    """

    name: str
    base: str
    tip: str
    chain_end: str | None = None
    pose: Pose = IDENTITY
    direction: Vector3 = Z_AXIS
    gripper: tuple[GripperJoint, ...] = ()
    solvers: tuple[IkSolver, ...] = ()
    extensions: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Actuator:
    """What drives a joint.

    Attributes:
        name: Its name, unique among the model's actuators.
        joint: The joint that it drives, by the first coordinate.
        type: What it is, in its format's word, or None where the file says nothing of it.
        motor: The electric motor that it is, or None.
        controller: How its drive follows positions and velocities, or None where nothing says so.
        settings: What else the file says about it, in its format's words.
    """

    name: str
    joint: str
    type: str | None = None
    motor: ElectricMotor | None = None
    controller: Controller | None = None
    settings: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyPath:
    """A body of a world: the names of a model and of one of its bodies."""

    model: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grasp:
    """A body that holds another one.

    Attributes:
        link: The body that holds, a hand.
        body: The body that is held, an object.
        ignored_bodies: Bodies of the holder's model that do not collide with the held body.
    """

    link: BodyPath
    body: BodyPath
    ignored_bodies: tuple[str, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
