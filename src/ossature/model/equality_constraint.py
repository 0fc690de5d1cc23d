"""Equality constraints between bodies, joints and tendons that a solver enforces softly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ossature.diagnostics import Location
from ossature.model.frame_and_shape_references import FrameReference
from ossature.model.mujoco_hints import MujocoConstraint
from ossature.model.program_hints import HintedElement
from ossature.model.validated_element import Element
from ossature.spatial import IDENTITY, ZERO3, Pose, Vector3

Polynomial: TypeAlias = tuple[float, float, float, float, float]
"""Coefficients of the powers 0 to 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection(Element):
    """Two points of two bodies coincide: a ball joint outside the tree.

    Attributes:
        body1: The first body, or None for the world.
        body2: The second body, or None for the world.
        point1: The point in the frame of the first body [m].
        point2: The point in the frame of the second body [m].
        frame1: The frame at the first point, or None if it has none.
        frame2: The frame at the second point, or None if it has none.
    """

    body1: str | None
    body2: str | None
    point1: Vector3 = ZERO3
    point2: Vector3 = ZERO3
    frame1: FrameReference | None = None
    frame2: FrameReference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weld(Element):
    """Two bodies do not move relative to each other.

    Attributes:
        body1: The first body, or None for the world.
        body2: The second body, or None for the world.
        pose: The frame of the second body in that of the first one; if frames are stated, of these.
        anchor: The point at which the position error is measured, in the frame of the second body [m].
        torque_scale: Weight of rotation errors relative to position errors [m].
        frame1: The welded frame of the first body, or None.
        frame2: The welded frame of the second body, or None.
    """

    body1: str | None
    body2: str | None
    pose: Pose = IDENTITY
    anchor: Vector3 = ZERO3
    torque_scale: float = 1.0
    frame1: FrameReference | None = None
    frame2: FrameReference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JointEquality(Element):
    """A coordinate is a polynomial of another one, or constant; both are relative to their reference positions.

    The reference position is that of :class:`MujocoJoint`, or zero.

    Attributes:
        joint1: The joint whose coordinate is constrained.
        joint2: The other joint, or None for a constant.
        coordinate1: Index of the constrained coordinate.
        coordinate2: Index of the coordinate of the other joint.
        polynomial: The polynomial.
    """

    joint1: str
    joint2: str | None = None
    coordinate1: int = 0
    coordinate2: int = 0
    polynomial: Polynomial = (0.0, 1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TendonEquality(Element):
    """The length of a tendon is a polynomial of that of another one, or constant; both are relative to their initial lengths.

    Attributes:
        tendon1: The constrained tendon.
        tendon2: The other tendon, or None for a constant.
        polynomial: The polynomial.
    """

    tendon1: str
    tendon2: str | None = None
    polynomial: Polynomial = (0.0, 1.0, 0.0, 0.0, 0.0)


EqualityType: TypeAlias = Connection | Weld | JointEquality | TendonEquality
"""What an equality constrains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Equality(HintedElement):
    """An equality constraint.

    Attributes:
        name: Its name, unique among the model's equalities.
        type: What it constrains.
        active: Whether it is enforced at the start; a simulation can change that.
        hints: What its file states for MuJoCo.
    """

    name: str
    type: EqualityType
    active: bool = True
    hints: tuple[MujocoConstraint, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
