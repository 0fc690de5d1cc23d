"""Schema of ``<sensor>``, by its type.

Sources: *page* is either edition of the page of OpenRAVE's extensions or one of its examples, *program* what OpenRAVE reads
instead, *Ossature* elements of this package for content that neither can represent.
"""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.openrave.schema import InnerInterfaceTypeElement
from ossature.formats.collada.schema_common import (
    PAGE,
    PROGRAM,
    ExtensionElement,
    RotateElement,
    TranslateElement,
    rigid_transforms,
)
from ossature.model import ImageFormat
from ossature.syntax import rules
from ossature.syntax.schema import Element, attribute, child, element, text
from ossature.syntax.xml_values import INTEGER, NUMBER, NUMBERS, STRING, VECTOR3, ValueType, shown, vector, word

OSSATURE = "Ossature"


def _parse_dimensions(text: str) -> tuple[int, ...]:
    values = tuple([INTEGER.parse(part) for part in text.split()])
    if len(values) not in (2, 3):
        raise ValueError(text)
    return values


DIMENSIONS: ValueType[tuple[int, ...]] = ValueType(
    name="2 or 3 whole numbers",
    parse=_parse_dimensions,
    format=lambda values: " ".join(map(str, values)),
    explain=lambda text, name, location, report: report.add(
        rules.LIST_LENGTH_MISMATCH,
        f"{name} is {shown(text)}",
        location,
        hint="whole numbers: width, height and perhaps channels",
    ),
)


def _declare_documented(value: ValueType[Any], doc: str, unit: str | None = None) -> Any:
    return child(value, unit=unit, source=PAGE, doc=doc)


def _declare_openrave(value: ValueType[Any], doc: str, unit: str | None = None) -> Any:
    return child(value, unit=unit, source=PROGRAM, doc=doc)


def _declare_ossature(value: ValueType[Any], doc: str, unit: str | None = None) -> Any:
    return child(value, unit=unit, source=OSSATURE, doc=doc)


class SensorElements(Element, source=PAGE):
    """Elements of every sensor."""

    interface_type: InnerInterfaceTypeElement | None = element(
        InnerInterfaceTypeElement, doc="OpenRAVE interface; passed through, never loaded."
    )
    hardware_id: str | None = _declare_documented(STRING, "Identifier of the device.")


class DistortionModelElement(Element, source=PAGE):
    """Lens distortion. OpenRAVE reads the name of the model from the text."""

    value: str | None = text(STRING, doc="Coefficients, or the name of the model.")
    type: str | None = attribute(STRING, doc="Distortion model: plumb_bob, rational_polynomial or equidistant.")


class ImageElements(SensorElements):
    """Elements of every sensor with an image."""

    image_dimensions: tuple[int, ...] | None = _declare_documented(DIMENSIONS, "Width, height and number of channels.", "pixel")
    intrinsic: tuple[float, ...] | None = _declare_documented(vector(6), "Camera matrix: the first two rows.", "pixel")
    measurement_time: float | None = _declare_documented(NUMBER, "Time between images.", "s")
    kk: tuple[float, ...] | None = _declare_openrave(vector(4), "Focal lengths and principal point: fx fy cx cy.", "pixel")
    width: int | None = _declare_openrave(INTEGER, "Width of the image.", "pixel")
    height: int | None = _declare_openrave(INTEGER, "Height of the image.", "pixel")


class CameraElements(ImageElements, source=PAGE):
    """A pinhole camera."""

    channels: int | None = _declare_ossature(INTEGER, "Number of channels.")
    format: str | None = _declare_documented(word(*ImageFormat), "Data type of the values.")
    gain: float | None = _declare_documented(NUMBER, "Gain of the image values.")
    focal_length: float | None = _declare_documented(NUMBER, "Focal length of the lens.", "length")
    distortion_model: DistortionModelElement | None = element(DistortionModelElement, doc="Lens distortion.")
    distortion_coeffs: tuple[float, ...] | None = _declare_openrave(NUMBERS, "Coefficients of the lens distortion.")
    framerate: float | None = _declare_openrave(NUMBER, "Frame rate.", "1/s")


class StereoViewElement(ExtensionElement, source=PAGE):
    """One camera of a stereo camera."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    url: str | None = attribute(STRING, required=True, doc="The camera.")
    rectification: tuple[float, ...] | None = _declare_documented(vector(9), "Rectification matrix, row-major.")


class StereoElements(SensorElements, source=PAGE):
    """A stereo camera."""

    instance_sensor: tuple[StereoViewElement, ...] = element(
        StereoViewElement, repeated=True, doc="The cameras; the frame of the sensor is that of the first one."
    )
    rectification: tuple[float, ...] | None = _declare_documented(
        vector(9), "Rectification matrix of the second image, row-major."
    )
    measurement_time: float | None = _declare_ossature(NUMBER, "Time between pairs of images.", "s")


class RangeElements(SensorElements):
    """Elements of every range finder."""

    distance_range: tuple[float, ...] | None = _declare_documented(vector(2), "Minimum and maximum distance.", "length")
    measurement_time: float | None = _declare_documented(NUMBER, "Time between scans.", "s")
    distance_deviation: float | None = _declare_ossature(NUMBER, "Standard deviation of a distance.", "length")
    range_min: float | None = _declare_documented(NUMBER, "Minimum distance, in an example.", "length")
    range_max: float | None = _declare_documented(NUMBER, "Maximum distance, in an example.", "length")
    min_range: float | None = _declare_openrave(NUMBER, "Minimum distance.", "length")
    max_range: float | None = _declare_openrave(NUMBER, "Maximum distance.", "length")
    minrange: float | None = _declare_openrave(NUMBER, "Minimum distance.", "length")
    maxrange: float | None = _declare_openrave(NUMBER, "Maximum distance.", "length")
    scantime: float | None = _declare_openrave(NUMBER, "Time between scans.", "s")
    time_scan: float | None = _declare_openrave(NUMBER, "Time between scans.", "s")


class Laser2DElements(RangeElements):
    """A range finder that scans in the xy plane."""

    angle_range: tuple[float, ...] | None = _declare_documented(vector(2), "First and last angle.", "degree")
    angle_increment: float | None = _declare_documented(NUMBER, "Angle between rays.", "degree")
    time_increment: float | None = _declare_documented(NUMBER, "Time between rays.", "s")
    angle_min: float | None = _declare_documented(NUMBER, "First angle, in an example.", "degree")
    angle_max: float | None = _declare_documented(NUMBER, "Last angle, in an example.", "degree")
    min_angle: float | None = _declare_openrave(NUMBER, "First angle.", "degree")
    max_angle: float | None = _declare_openrave(NUMBER, "Last angle.", "degree")
    minangle: float | None = _declare_openrave(NUMBER, "First angle.", "degree")
    maxangle: float | None = _declare_openrave(NUMBER, "Last angle.", "degree")
    resolution: float | None = _declare_openrave(NUMBER, "Angle between rays.", "degree")


class Laser3DElements(Laser2DElements):
    """A range finder whose scan plane rotates about x."""

    turn_range: tuple[float, ...] | None = _declare_ossature(
        vector(2), "First and last angle of the scan plane about x.", "degree"
    )
    min_turn: float | None = _declare_ossature(NUMBER, "First angle of the scan plane.", "degree")
    max_turn: float | None = _declare_ossature(NUMBER, "Last angle of the scan plane.", "degree")
    turn_increment: float | None = _declare_ossature(NUMBER, "Angle between scan planes.", "degree")


class FlashLaserElements(RangeElements):
    """A range finder that measures an image of distances."""

    image_dimensions: tuple[int, ...] | None = _declare_ossature(DIMENSIONS, "Number of rays in a row, and of rows.", "pixel")
    intrinsic: tuple[float, ...] | None = _declare_ossature(vector(6), "Camera matrix: the first two rows.", "pixel")
    kk: tuple[float, ...] | None = _declare_openrave(vector(4), "Focal lengths and principal point: fx fy cx cy.", "pixel")
    width: int | None = _declare_openrave(INTEGER, "Number of rays in a row.", "pixel")
    height: int | None = _declare_openrave(INTEGER, "Number of rows.", "pixel")


class EncoderElements(SensorElements):
    """An encoder: measures the position of a joint."""

    target: str | None = _declare_ossature(STRING, "The joint.")
    coordinate: int | None = _declare_ossature(INTEGER, "Index of the axis, from 0.")
    resolution: float | None = _declare_ossature(NUMBER, "Resolution: the position per count.", "rad or m")
    counts: int | None = _declare_ossature(INTEGER, "Counts per revolution or per metre.")
    measurement_time: float | None = _declare_ossature(NUMBER, "Time between readings.", "s")


class Force6DElements(SensorElements):
    """A force-torque sensor."""

    load_range_force: tuple[float, ...] | None = _declare_documented(VECTOR3, "Largest measurable force.", "mass·length/s²")
    load_range_torque: tuple[float, ...] | None = _declare_documented(VECTOR3, "Largest measurable torque.", "mass·length²/s²")
    load_resolution_force: tuple[float, ...] | None = _declare_documented(VECTOR3, "Resolution of the force.", "mass·length/s²")
    load_resolution_torque: tuple[float, ...] | None = _declare_documented(
        VECTOR3, "Resolution of the torque.", "mass·length²/s²"
    )
    load_capacity_range_force: tuple[float, ...] | None = _declare_documented(
        VECTOR3, "Overload limit of the force.", "mass·length/s²"
    )
    load_capacity_range_torque: tuple[float, ...] | None = _declare_documented(
        VECTOR3, "Overload limit of the torque.", "mass·length²/s²"
    )
    polarity: int | None = _declare_openrave(INTEGER, "Sign of the measurement: 1 or -1.")
    correction_matrix: tuple[float, ...] | None = _declare_openrave(
        vector(36), "Correction matrix of force and torque, row-major."
    )
    measurement_time: float | None = _declare_ossature(NUMBER, "Time between readings.", "s")


class ImuElements(SensorElements):
    """An IMU: measures orientation, angular velocity and linear acceleration."""

    measurement_time: float | None = _declare_documented(NUMBER, "Time between readings.", "s")
    rotation_covariance: tuple[float, ...] | None = _declare_documented(
        vector(9), "Covariance of the orientation, row-major.", "rad²"
    )
    angular_velocity_covariance: tuple[float, ...] | None = _declare_documented(
        vector(9), "Angular velocity covariance, row-major.", "rad²/s²"
    )
    linear_acceleration_covariance: tuple[float, ...] | None = _declare_documented(
        vector(9), "Covariance of the linear acceleration, row-major.", "length²/s⁴"
    )


class OdometryElements(SensorElements):
    """Odometry: integrates the motion of a body."""

    measurement_time: float | None = _declare_documented(NUMBER, "Time between readings.", "s")
    target: str | None = _declare_documented(STRING, "The link whose motion is measured.")
    drift_covariance: tuple[float, ...] | None = _declare_ossature(
        vector(36), "Growth of the error covariance per second: translation, then rotation, row-major.", "length²/s, rad²/s"
    )


WORDS: dict[str, type[SensorElements]] = {
    "base_pinhole_camera": CameraElements,
    "base_stereo_camera": StereoElements,
    "base_laser2d": Laser2DElements,
    "base_laser3d": Laser3DElements,
    "base_flash_laser": FlashLaserElements,
    "base_encoder": EncoderElements,
    "base_force6d": Force6DElements,
    "base_imu": ImuElements,
    "base_odometry": OdometryElements,
}
"""Schema of each documented type of sensor."""
PROGRAM_TYPES = {
    "basecamera": "base_pinhole_camera",
    "baselaser2d": "base_laser2d",
    "baseflashlidar3d": "base_flash_laser",
    "baseforce6d": "base_force6d",
}
"""The documented type of each of OpenRAVE's types, in lower case."""


def documented_type(kind: str | None) -> str | None:
    """Return the documented type for a sensor's type in upper or lower case, or None if it is unknown."""
    lowered = (kind or "").lower()
    known = PROGRAM_TYPES.get(lowered, lowered)
    return known if known in WORDS else None
