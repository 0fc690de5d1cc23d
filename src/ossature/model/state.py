"""The state of a World at an instant: plain data that a file can carry and another program can read."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.model.fingerprint import Fingerprint
from ossature.model.manipulator import Grasp
from ossature.model.named_list import NamedList
from ossature.spatial import ZERO3, Pose, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Twist:
    """How a frame moves.

    Attributes:
        linear: Velocity of its origin [m/s].
        angular: Angular velocity [rad/s].
    """

    linear: Vector3 = ZERO3
    angular: Vector3 = ZERO3


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrench:
    """A force and a torque.

    Attributes:
        force: The force [N].
        torque: The torque [N·m].
    """

    force: Vector3 = ZERO3
    torque: Vector3 = ZERO3


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameState:
    """A frame of reference.

    Attributes:
        name: Its name, unique among frames and models.
        parent: Name of the frame or model that it is given in, or None for the world.
        pose: The frame in its parent, or None where that is not stated.
        twist: How it moves against its parent, in axes of the parent, or None where that is not stated.
    """

    name: str
    parent: str | None = None
    pose: Pose | None = None
    twist: Twist | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkState:
    """The state of a body.

    Attributes:
        name: Its name.
        pose: The body in the frame of its model, or None where that is not stated.
        twist: How it moves against the frame of its model, at its origin and in its own axes, or None.
        wrench: What is exerted on it from outside, at its origin and in its own axes, or None.
    """

    name: str
    pose: Pose | None = None
    twist: Twist | None = None
    wrench: Wrench | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JointState:
    """The state of a joint, a number for each of its degrees of freedom.

    Attributes:
        name: Its name.
        positions: Its coordinates [rad or m], or None where they are not stated.
        velocities: Its velocities, or None.
        efforts: The forces or torques that drive it, or None.
    """

    name: str
    positions: tuple[float, ...] | None = None
    velocities: tuple[float, ...] | None = None
    efforts: tuple[float, ...] | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """The state of a model.

    Attributes:
        name: Its name, unique among frames and models.
        parent: Name of the frame or model that it is given in, or None for the world.
        pose: The model's frame in its parent, or None where that is not stated.
        twist: How the model's frame moves against its parent, in axes of the parent, or None.
        links: The states of its bodies.
        joints: The states of its joints.
    """

    name: str
    parent: str | None = None
    pose: Pose | None = None
    twist: Twist | None = None
    links: NamedList[LinkState] = field(default_factory=NamedList)
    joints: NamedList[JointState] = field(default_factory=NamedList)
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointArray:
    """Numbers that a part of a simulation remembers.

    Attributes:
        name: Which part, and which of its numbers.
        values: The numbers: all of them floating-point ones, or all of them whole ones.
    """

    name: str
    values: tuple[float, ...] | tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a simulation remembers beyond the plain state, so that it can go on to the last bit.

    Attributes:
        plain: Digest of the plain state that it goes with; where that was edited, this no longer counts.
        settings: Under which engine and settings it was made.
        arrays: The numbers.
    """

    plain: str
    settings: tuple[tuple[str, str], ...]
    arrays: tuple[CheckpointArray, ...]
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveGrasp:
    """What a hand holds, and where.

    Attributes:
        grasp: Which body holds which.
        pose_link_body: The held body's frame in the holder's.
    """

    grasp: Grasp
    pose_link_body: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a World at an instant.

    Attributes:
        name: Its name, which is the World's.
        time: The time [s], or None where nothing says it.
        frames: Frames of reference, in any order.
        models: The states of models, in any order.
        fingerprint: The World that it belongs to, or None where nothing says it.
        checkpoint: What an exact restart needs, or None.
        grasps: What hands hold, or None where nothing says it.
    """

    name: str = "world"
    time: float | None = None
    frames: NamedList[FrameState] = field(default_factory=NamedList)
    models: NamedList[ModelState] = field(default_factory=NamedList)
    fingerprint: Fingerprint | None = None
    checkpoint: Checkpoint | None = None
    grasps: tuple[ActiveGrasp, ...] | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)
