"""The state of a World at one time, as plain data."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.html_table import html_table
from ossature.model.fingerprint import Fingerprint
from ossature.model.grasp import Grasp
from ossature.model.named_list import NO_ELEMENTS, NamedList
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
        parent: Name of its parent frame or model, or None for the world.
        pose: The frame in its parent, or None if unspecified.
        twist: Its velocity relative to the parent, expressed in the parent, or None if unspecified.
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
        pose: The body in the frame of its model, or None if unspecified.
        twist: Its velocity relative to the frame of its model, at its origin and expressed in the body, or None.
        wrench: External wrench on it, at its origin and expressed in the body, or None.
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
        positions: Its coordinates [rad or m], or None if unspecified.
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
        parent: Name of its parent frame or model, or None for the world.
        pose: The model's frame in its parent. None if unspecified: without a parent it is that of the model in the World;
            with one it coincides with the parent, which can be ``"world"`` if links are stated in the world.
        twist: Velocity of the model's frame relative to its parent, expressed in the parent, or None.
        links: The states of its bodies.
        joints: The states of its joints.
    """

    name: str
    parent: str | None = None
    pose: Pose | None = None
    twist: Twist | None = None
    links: NamedList[LinkState] = NO_ELEMENTS
    joints: NamedList[JointState] = NO_ELEMENTS
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
    """The data of a simulation besides the plain state that a bit-exact restart needs.

    Attributes:
        plain: Digest of the plain state that it belongs to; if that was edited, the checkpoint is ignored.
        settings: The engine and settings with which it was made.
        arrays: The numbers.
    """

    plain: str
    settings: tuple[tuple[str, str], ...]
    arrays: tuple[CheckpointArray, ...]
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveGrasp:
    """An active grasp with the relative pose of the grasped body.

    Attributes:
        grasp: The grasp.
        pose_link_body: The grasped body's frame in that of the gripper's link.
    """

    grasp: Grasp
    pose_link_body: Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a World at an instant.

    Attributes:
        name: Its name, which is the World's.
        time: The time [s], or None if unspecified.
        frames: Frames of reference, in any order.
        models: The states of models, in any order.
        fingerprint: The World that it belongs to, or None if unspecified.
        checkpoint: Data for a bit-exact restart, or None.
        grasps: Active grasps, or None if unspecified.
    """

    name: str = "world"
    time: float | None = None
    frames: NamedList[FrameState] = NO_ELEMENTS
    models: NamedList[ModelState] = NO_ELEMENTS
    fingerprint: Fingerprint | None = None
    checkpoint: Checkpoint | None = None
    grasps: tuple[ActiveGrasp, ...] | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"State({self._summary})"

    def _repr_html_(self) -> str:
        joints = [
            (f"{model.name}/{joint.name}", _numbers_text(joint.positions), _numbers_text(joint.velocities))
            for model in self.models
            for joint in model.joints
        ]
        links = [
            (f"{model.name}/{link.name}", _numbers_text(None if link.pose is None else link.pose.position))
            for model in self.models
            for link in model.links
        ]
        return (
            f"<p>{html.escape(self._summary)}</p>"
            + html_table(("joint", "positions [rad or m]", "velocities [rad/s or m/s]"), joints)
            + html_table(("link", "position in the frame of its model [m]"), links)
        )

    @property
    def _summary(self) -> str:
        time = "" if self.time is None else f" at {self.time:g} s"
        return f"{self.name}{time}: {', '.join(model.name for model in self.models) or 'no models'}"


def _numbers_text(numbers: tuple[float, ...] | None) -> str:
    return "" if numbers is None else ", ".join(f"{number:.6g}" for number in numbers)
