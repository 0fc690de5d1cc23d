"""The option ``--target`` of inverse kinematics."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ossature.cli.console import fail
from ossature.cli.suspicious_values import note_angles
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
    values = _parse_numbers(name, text)
    try:
        return _TARGETS[name](name, values)
    except ValueError as error:
        fail(f"--target {name}: {error}")


_LARGEST = 1e100
"""Products of larger numbers overflow [m]."""


def _parse_numbers(name: str, text: str) -> list[float]:
    try:
        values = [float(number) for number in text.replace(",", " ").split()]
    except ValueError:
        fail(f"--target {name} takes numbers, not '{text}'")
    if not all(map(math.isfinite, values)):
        fail(f"--target {name} takes finite numbers, not '{text}'")
    if max(map(abs, values), default=0.0) > _LARGEST:
        fail(f"--target {name} takes numbers up to {_LARGEST:g}, not {max(values, key=abs):g}")
    return values


def _require_count(name: str, values: list[float], *counts: int) -> list[float]:
    if len(values) not in counts:
        fail(f"--target {name} takes {' or '.join(map(str, counts))} numbers, not {len(values)}")
    return values


def _to_vector(values: list[float]) -> Vector3:
    return (values[0], values[1], values[2])


def _to_quaternion(values: list[float]) -> Quaternion:
    """Return a rotation from a quaternion (w x y z), or from roll, pitch and yaw about the fixed axes x, y and z."""
    from ossature.spatial import normalized, quaternion_from_euler

    if len(values) == 4:
        return normalized((values[0], values[1], values[2], values[3]))
    return quaternion_from_euler((values[2], values[1], values[0]), "zyx")


def _note_degrees(name: str, rotation: list[float]) -> None:
    if len(rotation) == 3:
        note_angles(f"--target {name}", rotation)


def _make_transform_target(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Transform6D
    from ossature.spatial import Pose

    _require_count(name, values, 6, 7)
    _note_degrees(name, values[3:])
    return Transform6D(pose=Pose(_to_vector(values), _to_quaternion(values[3:])))


def _make_rotation_target(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Rotation3D

    _note_degrees(name, _require_count(name, values, 3, 4))
    return Rotation3D(wxyz=_to_quaternion(values))


def _make_point_target(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Translation3D

    return Translation3D(position=_to_vector(_require_count(name, values, 3)))


def _make_direction_target(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Direction3D
    from ossature.spatial import unit

    return Direction3D(direction=unit(_to_vector(_require_count(name, values, 3))))


def _make_ray_target(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Ray4D
    from ossature.spatial import unit

    _require_count(name, values, 6)
    return Ray4D(position=_to_vector(values), direction=unit(_to_vector(values[3:])))


def _make_look_at_target(name: str, values: list[float]) -> Target:
    from ossature.kinematics import Lookat3D

    return Lookat3D(position=_to_vector(_require_count(name, values, 3)))


def _make_point_and_direction_target(name: str, values: list[float]) -> Target:
    from ossature.kinematics import TranslationDirection5D
    from ossature.spatial import unit

    _require_count(name, values, 6)
    return TranslationDirection5D(position=_to_vector(values), direction=unit(_to_vector(values[3:])))


_TARGETS: Mapping[str, Callable[[str, list[float]], Target]] = {
    "transform6d": _make_transform_target,
    "rotation3d": _make_rotation_target,
    "translation3d": _make_point_target,
    "direction3d": _make_direction_target,
    "ray4d": _make_ray_target,
    "lookat3d": _make_look_at_target,
    "translation-direction5d": _make_point_and_direction_target,
}
