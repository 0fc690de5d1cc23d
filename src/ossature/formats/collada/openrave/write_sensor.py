"""Writes sensor descriptions as library elements, in the spelling of the documentation and, if it differs, of OpenRAVE."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ossature.diagnostics import Report
from ossature.formats.collada.openrave.read_sensor_descriptions import SensorUnits
from ossature.formats.collada.openrave.schema_sensors import (
    PROGRAM_TYPES,
    CameraElements,
    DistortionModelElement,
    EncoderElements,
    FlashLaserElements,
    Force6DElements,
    ImuElements,
    Laser2DElements,
    Laser3DElements,
    OdometryElements,
    SensorElements,
)
from ossature.model import (
    Encoder,
    FlashLaser,
    Force6D,
    Imu,
    Laser2D,
    Laser3D,
    Odometry,
    PinholeCamera,
    SensorDescription,
    StereoCamera,
)
from ossature.syntax.schema import replace_fields

TYPES: dict[type, str] = {
    PinholeCamera: "base_pinhole_camera",
    StereoCamera: "base_stereo_camera",
    Laser2D: "base_laser2d",
    Laser3D: "base_laser3d",
    FlashLaser: "base_flash_laser",
    Encoder: "base_encoder",
    Force6D: "base_force6d",
    Imu: "base_imu",
    Odometry: "base_odometry",
}
"""The documented type of each description."""


def sensor_elements(
    description: SensorDescription, kind: str, joint: Callable[[str], str | None], body: Callable[[str], str | None]
) -> SensorElements:
    """Return the elements of a description.

    Args:
        description: The description, not of a stereo camera.
        kind: The sensor type in the document: types of OpenRAVE get only the spelling of OpenRAVE.
        joint: Returns the path of a joint, or None if it has no axis in the document.
        body: Returns the path of a link, or None if it does not exist.
    """
    if isinstance(description, Encoder):
        target = None if description.joint is None else joint(description.joint)
        return replace_fields(_encoder_elements(description), target=target)
    if isinstance(description, Odometry):
        target = None if description.target is None else body(description.target)
        return replace_fields(_odometry_elements(description), target=target)
    return _WORDS[type(description)](description, kind.lower() in PROGRAM_TYPES)


def read_back(words: SensorElements, specified: SensorDescription) -> SensorDescription:
    """Return the description that is read from elements; numbers that differ only by rounding are the stated ones."""
    units = SensorUnits(1.0, Report())
    is_named = getattr(words, "target", None) is not None
    names = {name: getattr(specified, name) for name in ("joint", "target") if is_named and hasattr(specified, name)}
    read = units.describe(words)
    rounded = {
        name: value
        for name in type(read).__dataclass_fields__
        if name != "origin" and _differs_by_rounding(getattr(read, name), value := getattr(specified, name))
    }
    return replace(read, **names, **rounded)


def _differs_by_rounding(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(a == b or _differs_by_rounding(a, b) for a, b in zip(one, other, strict=True))
    return isinstance(one, float) and isinstance(other, float) and math.isclose(one, other, rel_tol=1e-14)


def _camera_elements(camera: PinholeCamera, only_openrave: bool) -> CameraElements:
    size = _dimension_values(camera.width, camera.height, camera.channels)
    distortion = camera.distortion
    coefficients = distortion.coefficients if distortion is not None else ()
    return CameraElements(
        image_dimensions=size,
        width=None if size else camera.width,
        height=None if size else camera.height,
        channels=None if size and len(size) == 3 else camera.channels,
        format=None if camera.format is None else camera.format.value,
        measurement_time=camera.measurement_time,
        gain=camera.gain,
        intrinsic=_flatten(camera.intrinsic),
        focal_length=camera.focal_length,
        distortion_model=None
        if distortion is None
        else DistortionModelElement(type=distortion.model.value, value=" ".join(map(repr, coefficients)) or None),
        distortion_coeffs=coefficients or None,
    )


def _laser_elements(laser: Laser2D, only_openrave: bool) -> Laser2DElements:
    return Laser2DElements(**_angle_fields(laser, only_openrave), **_distance_fields(laser, only_openrave))


def _laser_3d_elements(laser: Laser3D, only_openrave: bool) -> Laser3DElements:
    return Laser3DElements(
        **_angle_fields(laser, only_openrave),
        **_distance_fields(laser, only_openrave),
        min_turn=_to_degrees(laser.min_turn),
        max_turn=_to_degrees(laser.max_turn),
        turn_increment=_to_degrees(laser.turn_increment),
    )


def _flash_laser_elements(laser: FlashLaser, only_openrave: bool) -> FlashLaserElements:
    size = _dimension_values(laser.width, laser.height, None)
    matrix = laser.intrinsic
    kk = None if matrix is None else (matrix[0][0], matrix[1][1], matrix[0][2], matrix[1][2])
    return FlashLaserElements(
        image_dimensions=size,
        width=laser.width,
        height=laser.height,
        intrinsic=_flatten(matrix),
        kk=kk if matrix is not None and (matrix[0][1], matrix[1][0]) == (0.0, 0.0) else None,
        **_distance_fields(laser, only_openrave),
    )


def _angle_fields(laser: Laser2D | Laser3D, only_openrave: bool) -> dict[str, Any]:
    first, last, step = _to_degrees(laser.min_angle), _to_degrees(laser.max_angle), _to_degrees(laser.angle_increment)
    documented = {"angle_range": _pair_or_none(first, last), "angle_increment": step}
    openrave = {"min_angle": first, "max_angle": last, "resolution": step}
    return {**({} if only_openrave else documented), **openrave, "time_increment": laser.time_increment}


def _distance_fields(laser: Laser2D | Laser3D | FlashLaser, only_openrave: bool) -> dict[str, Any]:
    nearest, farthest = laser.min_distance, laser.max_distance
    documented = {"distance_range": _pair_or_none(nearest, farthest), "measurement_time": laser.measurement_time}
    openrave = {"min_range": nearest, "max_range": farthest, "scantime": laser.measurement_time}
    return {**({} if only_openrave else documented), **openrave, "distance_deviation": laser.distance_deviation}


def _encoder_elements(encoder: Encoder) -> EncoderElements:
    return EncoderElements(
        coordinate=encoder.coordinate,
        resolution=encoder.resolution,
        counts=encoder.counts,
        measurement_time=encoder.measurement_time,
    )


def _force6d_elements(sensor: Force6D, only_openrave: bool) -> Force6DElements:
    return Force6DElements(
        load_range_force=sensor.force_range,
        load_range_torque=sensor.torque_range,
        load_resolution_force=sensor.force_resolution,
        load_resolution_torque=sensor.torque_resolution,
        load_capacity_range_force=sensor.force_capacity,
        load_capacity_range_torque=sensor.torque_capacity,
        polarity=sensor.polarity,
        correction_matrix=_if_of_length(sensor.correction, 36),
        measurement_time=sensor.measurement_time,
    )


def _imu_elements(sensor: Imu, only_openrave: bool) -> ImuElements:
    return ImuElements(
        measurement_time=sensor.measurement_time,
        rotation_covariance=_flatten(sensor.rotation_covariance),
        angular_velocity_covariance=_flatten(sensor.angular_velocity_covariance),
        linear_acceleration_covariance=_flatten(sensor.linear_acceleration_covariance),
    )


def _odometry_elements(sensor: Odometry) -> OdometryElements:
    return OdometryElements(
        measurement_time=sensor.measurement_time, drift_covariance=_if_of_length(sensor.drift_covariance, 36)
    )


def _dimension_values(width: int | None, height: int | None, channels: int | None) -> tuple[int, ...] | None:
    """Return width and height, with the channels if known, or None if a size is unknown."""
    if width is None or height is None:
        return None
    return (width, height) if channels is None else (width, height, channels)


def _pair_or_none(first: float | None, second: float | None) -> tuple[float, float] | None:
    return None if first is None or second is None else (first, second)


def _to_degrees(radians: float | None) -> float | None:
    return None if radians is None else math.degrees(radians)


def _flatten(rows: Any) -> tuple[float, ...] | None:
    return None if rows is None else tuple([value for row in rows for value in row])


def _if_of_length(values: tuple[float, ...] | None, count: int) -> tuple[float, ...] | None:
    return values if values is not None and len(values) == count else None


_WORDS: dict[type, Callable[[Any, bool], SensorElements]] = {
    PinholeCamera: _camera_elements,
    Laser2D: _laser_elements,
    Laser3D: _laser_3d_elements,
    FlashLaser: _flash_laser_elements,
    Force6D: _force6d_elements,
    Imu: _imu_elements,
}
