"""Sensors: what a robot senses with. What a file leaves open is None; the documented defaults stand beside each field."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from ossature.diagnostics import Location
from ossature.model.format_extension import Extension
from ossature.model.manipulator import OpenravePlugin
from ossature.model.sensor_fields import setting
from ossature.spatial import IDENTITY, Matrix3, Pose, Vector3

IntrinsicMatrix: TypeAlias = tuple[Vector3, Vector3]
"""The two upper rows of a camera's matrix [pixel]: focal length, skew and principal point, then 0, focal length and point."""
Covariance6: TypeAlias = tuple[float, ...]
"""A 6 by 6 matrix row by row: three lengths, then three angles."""


class ImageFormat(StrEnum):
    """The type of every value in an image."""

    UINT8 = "uint8"
    UINT16 = "uint16"
    UINT32 = "uint32"
    INT8 = "int8"
    INT16 = "int16"
    INT32 = "int32"
    FLOAT32 = "float32"
    FLOAT64 = "float64"


class DistortionModel(StrEnum):
    """How a lens bends what a pinhole would show."""

    PLUMB_BOB = "plumb_bob"
    """Radial and tangential: k1 k2 p1 p2 k3."""
    RATIONAL_POLYNOMIAL = "rational_polynomial"
    """Radial as a quotient, and tangential: k1 k2 p1 p2 k3 k4 k5 k6."""
    EQUIDISTANT = "equidistant"
    """A fisheye, by the angle from its axis: k1 k2 k3 k4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distortion:
    """How a camera's lens distorts.

    Attributes:
        model: The model.
        coefficients: Its coefficients in the order of :class:`DistortionModel`; those that are left out are zero.
    """

    model: DistortionModel
    coefficients: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PinholeCamera:
    """A camera. Its frame looks along z, x to the right and y downwards in the image.

    A point (x, y, z) is seen at ``intrinsic @ (x/z, y/z, 1)``, after the distortion of (x/z, y/z). The first pixel reaches
    from 0 to 1, so its centre is at (0.5, 0.5).
    """

    width: int | None = setting("Pixels in a row of its image.", unit="pixel", default=640)
    height: int | None = setting("Rows of its image.", unit="pixel", default=480)
    channels: int | None = setting("Values of a pixel: 1 grey, 3 red, green, blue, 4 and opacity.", default=3)
    format: ImageFormat | None = setting("The type of every value in the image.", default=ImageFormat.UINT8)
    measurement_time: float | None = setting("Time between two images.", unit="s", default=1.0 / 30.0)
    gain: float | None = setting("Factor of all brightness.", default=1.0)
    intrinsic: IntrinsicMatrix | None = setting(
        "Focal lengths, skew and principal point.",
        unit="pixel",
        absence="the focal length is the image's width, the principal point its middle",
    )
    focal_length: float | None = setting("The lens's own focal length; it changes no image.", unit="m", absence="not known")
    distortion: Distortion | None = setting("How its lens distorts.", absence="no distortion")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoView:
    """One of the two cameras of a stereo camera.

    Attributes:
        camera: The camera.
        pose: Its frame in the stereo camera's frame, which is that of the first one; None where nothing is stated.
        rectification: Takes points of its image [pixel] to the ideal image, in which epipolar lines are parallel;
            None where nothing is stated.
    """

    camera: PinholeCamera
    pose: Pose | None = None
    rectification: Matrix3 | None = None


DEFAULT_BASELINE = 0.1
"""Distance from the first to the second camera along x [m], where nothing is stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoCamera:
    """Two cameras that see depth together. Its frame is that of the first one."""

    views: tuple[StereoView, ...] | None = setting(
        "Its two cameras.",
        default=(StereoView(camera=PinholeCamera()), StereoView(camera=PinholeCamera())),
    )
    measurement_time: float | None = setting("Time between two pairs of images.", unit="s", absence="that of its first camera")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laser2D:
    """A range finder that scans in the xy plane of its frame; angle 0 is x, and angles grow towards y."""

    min_angle: float | None = setting("First angle.", unit="rad", default=-0.5 * math.pi)
    max_angle: float | None = setting("Last angle.", unit="rad", default=0.5 * math.pi)
    min_distance: float | None = setting("Smallest distance that it measures.", unit="m", default=0.03)
    max_distance: float | None = setting("Largest distance that it measures.", unit="m", default=100.0)
    angle_increment: float | None = setting("Angle from one ray to the next.", unit="rad", default=0.01)
    time_increment: float | None = setting("Time from one ray to the next.", unit="s", default=0.0)
    measurement_time: float | None = setting("Time between the beginnings of two scans.", unit="s", default=0.1)
    distance_deviation: float | None = setting("Standard deviation of a distance.", unit="m", absence="distances without noise")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laser3D:
    """A range finder whose scan in the xy plane is turned about the x axis of its frame, from one line to the next."""

    min_angle: float | None = setting("First angle of a line.", unit="rad", default=-0.5 * math.pi)
    max_angle: float | None = setting("Last angle of a line.", unit="rad", default=0.5 * math.pi)
    angle_increment: float | None = setting("Angle from one ray to the next.", unit="rad", default=0.01)
    min_turn: float | None = setting("Turn of the first line about x.", unit="rad", default=-math.pi / 12.0)
    max_turn: float | None = setting("Turn of the last line about x.", unit="rad", default=math.pi / 12.0)
    turn_increment: float | None = setting("Turn from one line to the next.", unit="rad", default=math.pi / 90.0)
    min_distance: float | None = setting("Smallest distance that it measures.", unit="m", default=0.03)
    max_distance: float | None = setting("Largest distance that it measures.", unit="m", default=100.0)
    time_increment: float | None = setting("Time from one ray to the next, lines after lines.", unit="s", default=0.0)
    measurement_time: float | None = setting("Time between the beginnings of two scans.", unit="s", default=0.1)
    distance_deviation: float | None = setting("Standard deviation of a distance.", unit="m", absence="distances without noise")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashLaser:
    """A range finder that measures a whole image of distances at once, seen as by a camera without distortion."""

    width: int | None = setting("Rays in a row.", unit="pixel", default=64)
    height: int | None = setting("Rows.", unit="pixel", default=64)
    intrinsic: IntrinsicMatrix | None = setting(
        "Focal lengths, skew and principal point.",
        unit="pixel",
        absence="the focal length is the image's width, the principal point its middle",
    )
    min_distance: float | None = setting("Smallest distance that it measures.", unit="m", default=0.03)
    max_distance: float | None = setting("Largest distance that it measures.", unit="m", default=100.0)
    measurement_time: float | None = setting("Time between two images.", unit="s", default=0.1)
    distance_deviation: float | None = setting("Standard deviation of a distance.", unit="m", absence="distances without noise")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """Reads the position of a joint."""

    joint: str | None = setting("The joint that it reads.", absence="it reads nothing, which is an error")
    coordinate: int | None = setting("Which of the joint's coordinates, from 0.", default=0)
    resolution: float | None = setting(
        "What one count means.", unit="rad or m", absence="that of `counts`; without both, positions are exact"
    )
    counts: int | None = setting("Counts of one turn, or of one metre.", absence="see `resolution`")
    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Force6D:
    """Measures force and torque between the body that carries it and the body that carries that one."""

    force_range: Vector3 | None = setting("Largest force along each axis before it saturates.", unit="N", absence="no limit")
    torque_range: Vector3 | None = setting(
        "Largest torque about each axis before it saturates.", unit="N·m", absence="no limit"
    )
    force_resolution: Vector3 | None = setting("Steps in which forces are told.", unit="N", absence="exact")
    torque_resolution: Vector3 | None = setting("Steps in which torques are told.", unit="N·m", absence="exact")
    force_capacity: Vector3 | None = setting("Largest force along each axis before it breaks.", unit="N", absence="unbreakable")
    torque_capacity: Vector3 | None = setting(
        "Largest torque about each axis before it breaks.", unit="N·m", absence="unbreakable"
    )
    polarity: int | None = setting("1, or -1 for the opposite sign of everything.", default=1)
    correction: tuple[float, ...] | None = setting(
        "6 by 6 matrix, row by row, by which force and torque are multiplied.", absence="no correction"
    )
    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imu:
    """Measures orientation, angular velocity and acceleration."""

    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    rotation_covariance: Matrix3 | None = setting(
        "Of the error of the orientation, a rotation vector in the sensor's axes.", unit="rad²", absence="no noise"
    )
    angular_velocity_covariance: Matrix3 | None = setting(
        "Of the error of the angular velocity, in the sensor's axes.", unit="rad²/s²", absence="no noise"
    )
    linear_acceleration_covariance: Matrix3 | None = setting(
        "Of the error of the acceleration, in the sensor's axes.", unit="m²/s⁴", absence="no noise"
    )
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Odometry:
    """Adds up the motion of a body from where it began."""

    target: str | None = setting("The body whose motion it measures.", absence="the body that carries it")
    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    drift_covariance: Covariance6 | None = setting(
        "6 by 6 covariance, row by row, of the error that the pose gains in one second: translation, then rotation vector.",
        unit="m²/s, m·rad/s, rad²/s",
        absence="no drift",
    )
    origin: Location | None = field(default=None, compare=False, repr=False)


SensorDescription: TypeAlias = (
    PinholeCamera | StereoCamera | Laser2D | Laser3D | FlashLaser | Encoder | Force6D | Imu | Odometry
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """A sensor on a body.

    Attributes:
        name: Its name, unique among the model's sensors.
        body: The body that carries it, or None where the file names none.
        pose: Its frame in the body's frame.
        type: What it is, in its format's word, or None where the file says nothing of it.
        description: What it measures, and how; None for a type that nobody knows.
        interface: The program part that its author meant, or None.
        hardware_id: What the device is known by, or None.
        settings: What else the file says about it, in its format's words.
    """

    name: str
    body: str | None
    pose: Pose = IDENTITY
    type: str | None = None
    description: SensorDescription | None = None
    interface: OpenravePlugin | None = None
    hardware_id: str | None = None
    settings: tuple[Extension, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
