"""Manipulators with grippers, actuators, and grasps."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ossature.diagnostics import Location
from ossature.model.format_extension import Extension
from ossature.model.joint import Z_AXIS
from ossature.model.program_hints import OpenravePlugin
from ossature.model.validated_element import Element
from ossature.spatial import IDENTITY, Pose, Vector3


class IkType(StrEnum):
    """The type of target of an inverse kinematics solver."""

    TRANSFORM_6D = "Transform6D"
    """A pose."""
    ROTATION_3D = "Rotation3D"
    """An orientation, anywhere."""
    TRANSLATION_3D = "Translation3D"
    """A point, in any orientation."""
    DIRECTION_3D = "Direction3D"
    """Its direction parallel to a given one, at any position."""
    RAY_4D = "Ray4D"
    """Its ray onto a given ray."""
    LOOKAT_3D = "Lookat3D"
    """Its direction towards a point."""
    TRANSLATION_DIRECTION_5D = "TranslationDirection5D"
    """A point, with its direction along a given one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IkFreeJoint(Element):
    """A redundant joint whose values a solver samples.

    Attributes:
        joint: The joint's name.
        step: Distance between samples [rad or m], or None.
    """

    joint: str
    step: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IkSolver(Element):
    """Which inverse kinematics suits a manipulator.

    Attributes:
        type: The type of its target, or None if it is unknown, which is kept in ``extensions``.
        free_joints: Joints that it samples.
        interface: The plugin that the file names, or None.
        extensions: Content that only its own format can represent.
    """

    type: IkType | None
    free_joints: tuple[IkFreeJoint, ...] = ()
    interface: OpenravePlugin | None = None
    extensions: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GripperJoint(Element):
    """A joint of a gripper.

    Attributes:
        joint: The joint's name.
        closing_directions: For each of its coordinates the sign in which it closes: 1, -1, or 0 for neither.
    """

    joint: str
    closing_directions: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manipulator(Element):
    """An arm with a gripper: the chain of joints from one body to another.

    Attributes:
        name: Its name, unique among the model's manipulators.
        base: The base body of the chain.
        tip: The body with the gripper.
        chain_end: The last body of the chain, or None if that is the tip: joints between them are not moved.
        pose: The manipulator's frame in the frame of the tip body.
        direction: The direction in which it works, unit vector in the manipulator's frame.
        gripper: The joints of its gripper.
        solvers: Inverse kinematics that suits it.
        extensions: Content that only its own format can represent.
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
