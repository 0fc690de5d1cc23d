"""The options that say where a manipulator's frame is to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ossature.cli.common import fail

if TYPE_CHECKING:
    from ossature.kinematics import Target
    from ossature.spatial import Quaternion, Vector3


def target_of(stated: Mapping[str, str | None]) -> Target | None:
    """Return the target that the options state, or None where they state none.

    Args:
        stated: Texts of the options by their names.
    """
    given = [(name, text) for name, text in stated.items() if text is not None]
    if len(given) > 1:
        fail(f"one target at a time, not {' and '.join(name for name, _ in given)}")
    if not given:
        return None
    name, text = given[0]
    values = _numbers(name, text)
    try:
        return _TARGETS[name](name, values)
    except ValueError as error:
        fail(f"{name}: {error}")


def _numbers(name: str, text: str) -> list[float]:
    try:
        values = [float(number) for number in text.replace(",", " ").split()]
    except ValueError:
        fail(f"{name} takes numbers, not '{text}'")
    if not all(map(math.isfinite, values)):
        fail(f"{name} takes finite numbers, not '{text}'")
    return values


def _counted(name: str, values: list[float], *counts: int) -> list[float]:
    if len(values) not in counts:
        fail(f"{name} takes {' or '.join(map(str, counts))} numbers, not {len(values)}")
    return values


def _vector(values: list[float]) -> Vector3:
    return (values[0], values[1], values[2])


def _rotation(values: list[float]) -> Quaternion:
    """Return a rotation from a quaternion (w x y z), or from roll, pitch and yaw about the fixed axes x, y and z."""
    from ossature.spatial import normalized, quaternion_from_euler

    if len(values) == 4:
        return normalized((values[0], values[1], values[2], values[3]))
    return quaternion_from_euler((values[2], values[1], values[0]), "zyx")


def _transform(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Transform6D
    from ossature.spatial import Pose

    _counted(name, values, 6, 7)
    return Transform6D(pose=Pose(_vector(values), _rotation(values[3:])))


def _turn(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Rotation3D

    return Rotation3D(wxyz=_rotation(_counted(name, values, 3, 4)))


def _point(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Translation3D

    return Translation3D(position=_vector(_counted(name, values, 3)))


def _direction(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Direction3D
    from ossature.spatial import unit

    return Direction3D(direction=unit(_vector(_counted(name, values, 3))))


def _ray(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Ray4D
    from ossature.spatial import unit

    _counted(name, values, 6)
    return Ray4D(position=_vector(values), direction=unit(_vector(values[3:])))


def _look(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Lookat3D

    return Lookat3D(position=_vector(_counted(name, values, 3)))


def _point_and_direction(name: str, values: list[float]) -> Target:
    from ossature.kinematics import TranslationDirection5D
    from ossature.spatial import unit

    _counted(name, values, 6)
    return TranslationDirection5D(position=_vector(values), direction=unit(_vector(values[3:])))


_TARGETS: Mapping[str, Callable[[str, list[float]], Target]] = {
    "--transform6d": _transform,
    "--rotation3d": _turn,
    "--translation3d": _point,
    "--direction3d": _direction,
    "--ray4d": _ray,
    "--lookat3d": _look,
    "--translation-direction5d": _point_and_direction,
}
