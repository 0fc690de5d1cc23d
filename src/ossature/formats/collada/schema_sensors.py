"""What stands inside a ``<sensor>``, by its type.

Sources: *page* is either edition of the page of OpenRAVE's extensions or one of its examples, *program* what OpenRAVE reads
instead, *Ossature* what neither has a word for.
"""

from __future__ import annotations

from typing import Any

from ossature.formats.collada.schema_common import PAGE, PROGRAM, RotateElement, TranslateElement, rigid_transforms
from ossature.formats.collada.schema_openrave import InnerInterfaceTypeElement
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
        rules.WRONG_COUNT, f"{name} is {shown(text)}", location, hint="whole numbers: width, height and perhaps channels"
    ),
)


def _page(value: ValueType[Any], doc: str, unit: str | None = None) -> Any:
    return child(value, unit=unit, source=PAGE, doc=doc)


def _program(value: ValueType[Any], doc: str, unit: str | None = None) -> Any:
    return child(value, unit=unit, source=PROGRAM, doc=doc)


def _own(value: ValueType[Any], doc: str, unit: str | None = None) -> Any:
    return child(value, unit=unit, source=OSSATURE, doc=doc)


class SensorWords(Element):
    """What every sensor may say."""

    interface_type: InnerInterfaceTypeElement | None = element(
        InnerInterfaceTypeElement, source=PAGE, doc="The program part that is meant; it is kept, never loaded."
    )
    hardware_id: str | None = _page(STRING, "What the device is known by.")


class DistortionModelElement(Element):
    """How a lens distorts. OpenRAVE reads the model's name as the text."""

    value: str | None = text(STRING, source=PAGE, doc="The coefficients, or the model's name.")
    type: str | None = attribute(STRING, source=PAGE, doc="The model: plumb_bob, rational_polynomial or equidistant.")


class ImageWords(SensorWords):
    """What every sensor with an image may say."""

    image_dimensions: tuple[int, ...] | None = _page(DIMENSIONS, "Width, height, and channels of a pixel.", "pixel")
    intrinsic: tuple[float, ...] | None = _page(vector(6), "The camera's matrix, two rows of three.", "pixel")
    measurement_time: float | None = _page(NUMBER, "Time between images.", "s")
    kk: tuple[float, ...] | None = _program(vector(4), "Focal lengths, then principal point: fx fy cx cy.", "pixel")
    width: int | None = _program(INTEGER, "Width.", "pixel")
    height: int | None = _program(INTEGER, "Height.", "pixel")


class CameraWords(ImageWords):
    """A pinhole camera."""

    channels: int | None = _own(INTEGER, "Channels of a pixel.")
    format: str | None = _page(word(*ImageFormat), "The type of every value.")
    gain: float | None = _page(NUMBER, "Factor of all brightness.")
    focal_length: float | None = _page(NUMBER, "The lens's own focal length.", "length")
    distortion_model: DistortionModelElement | None = element(DistortionModelElement, source=PAGE, doc="How its lens distorts.")
    distortion_coeffs: tuple[float, ...] | None = _program(NUMBERS, "The coefficients of the distortion.")
    framerate: float | None = _program(NUMBER, "Images per time.", "1/s")


class StereoViewElement(Element):
    """One camera of a stereo camera."""

    transforms: tuple[RotateElement | TranslateElement, ...] = rigid_transforms()
    url: str | None = attribute(STRING, required=True, source=PAGE, doc="The camera.")
    rectification: tuple[float, ...] | None = _page(vector(9), "Takes its image to the ideal one, row by row.")


class StereoWords(SensorWords):
    """A stereo camera."""

    instance_sensor: tuple[StereoViewElement, ...] = element(
        StereoViewElement, repeated=True, source=PAGE, doc="Its cameras; its own frame is that of the first one."
    )
    rectification: tuple[float, ...] | None = _page(vector(9), "Takes the second image to the first, row by row.")
    measurement_time: float | None = _own(NUMBER, "Time between pairs of images.", "s")


class RangeWords(SensorWords):
    """What every range finder may say."""

    distance_range: tuple[float, ...] | None = _page(vector(2), "Smallest and largest distance.", "length")
    measurement_time: float | None = _page(NUMBER, "Time between scans.", "s")
    distance_deviation: float | None = _own(NUMBER, "Standard deviation of a distance.", "length")
    range_min: float | None = _page(NUMBER, "Smallest distance, in an example.", "length")
    range_max: float | None = _page(NUMBER, "Largest distance, in an example.", "length")
    min_range: float | None = _program(NUMBER, "Smallest distance.", "length")
    max_range: float | None = _program(NUMBER, "Largest distance.", "length")
    minrange: float | None = _program(NUMBER, "Smallest distance.", "length")
    maxrange: float | None = _program(NUMBER, "Largest distance.", "length")
    scantime: float | None = _program(NUMBER, "Time between scans.", "s")
    time_scan: float | None = _program(NUMBER, "Time between scans.", "s")


class Laser2DWords(RangeWords):
    """A range finder that scans in the xy plane."""

    angle_range: tuple[float, ...] | None = _page(vector(2), "First and last angle.", "degree")
    angle_increment: float | None = _page(NUMBER, "Angle between rays.", "degree")
    time_increment: float | None = _page(NUMBER, "Time between rays.", "s")
    angle_min: float | None = _page(NUMBER, "First angle, in an example.", "degree")
    angle_max: float | None = _page(NUMBER, "Last angle, in an example.", "degree")
    min_angle: float | None = _program(NUMBER, "First angle.", "degree")
    max_angle: float | None = _program(NUMBER, "Last angle.", "degree")
    minangle: float | None = _program(NUMBER, "First angle.", "degree")
    maxangle: float | None = _program(NUMBER, "Last angle.", "degree")
    resolution: float | None = _program(NUMBER, "Angle between rays.", "degree")


class Laser3DWords(Laser2DWords):
    """A range finder whose scan in the xy plane is turned about x."""

    turn_range: tuple[float, ...] | None = _own(vector(2), "First and last turn about x.", "degree")
    min_turn: float | None = _own(NUMBER, "First turn.", "degree")
    max_turn: float | None = _own(NUMBER, "Last turn.", "degree")
    turn_increment: float | None = _own(NUMBER, "Turn between lines.", "degree")


class FlashLaserWords(RangeWords):
    """A range finder that measures an image of distances."""

    image_dimensions: tuple[int, ...] | None = _own(DIMENSIONS, "Rays in a row, and rows.", "pixel")
    intrinsic: tuple[float, ...] | None = _own(vector(6), "The camera's matrix, two rows of three.", "pixel")
    kk: tuple[float, ...] | None = _program(vector(4), "Focal lengths, then principal point: fx fy cx cy.", "pixel")
    width: int | None = _program(INTEGER, "Rays in a row.", "pixel")
    height: int | None = _program(INTEGER, "Rows.", "pixel")


class EncoderWords(SensorWords):
    """What reads a joint's position."""

    target: str | None = _own(STRING, "The joint.")
    coordinate: int | None = _own(INTEGER, "Which of its axes, from 0.")
    resolution: float | None = _own(NUMBER, "What one count means.", "rad or m")
    counts: int | None = _own(INTEGER, "Counts of one turn, or of one metre.")
    measurement_time: float | None = _own(NUMBER, "Time between readings.", "s")


class Force6DWords(SensorWords):
    """What measures force and torque."""

    load_range_force: tuple[float, ...] | None = _page(VECTOR3, "Largest force before it saturates.", "mass·length/s²")
    load_range_torque: tuple[float, ...] | None = _page(VECTOR3, "Largest torque before it saturates.", "mass·length²/s²")
    load_resolution_force: tuple[float, ...] | None = _page(VECTOR3, "Steps of forces.", "mass·length/s²")
    load_resolution_torque: tuple[float, ...] | None = _page(VECTOR3, "Steps of torques.", "mass·length²/s²")
    load_capacity_range_force: tuple[float, ...] | None = _page(VECTOR3, "Largest force before it breaks.", "mass·length/s²")
    load_capacity_range_torque: tuple[float, ...] | None = _page(VECTOR3, "Largest torque before it breaks.", "mass·length²/s²")
    polarity: int | None = _program(INTEGER, "1, or -1 for the opposite sign.")
    correction_matrix: tuple[float, ...] | None = _program(vector(36), "Multiplies force and torque, row by row.")
    measurement_time: float | None = _own(NUMBER, "Time between readings.", "s")


class ImuWords(SensorWords):
    """What measures orientation, angular velocity and acceleration."""

    measurement_time: float | None = _page(NUMBER, "Time between readings.", "s")
    rotation_covariance: tuple[float, ...] | None = _page(vector(9), "Of the orientation, row by row.", "rad²")
    angular_velocity_covariance: tuple[float, ...] | None = _page(vector(9), "Of the rates, row by row.", "rad²/s²")
    linear_acceleration_covariance: tuple[float, ...] | None = _page(
        vector(9), "Of the acceleration, row by row.", "length²/s⁴"
    )


class OdometryWords(SensorWords):
    """What adds up a body's motion."""

    measurement_time: float | None = _page(NUMBER, "Time between readings.", "s")
    target: str | None = _page(STRING, "The link whose motion is measured.")
    drift_covariance: tuple[float, ...] | None = _own(
        vector(36), "Of the error gained in a second: translation, then rotation, row by row.", "length²/s, rad²/s"
    )


WORDS: dict[str, type[SensorWords]] = {
    "base_pinhole_camera": CameraWords,
    "base_stereo_camera": StereoWords,
    "base_laser2d": Laser2DWords,
    "base_laser3d": Laser3DWords,
    "base_flash_laser": FlashLaserWords,
    "base_encoder": EncoderWords,
    "base_force6d": Force6DWords,
    "base_imu": ImuWords,
    "base_odometry": OdometryWords,
}
"""What stands in a sensor of each documented type."""
PROGRAM_TYPES = {
    "basecamera": "base_pinhole_camera",
    "baselaser2d": "base_laser2d",
    "baseflashlidar3d": "base_flash_laser",
    "baseforce6d": "base_force6d",
}
"""What the program calls them, in small letters."""


def documented_type(kind: str | None) -> str | None:
    """Return the documented type that a sensor's type means, in any case, or None where nobody knows it."""
    lowered = (kind or "").lower()
    known = PROGRAM_TYPES.get(lowered, lowered)
    return known if known in WORDS else None
