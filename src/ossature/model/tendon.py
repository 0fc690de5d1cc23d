"""Tendons: lengths that depend on several joints, along a path through space or as a sum of joint positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from ossature.diagnostics import Location
from ossature.model.body import Rgba
from ossature.model.frame_and_shape_references import FrameReference, ShapeReference
from ossature.model.joint import UNBOUNDED, Range
from ossature.model.mujoco_hints import MujocoTendon
from ossature.model.program_hints import HintedElement
from ossature.model.validated_element import Element


@dataclass(frozen=True, slots=True, kw_only=True)
class ViaPoint(Element):
    """The tendon passes through the origin of a frame."""

    frame: FrameReference


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapping(Element):
    """The tendon wraps around a sphere or cylinder.

    Attributes:
        shape: The sphere or cylinder.
        side: A frame on the side of the shape on which the tendon passes, or inside it, or None for the shorter side.
    """

    shape: ShapeReference
    side: FrameReference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulley(Element):
    """The next branch of the tendon begins; its length is divided by a number.

    Attributes:
        divisor: The number.
    """

    divisor: float = 1.0


PathElement: TypeAlias = ViaPoint | Wrapping | Pulley


@dataclass(frozen=True, slots=True, kw_only=True)
class SpatialPath(Element):
    """The shortest path through points and around shapes; its length is that of the tendon [m]."""

    elements: tuple[PathElement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTerm(Element):
    """A coordinate of a joint, multiplied by a number.

    Attributes:
        joint: The joint.
        coordinate: Index of its coordinate.
        coefficient: The number.
    """

    joint: str
    coordinate: int = 0
    coefficient: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JointSum(Element):
    """A linear combination of joint coordinates; it is the length of the tendon."""

    terms: tuple[JointTerm, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tendon(HintedElement):
    """A tendon.

    Attributes:
        name: Its name, unique among the model's tendons.
        path: What its length is.
        length_limits: Limits of its length [m].
        effort_limits: Limits of the force of its actuators [N].
        rest_length: Interval of lengths in which its spring is without force [m], or None for the initial length.
        stiffness: Stiffness of its spring [N/m].
        damping: Damping [N·s/m].
        friction: Dry friction [N].
        armature: Inertia of its length [kg].
        width: Width with which it is drawn [m], or None.
        color: Its colour, or None.
        appearance: The name of its appearance, or None.
        hints: What its file states for MuJoCo.
    """

    name: str
    path: SpatialPath | JointSum
    length_limits: Range = UNBOUNDED
    effort_limits: Range = UNBOUNDED
    rest_length: Range | None = None
    stiffness: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    width: float | None = None
    color: Rgba | None = None
    appearance: str | None = None
    hints: tuple[MujocoTendon, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
