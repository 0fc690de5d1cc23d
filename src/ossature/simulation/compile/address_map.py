"""Where the model's joints and bodies are in the engine's vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from ossature.diagnostics import suggestion
from ossature.kinematics import swaps_axes
from ossature.model import Body, Joint, Model
from ossature.spatial import Pose

T = TypeVar("T")


class JointLayout(Enum):
    """How a joint is built of the engine's joints."""

    NONE = "none"
    """Nothing: it cannot move, or is locked."""
    SCALARS = "scalars"
    """One hinge or slide for each coordinate."""
    SCREW = "screw"
    """A slide coupled to a hinge."""
    BALL = "ball"
    """One ball."""
    STACK = "slides and ball"
    """Three slides and a ball: a free joint that is driven, resisted, or does not hang on the world."""
    FREE = "free"
    """The engine's free joint."""
    POINT = "slides, then ball"
    """Slides and a ball, its coordinates in that order: a point on a line or plane."""
    DERIVED = "derived"
    """Nothing: a constraint closes a loop there, and its coordinates follow from the places of its bodies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointAddress:
    """One joint in the engine.

    Attributes:
        model: Name of its model.
        joint: The joint.
        built: The joint as the engine has it: with parent and child exchanged where the tree runs the other way.
        layout: How it is built.
        body: The engine's number of its child body, as built; of a loop joint perhaps of a clone.
        parent: The engine's number of its parent body, as built.
        qpos: Where its part of the engine's positions begins.
        dof: Where its part of the engine's velocities begins.
        pose_parent_joint: The joint frame in the parent body's frame, or in the world where there is no parent.
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
        """Whether the engine has it with parent and child exchanged."""
        return self.built.child != self.joint.child

    @property
    def coordinate_dofs(self) -> slice:
        """Those of the engine's velocities that are its own, in the order of its coordinates.

        Of balls and free joints only their number is the joint's own.
        """
        first = self.dof + 1 if self.layout is JointLayout.SCREW else self.dof
        past = first + self.joint.degrees_of_freedom
        if not (self.is_reversed and swaps_axes(self.joint.type)):
            return slice(first, past)
        return slice(past - 1, first - 1 if first else None, -1)

    @property
    def dof_count(self) -> int:
        """How many of the engine's degrees of freedom it has."""
        if self.layout in (JointLayout.NONE, JointLayout.DERIVED):
            return 0
        return 2 if self.layout is JointLayout.SCREW else self.joint.degrees_of_freedom


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyAddress:
    """One body in the engine.

    Attributes:
        model: Its model.
        body: The body.
        number: The engine's number of it.
        geoms: The engine's numbers of its collision shapes, with None for one that could not be built.
        inner_geoms: The same of its shapes that touch its own model alone.
        skin: The engine's number of the rigid shape that stands for its soft skin, or None without one.
    """

    model: Model
    body: Body
    number: int
    geoms: tuple[int | None, ...]
    inner_geoms: tuple[int | None, ...]
    skin: int | None

    @property
    def touching(self) -> tuple[int, ...]:
        """The engine's numbers of the shapes that can touch, those for its own model alone left out."""
        return tuple([geom for geom in (*self.geoms, self.skin) if geom is not None])


@dataclass(frozen=True, slots=True)
class AddressMap:
    """All joints and bodies of a compiled World, by model and name."""

    joints: dict[str, dict[str, JointAddress]]
    bodies: dict[str, dict[str, BodyAddress]]

    def all_joints(self) -> Iterator[JointAddress]:
        """Yield every joint."""
        for joints in self.joints.values():
            yield from joints.values()

    def joint(self, model: str, name: str) -> JointAddress:
        """Return a joint by name.

        Raises:
            KeyError: There is no such model or joint; the message proposes others.
        """
        return _named(_named(self.joints, model, "there is no model"), name, f"model '{model}' has no joint")

    def body(self, model: str, name: str) -> BodyAddress:
        """Return a body by name.

        Raises:
            KeyError: There is no such model or body; the message proposes others.
        """
        return _named(_named(self.bodies, model, "there is no model"), name, f"model '{model}' has no body")


def _named(known: Mapping[str, T], name: str, complaint: str) -> T:
    if name not in known:
        raise KeyError(f"{complaint} '{name}': {suggestion(name, known)}")
    return known[name]
