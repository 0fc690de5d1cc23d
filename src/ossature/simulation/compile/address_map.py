"""Addresses of the model's joints and bodies in the engine's vectors (MuJoCo: ``jnt_qposadr``, ``jnt_dofadr``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from ossature.diagnostics import suggestion
from ossature.kinematics import swaps_axes
from ossature.model import Body, Joint, Model, UnknownNameError
from ossature.spatial import Pose

T = TypeVar("T")


class JointLayout(Enum):
    """Which engine joints represent a joint."""

    NONE = "none"
    """No engine joint: the joint is fixed or locked."""
    SCALARS = "scalars"
    """One hinge or slide for each coordinate."""
    SCREW = "screw"
    """A slide coupled to a hinge."""
    BALL = "ball"
    """One ball."""
    STACK = "slides and ball"
    """Three slides and a ball: a free joint that is driven or resisted, or whose parent is not the world."""
    FREE = "free"
    """The engine's free joint."""
    POINT = "slides, then ball"
    """Slides and a ball, its coordinates in that order: a point on a line or plane."""
    COMPOUND = "scalars and balls"
    """A hinge, slide or ball for each motion of a compound joint that has a spherical one."""
    DERIVED = "derived"
    """No engine joint: a constraint closes a loop, and the coordinates are computed from the poses of the bodies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointAddress:
    """Addresses of one joint in the engine.

    Attributes:
        built: The joint as compiled: with parent and child exchanged if the spanning tree passes it from child to parent.
        layout: Which engine joints represent it.
        body: Engine id of its child body as compiled; of a loop joint it may be a clone.
        parent: Engine id of its parent body as compiled.
        qpos: First index of its positions in ``qpos``.
        dof: First index of its velocities in ``qvel``.
        pose_parent_joint: The joint frame in the parent body's frame, or in the world if there is no parent.
    """

    model: str
    joint: Joint
    built: Joint
    layout: JointLayout
    body: int
    parent: int
    qpos: int
    dof: int
    pose_parent_joint: Pose

    @property
    def is_reversed(self) -> bool:
        """Whether it is compiled with parent and child exchanged."""
        return self.built.child != self.joint.child

    @property
    def coordinate_dofs(self) -> slice:
        """The indices of its velocities in ``qvel``, in the order of its coordinates.

        For balls and free joints only the number of indices corresponds to the joint's coordinates.
        """
        first = self.dof + 1 if self.layout is JointLayout.SCREW else self.dof
        stop = first + self.joint.degrees_of_freedom
        if not (self.is_reversed and swaps_axes(self.joint.type)):
            return slice(first, stop)
        return slice(stop - 1, first - 1 if first else None, -1)

    @property
    def dof_count(self) -> int:
        """The number of its degrees of freedom in the engine."""
        if self.layout in (JointLayout.NONE, JointLayout.DERIVED):
            return 0
        return 2 if self.layout is JointLayout.SCREW else self.joint.degrees_of_freedom


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyAddress:
    """Addresses of one body in the engine.

    Attributes:
        geoms: Engine ids of its collision shapes; None for a shape that is not simulated.
        inner_geoms: Engine ids of its self-collision shapes, which collide with its own model only.
        skin: Engine id of the undeformed shape of its soft skin, or None.
        points: Engine ids of the shapes of the points of its soft skin if that deforms.
    """

    model: Model
    body: Body
    number: int
    geoms: tuple[int | None, ...]
    inner_geoms: tuple[int | None, ...]
    skin: int | None
    points: tuple[int, ...] = ()

    @property
    def rigid_geoms(self) -> tuple[int | None, ...]:
        """Engine ids of the shapes that collide with other models as rigid ones."""
        return self.geoms if self.points else (*self.geoms, self.skin)

    @property
    def touching(self) -> tuple[int, ...]:
        """Engine ids of the shapes that collide with other models: without the self-collision shapes."""
        return tuple([geom for geom in (*self.geoms, self.skin, *self.points) if geom is not None])


@dataclass(frozen=True, slots=True, kw_only=True)
class ActuatorAddress:
    """Addresses of one actuator in the engine.

    Attributes:
        control: First index of its controls in ``ctrl``.
        control_count: The number of its controls.
    """

    number: int
    control: int
    control_count: int

    @property
    def controls(self) -> slice:
        """The indices of its controls in ``ctrl``."""
        return slice(self.control, self.control + self.control_count)


@dataclass(frozen=True, slots=True)
class AddressMap:
    """Addresses of all joints and bodies of a compiled World by model and name.

    Of a World that MuJoCo compiles, also those of actuators, sensors and tendons.
    """

    joints: dict[str, dict[str, JointAddress]]
    bodies: dict[str, dict[str, BodyAddress]]
    actuators: dict[str, dict[str, ActuatorAddress]] = field(default_factory=dict)
    sensors: dict[str, dict[str, slice]] = field(default_factory=dict)
    tendons: dict[str, dict[str, int]] = field(default_factory=dict)

    def all_joints(self) -> Iterator[JointAddress]:
        """Yield the address of every joint."""
        for joints in self.joints.values():
            yield from joints.values()

    def joint(self, model: str, name: str) -> JointAddress:
        """Return the address of a joint.

        Raises:
            KeyError: There is no such model or joint; the message suggests a similar name.
            TypeError: A name is no text.
        """
        return _look_up(_look_up(self.joints, model, "there is no model"), name, f"model '{model}' has no joint")

    def body(self, model: str, name: str) -> BodyAddress:
        """Return the address of a body.

        Raises:
            KeyError: There is no such model or body; the message suggests a similar name.
            TypeError: A name is no text.
        """
        return _look_up(_look_up(self.bodies, model, "there is no model"), name, f"model '{model}' has no body")


def _look_up(entries: Mapping[str, T], name: str, message: str) -> T:
    if not isinstance(name, str):
        raise TypeError(f"a name is a text, not {name!r:.80}")
    if name not in entries:
        raise UnknownNameError(f"{message} '{name}': {suggestion(name, entries) or 'there are none'}")
    return entries[name]
