"""Validation of sensor descriptions, for the checks and before a simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from ossature.diagnostics import Location, suggestion
from ossature.diagnostics.counted_nouns import counted
from ossature.model import Encoder, Imu, Model, Odometry, PinholeCamera, SensorDescription, StereoCamera
from ossature.model.sensor_fields import with_defaults
from ossature.sensor_models.scan_pattern import RAY_LIMIT, ray_count

_MAX_SUGGESTIONS = 100  # names that a suggestion is chosen from
MAX_PIXELS = 2**23
"""Largest number of pixels of an image, about that of a 4K screen."""
_MIN_INCREMENT, _MAX_TIME, _MAX_VARIANCE = 1e-12, 1e9, 1e100


class FaultKind(Enum):
    """Types of invalid parameters; each has a rule of the checks."""

    RANGE = "range"
    INCREMENT = "increment"
    INTRINSICS = "intrinsics"
    COUNT = "count"
    COVARIANCE = "covariance"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Fault:
    """An invalid parameter of a sensor.

    Attributes:
        origin: The location of the sensor description.
    """

    kind: FaultKind
    message: str
    origin: Location | None
    hint: str | None = None


def find_faults(description: SensorDescription, model: Model) -> Iterator[Fault]:
    """Yield the invalid parameters of a description with its defaults filled in."""
    if isinstance(description, StereoCamera):
        for view in description.views or ():
            yield from find_faults(view.camera, model)
    complete: Any = with_defaults(description)[0]
    for kind, check in _CHECKS.items():
        yield from (Fault(kind, message, description.origin) for message in check(complete))
    yield from _check_references(complete, model)


def _check_ranges(sensor: Any) -> Iterator[str]:
    nearest, farthest = getattr(sensor, "min_distance", None), getattr(sensor, "max_distance", None)
    if nearest is not None and nearest < 0.0:
        yield f"its smallest distance is negative: {nearest:g} m"
    if nearest is not None and farthest is not None and not nearest < farthest:
        yield f"its largest distance, {farthest:g} m, is not larger than its smallest, {nearest:g} m"
    for name in ("angle", "turn"):
        first, last = getattr(sensor, f"min_{name}", None), getattr(sensor, f"max_{name}", None)
        if first is not None and last is not None and last < first:
            yield f"its last {name}, {math.degrees(last):g}°, is smaller than its first, {math.degrees(first):g}°"
    for name in _FORCE_SETTINGS:
        values = getattr(sensor, name, None)
        if values is not None and min(values) < 0.0:
            yield f"its {name.replace('_', ' ')} is negative: {' '.join(f'{value:g}' for value in values)}"
    deviation = getattr(sensor, "distance_deviation", None)
    if deviation is not None and deviation < 0.0:
        yield f"the standard deviation of its distances is negative: {deviation:g} m"


_FORCE_SETTINGS = (
    "force_range",
    "torque_range",
    "force_resolution",
    "torque_resolution",
    "force_capacity",
    "torque_capacity",
)


def _check_increments(sensor: Any) -> Iterator[str]:
    for name in ("measurement_time", "angle_increment", "turn_increment", "resolution", "counts"):
        value = getattr(sensor, name, None)
        if value is not None and not value > _MIN_INCREMENT:
            yield f"its {name.replace('_', ' ')} is not positive: {value:g}"
        elif value is not None and name == "measurement_time" and value > _MAX_TIME:
            yield f"its measurement time is too long: {value:g} s"
    if (getattr(sensor, "time_increment", None) or 0.0) < 0.0:
        yield f"its time increment is negative: {sensor.time_increment:g} s"
    if getattr(sensor, "polarity", None) not in (None, 1, -1):
        yield f"its polarity is {sensor.polarity}; 1 or -1 is needed"


def _check_intrinsics(sensor: Any) -> Iterator[str]:
    matrix = getattr(sensor, "intrinsic", None)
    if matrix is None:
        return
    (a, b, _), (c, d, _) = matrix
    largest = max(abs(a), abs(b), abs(c), abs(d), 1e-150)
    if not abs(a * d - b * c) > 1e-12 * (largest * largest):
        yield f"its intrinsic matrix is singular: {a:g} {b:g} over {c:g} {d:g}"


def _check_counts(sensor: Any) -> Iterator[str]:
    width, height = getattr(sensor, "width", 1), getattr(sensor, "height", 1)
    if width < 1 or height < 1:
        yield f"its image has {width} x {height} pixels"
    elif width * height > MAX_PIXELS:
        yield f"its image has {width} x {height} pixels, more than {MAX_PIXELS:,}"
    if isinstance(sensor, PinholeCamera) and sensor.channels not in (1, 3, 4):
        yield f"its image has {sensor.channels} channels; 1, 3 or 4 are supported"
    if not any(_check_increments(sensor)) and ray_count(sensor) >= RAY_LIMIT:
        yield f"it has {ray_count(sensor):,} rays, a million or more"
    if isinstance(sensor, Encoder) and (sensor.coordinate or 0) < 0:
        yield f"its coordinate index is negative: {sensor.coordinate}"


def _check_covariances(sensor: Any) -> Iterator[str]:
    if isinstance(sensor, Imu):
        covariances = {
            "rotation": sensor.rotation_covariance,
            "angular velocity": sensor.angular_velocity_covariance,
            "acceleration": sensor.linear_acceleration_covariance,
        }
    else:
        covariances = {"drift": getattr(sensor, "drift_covariance", None)}
    for name, matrix in covariances.items():
        size = 6 if name == "drift" else 3
        if matrix is not None and not is_covariance(matrix, size):
            yield f"the covariance of its {name} is not symmetric, not positive semi-definite, or too large"


def is_covariance(matrix: Any, size: int) -> bool:
    """Whether a matrix is symmetric and positive semi-definite, within rounding, and not too large."""
    values = np.asarray(matrix, dtype=float)
    if values.size != size * size or not (np.abs(values) < _MAX_VARIANCE).all():
        return False
    square = values.reshape(size, size)
    largest = float(np.abs(square).max())
    if not np.allclose(square, square.T, rtol=0.0, atol=1e-9 * largest):
        return False
    return bool(np.linalg.eigvalsh(square).min() >= -1e-9 * largest)


def _check_references(sensor: Any, model: Model) -> Iterator[Fault]:
    if isinstance(sensor, Encoder):
        joint = model.joints.get(sensor.joint or "")
        if joint is None:
            message = f"its joint '{sensor.joint}' does not exist" if sensor.joint else "it has no joint"
            hint = suggestion(sensor.joint or "", model.joints.names()[:_MAX_SUGGESTIONS]) or None
            yield Fault(FaultKind.REFERENCE, message, sensor.origin, hint)
        elif (sensor.coordinate or 0) >= joint.degrees_of_freedom:
            count = counted(joint.degrees_of_freedom, "coordinate")
            message = f"its joint '{joint.name}' has {count}, and no coordinate {sensor.coordinate}"
            yield Fault(FaultKind.REFERENCE, message, sensor.origin)
    if isinstance(sensor, Odometry) and sensor.target is not None and sensor.target not in model.bodies:
        hint = suggestion(sensor.target, model.bodies.names()[:_MAX_SUGGESTIONS]) or None
        message = f"its target body '{sensor.target}' does not exist"
        yield Fault(FaultKind.REFERENCE, message, sensor.origin, hint)


_CHECKS: dict[FaultKind, Callable[[Any], Iterator[str]]] = {
    FaultKind.RANGE: _check_ranges,
    FaultKind.INCREMENT: _check_increments,
    FaultKind.INTRINSICS: _check_intrinsics,
    FaultKind.COUNT: _check_counts,
    FaultKind.COVARIANCE: _check_covariances,
}
