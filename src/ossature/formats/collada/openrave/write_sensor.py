"""Writes sensor descriptions as library elements, in the spelling of the documentation and, if it differs, of OpenRAVE."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ossature import model
from ossature.diagnostics import Report
from ossature.formats.collada.native_extension.difference_encoding import with_exact_values
from ossature.formats.collada.openrave import schema_sensors
from ossature.formats.collada.openrave.read_sensor_descriptions import SensorUnits
from ossature.formats.collada.openrave.sensor_fields import FIELDS, RANGE_FIELDS, flat, written_values

TYPES: dict[type, str] = {
    model.PinholeCamera: "base_pinhole_camera",
    model.StereoCamera: "base_stereo_camera",
    model.Laser2D: "base_laser2d",
    model.Laser3D: "base_laser3d",
    model.FlashLaser: "base_flash_laser",
    model.Encoder: "base_encoder",
    model.Force6D: "base_force6d",
    model.Imu: "base_imu",
    model.Odometry: "base_odometry",
}
"""The documented type of each description."""


def sensor_elements(
    description: model.SensorDescription, kind: str, joint: Callable[[str], str | None], body: Callable[[str], str | None]
) -> schema_sensors.SensorElements:
    """Return the elements of a description.

    Args:
        description: The description, not of a stereo camera.
        kind: The sensor type in the document: types of OpenRAVE get only the spelling of OpenRAVE.
        joint: Returns the path of a joint, or None if it has no axis in the document.
        body: Returns the path of a link, or None if it does not exist.
    """
    only_openrave = kind.lower() in schema_sensors.PROGRAM_TYPES
    if isinstance(description, model.PinholeCamera):
        return _camera_elements(description)
    if isinstance(description, model.FlashLaser):
        return _flash_laser_elements(description, only_openrave)
    words = schema_sensors.WORDS[TYPES[type(description)]]
    values = written_values(description, FIELDS[words][1], only_openrave=only_openrave)
    if isinstance(description, model.Encoder) and description.joint is not None:
        values["target"] = joint(description.joint)
    if isinstance(description, model.Odometry) and description.target is not None:
        values["target"] = body(description.target)
    return words(**values)


def read_back(words: schema_sensors.SensorElements, specified: model.SensorDescription) -> model.SensorDescription:
    """Return the description that is read from elements; numbers that differ only by rounding are the stated ones."""
    units = SensorUnits(1.0, Report())
    is_named = getattr(words, "target", None) is not None
    names = {name: getattr(specified, name) for name in ("joint", "target") if is_named and hasattr(specified, name)}
    return with_exact_values(replace(units.describe(words), **names), specified)


def _camera_elements(camera: model.PinholeCamera) -> schema_sensors.CameraElements:
    size = _dimension_values(camera.width, camera.height, camera.channels)
    distortion = camera.distortion
    coefficients = distortion.coefficients if distortion is not None else ()
    return schema_sensors.CameraElements(
        image_dimensions=size,
        width=None if size else camera.width,
        height=None if size else camera.height,
        channels=None if size and len(size) == 3 else camera.channels,
        format=None if camera.format is None else camera.format.value,
        measurement_time=camera.measurement_time,
        gain=camera.gain,
        intrinsic=None if camera.intrinsic is None else flat(camera.intrinsic),
        focal_length=camera.focal_length,
        distortion_model=None
        if distortion is None
        else schema_sensors.DistortionModelElement(
            type=distortion.model.value, value=" ".join(map(repr, coefficients)) or None
        ),
        distortion_coeffs=coefficients or None,
    )


def _flash_laser_elements(laser: model.FlashLaser, only_openrave: bool) -> schema_sensors.FlashLaserElements:
    size = _dimension_values(laser.width, laser.height, None)
    matrix = laser.intrinsic
    kk = None if matrix is None else (matrix[0][0], matrix[1][1], matrix[0][2], matrix[1][2])
    return schema_sensors.FlashLaserElements(
        image_dimensions=size,
        width=laser.width,
        height=laser.height,
        intrinsic=None if matrix is None else flat(matrix),
        kk=kk if matrix is not None and (matrix[0][1], matrix[1][0]) == (0.0, 0.0) else None,
        **written_values(laser, RANGE_FIELDS, only_openrave=only_openrave),
    )


def _dimension_values(width: int | None, height: int | None, channels: int | None) -> tuple[int, ...] | None:
    """Return width and height, with the channels if known, or None if a size is unknown."""
    if width is None or height is None:
        return None
    return (width, height) if channels is None else (width, height, channels)
