"""The option ``--target`` of inverse kinematics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ossature.cli.console import fail
from ossature.diagnostics import suggestion

if TYPE_CHECKING:
    from ossature.kinematics import Target
    from ossature.spatial import Quaternion, Vector3


def parse_target(texts: Sequence[str]) -> Target | None:
    """Return the target of an option ``TYPE:NUMBERS``, or None if it is not given; end the command if it is invalid.

    Args:
        texts: The values of the option; more than one is an error.
    """
    if not texts:
        return None
    if len(texts) > 1:
        fail(f"--target can be given once, not {len(texts)} times")
    name, _, text = texts[0].partition(":")
    name = name.lower()
    if name not in _TARGETS:
        fail(f"--target: unknown type '{name}': {suggestion(name, _TARGETS) or ', '.join(_TARGETS)}")
    values = _numbers(name, text)
    try:
        return _TARGETS[name](name, values)
    except ValueError as error:
        fail(f"--target {name}: {error}")


_LARGEST = 1e100
"""Products of larger numbers overflow [m]."""


def _numbers(name: str, text: str) -> list[float]:
    try:
        values = [float(number) for number in text.replace(",", " ").split()]
    except ValueError:
        fail(f"--target {name} takes numbers, not '{text}'")
    if not all(map(math.isfinite, values)):
        fail(f"--target {name} takes finite numbers, not '{text}'")
    if max(map(abs, values), default=0.0) > _LARGEST:
        fail(f"--target {name} takes numbers up to {_LARGEST:g}, not {max(values, key=abs):g}")
    return values


def _counted(name: str, values: list[float], *counts: int) -> list[float]:
    if len(values) not in counts:
        fail(f"--target {name} takes {' or '.join(map(str, counts))} numbers, not {len(values)}")
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
    "transform6d": _transform,
    "rotation3d": _turn,
    "translation3d": _point,
    "direction3d": _direction,
    "ray4d": _ray,
    "lookat3d": _look,
    "translation-direction5d": _point_and_direction,
}
