"""What a sensor states that makes no sense: found by the checks, and in the way of simulating it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ossature.diagnostics import Location, suggestion
from ossature.model import Encoder, Imu, Model, Odometry, PinholeCamera, SensorDescription, StereoCamera
from ossature.model.sensor_fields import with_defaults
from ossature.sensor_models.scan_pattern import MOST_RAYS, ray_count

_MOST_COMPARED = 100  # names that a hint is chosen from
MOST_PIXELS = 2**23
"""Images of more pixels are not made; four times as many as a television has."""
_SMALLEST_INCREMENT, _LONGEST_TIME, _LARGEST_VARIANCE = 1e-12, 1e9, 1e100


class FaultKind(Enum):
    """What kind of thing makes no sense; each is a rule of the checks."""

    RANGE = "range"
    INCREMENT = "increment"
    INTRINSICS = "intrinsics"
    COUNT = "count"
    COVARIANCE = "covariance"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that makes no sense.

    Attributes:
        kind: Of what kind.
        message: What it is, in words.
        origin: Where the description stands that says it.
        hint: What would make sense.
    """

    kind: FaultKind
    message: str
    origin: Location | None
    hint: str | None = None


def faults(description: SensorDescription, model: Model) -> Iterator[Fault]:
    """Yield what makes no sense in a description, its defaults taken."""
    if isinstance(description, StereoCamera):
        for view in description.views or ():
            yield from faults(view.camera, model)
    complete: Any = with_defaults(description)[0]
    for kind, problems in _PROBLEMS.items():
        yield from (Fault(kind, message, description.origin) for message in problems(complete))
    yield from _references(complete, model)


def _ranges(sensor: Any) -> Iterator[str]:
    nearest, farthest = getattr(sensor, "min_distance", None), getattr(sensor, "max_distance", None)
    if nearest is not None and nearest < 0.0:
        yield f"its smallest distance is {nearest:g} m"
    if nearest is not None and farthest is not None and not nearest < farthest:
        yield f"its largest distance, {farthest:g} m, is not beyond its smallest, {nearest:g} m"
    for name in ("angle", "turn"):
        first, last = getattr(sensor, f"min_{name}", None), getattr(sensor, f"max_{name}", None)
        if first is not None and last is not None and last < first:
            yield f"its {name}s end at {math.degrees(last):g}°, before they begin at {math.degrees(first):g}°"
    for name in _FORCE_SETTINGS:
        values = getattr(sensor, name, None)
        if values is not None and min(values) < 0.0:
            yield f"its {name.replace('_', ' ')} is negative: {' '.join(f'{value:g}' for value in values)}"
    deviation = getattr(sensor, "distance_deviation", None)
    if deviation is not None and deviation < 0.0:
        yield f"the standard deviation of its distances is {deviation:g} m"


_FORCE_SETTINGS = (
    "force_range",
    "torque_range",
    "force_resolution",
    "torque_resolution",
    "force_capacity",
    "torque_capacity",
)


def _increments(sensor: Any) -> Iterator[str]:
    for name in ("measurement_time", "angle_increment", "turn_increment", "resolution", "counts"):
        value = getattr(sensor, name, None)
        if value is not None and not value > _SMALLEST_INCREMENT:
            yield f"its {name.replace('_', ' ')} is {value:g}"
        elif value is not None and name == "measurement_time" and value > _LONGEST_TIME:
            yield f"its measurement time is {value:g} s"
    if (getattr(sensor, "time_increment", None) or 0.0) < 0.0:
        yield f"its time increment is {sensor.time_increment:g} s"
    if getattr(sensor, "polarity", None) not in (None, 1, -1):
        yield f"its polarity is {sensor.polarity}, neither 1 nor -1"


def _intrinsics(sensor: Any) -> Iterator[str]:
    matrix = getattr(sensor, "intrinsic", None)
    if matrix is None:
        return
    (a, b, _), (c, d, _) = matrix
    largest = max(abs(a), abs(b), abs(c), abs(d), 1e-150)
    if not abs(a * d - b * c) > 1e-12 * (largest * largest):
        yield f"its intrinsic matrix is singular: {a:g} {b:g} over {c:g} {d:g}"


def _counts(sensor: Any) -> Iterator[str]:
    width, height = getattr(sensor, "width", 1), getattr(sensor, "height", 1)
    if width < 1 or height < 1:
        yield f"its image has {width} x {height} pixels"
    elif width * height > MOST_PIXELS:
        yield f"its image has {width} x {height} pixels, more than {MOST_PIXELS:,}"
    if isinstance(sensor, PinholeCamera) and sensor.channels not in (1, 3, 4):
        yield f"its image has {sensor.channels} channels, neither 1 nor 3 nor 4"
    if not any(_increments(sensor)) and ray_count(sensor) >= MOST_RAYS:
        yield f"it casts {ray_count(sensor):,} rays, a million or more"
    if isinstance(sensor, Encoder) and (sensor.coordinate or 0) < 0:
        yield f"it reads coordinate {sensor.coordinate}"


def _covariances(sensor: Any) -> Iterator[str]:
    if isinstance(sensor, Imu):
        named = {
            "rotation": sensor.rotation_covariance,
            "angular velocity": sensor.angular_velocity_covariance,
            "acceleration": sensor.linear_acceleration_covariance,
        }
    else:
        named = {"drift": getattr(sensor, "drift_covariance", None)}
    for name, matrix in named.items():
        size = 6 if name == "drift" else 3
        if matrix is not None and not is_covariance(matrix, size):
            yield f"the covariance of its {name} is none: not symmetric, with negative variances, or beyond measure"


def is_covariance(matrix: Any, size: int) -> bool:
    """Whether a matrix is symmetric and has no negative variance in any direction."""
    values = np.asarray(matrix, dtype=float)
    if values.size != size * size or not (np.abs(values) < _LARGEST_VARIANCE).all():
        return False
    square = values.reshape(size, size)
    largest = float(np.abs(square).max())
    if not np.allclose(square, square.T, rtol=0.0, atol=1e-9 * largest):
        return False
    return bool(np.linalg.eigvalsh(square).min() >= -1e-9 * largest)


def _references(sensor: Any, model: Model) -> Iterator[Fault]:
    if isinstance(sensor, Encoder):
        joint = model.joints.get(sensor.joint or "")
        if joint is None:
            message = f"it reads the joint '{sensor.joint}', which does not exist" if sensor.joint else "it names no joint"
            hint = suggestion(sensor.joint or "", model.joints.names()[:_MOST_COMPARED]) or None
            yield Fault(FaultKind.REFERENCE, message, sensor.origin, hint)
        elif (sensor.coordinate or 0) >= joint.degrees_of_freedom:
            message = f"it reads coordinate {sensor.coordinate} of '{joint.name}', which has {joint.degrees_of_freedom}"
            yield Fault(FaultKind.REFERENCE, message, sensor.origin)
    if isinstance(sensor, Odometry) and sensor.target is not None and sensor.target not in model.bodies:
        hint = suggestion(sensor.target, model.bodies.names()[:_MOST_COMPARED]) or None
        message = f"it measures the body '{sensor.target}', which does not exist"
        yield Fault(FaultKind.REFERENCE, message, sensor.origin, hint)


_PROBLEMS: dict[FaultKind, Callable[[Any], Iterator[str]]] = {
    FaultKind.RANGE: _ranges,
    FaultKind.INCREMENT: _increments,
    FaultKind.INTRINSICS: _intrinsics,
    FaultKind.COUNT: _counts,
    FaultKind.COVARIANCE: _covariances,
}
