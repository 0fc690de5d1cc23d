"""The seven types of targets for a manipulator's frame, all expressed in the world."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, TypeAlias

import numpy as np

from ossature.model import IkType
from ossature.model.joint import Z_AXIS
from ossature.spatial import IDENTITY, IDENTITY_WXYZ, ZERO3, Pose, Quaternion, Vector3


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform6D:
    """The frame has a pose.

    Attributes:
        pose: The pose in the world.
    """

    pose: Pose = IDENTITY
    type: ClassVar[IkType] = IkType.TRANSFORM_6D


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotation3D:
    """The frame has an orientation; its position is free.

    Attributes:
        wxyz: The orientation in the world, a unit quaternion.
    """

    wxyz: Quaternion = IDENTITY_WXYZ
    type: ClassVar[IkType] = IkType.ROTATION_3D


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation3D:
    """The frame's origin is at a point; its orientation is free.

    Attributes:
        position: The point in the world [m].
    """

    position: Vector3 = ZERO3
    type: ClassVar[IkType] = IkType.TRANSLATION_3D


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction3D:
    """The manipulator's direction has a direction in the world; the frame's position is free.

    Attributes:
        direction: Unit vector in the world.
    """

    direction: Vector3 = Z_AXIS
    type: ClassVar[IkType] = IkType.DIRECTION_3D


@dataclass(frozen=True, slots=True, kw_only=True)
class Ray4D:
    """The line through the frame's origin along the manipulator's direction coincides with a line in the world.

    The directions are equal; the origin is anywhere on the line, in front of the given point or behind it.

    Attributes:
        position: A point of the line in the world [m].
        direction: Unit vector along it.
    """

    position: Vector3 = ZERO3
    direction: Vector3 = Z_AXIS
    type: ClassVar[IkType] = IkType.RAY_4D


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookat3D:
    """The manipulator's direction points from the frame's origin towards a point.

    Attributes:
        position: The point in the world [m].
    """

    position: Vector3 = ZERO3
    type: ClassVar[IkType] = IkType.LOOKAT_3D


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationDirection5D:
    """The frame's origin is at a point, and the manipulator's direction has a direction in the world.

    Attributes:
        position: The point in the world [m].
        direction: Unit vector in the world.
    """

    position: Vector3 = ZERO3
    direction: Vector3 = Z_AXIS
    type: ClassVar[IkType] = IkType.TRANSLATION_DIRECTION_5D


Target: TypeAlias = Transform6D | Rotation3D | Translation3D | Direction3D | Ray4D | Lookat3D | TranslationDirection5D
"""A target for a manipulator's frame."""

TARGETS: dict[IkType, type[Target]] = {
    IkType.TRANSFORM_6D: Transform6D,
    IkType.ROTATION_3D: Rotation3D,
    IkType.TRANSLATION_3D: Translation3D,
    IkType.DIRECTION_3D: Direction3D,
    IkType.RAY_4D: Ray4D,
    IkType.LOOKAT_3D: Lookat3D,
    IkType.TRANSLATION_DIRECTION_5D: TranslationDirection5D,
}
"""The class of each type of target."""


def require_target(target: object) -> None:
    """Require that a target has one of the seven types, and finite numbers.

    Raises:
        TypeError: It is of another type.
        ValueError: One of its fields has another count of numbers, or one that is not finite.
    """
    if not isinstance(target, Target):
        names = ", ".join(each.__name__ for each in TARGETS.values())
        raise TypeError(f"a target is one of {names}, such as Translation3D(position=(x, y, z)), not {type(target).__name__}")
    for entry in fields(target):
        value = getattr(target, entry.name)
        parts = {"pose.position": value.position, "pose.wxyz": value.wxyz} if isinstance(value, Pose) else {entry.name: value}
        for name, numbers in parts.items():
            count = 4 if name.endswith("wxyz") else 3
            if np.shape(numbers) != (count,) or not np.isfinite(numbers).all():
                raise ValueError(f"{type(target).__name__}.{name} has {count} finite numbers, not {numbers!r}")


def target_at(type_: IkType, pose: Pose, direction: Vector3) -> Target:
    """Return a target that a manipulator reaches if its frame has a given pose.

    Args:
        type_: The type of the target.
        pose: The frame in the world.
        direction: The manipulator's direction in its frame.
    """
    along = Pose(wxyz=pose.wxyz).transform(direction)
    if type_ is IkType.TRANSFORM_6D:
        return Transform6D(pose=pose)
    if type_ is IkType.ROTATION_3D:
        return Rotation3D(wxyz=pose.wxyz)
    if type_ is IkType.TRANSLATION_3D:
        return Translation3D(position=pose.position)
    if type_ is IkType.DIRECTION_3D:
        return Direction3D(direction=along)
    if type_ is IkType.RAY_4D:
        return Ray4D(position=pose.position, direction=along)
    if type_ is IkType.LOOKAT_3D:
        return Lookat3D(position=pose.transform(direction))
    return TranslationDirection5D(position=pose.position, direction=along)
