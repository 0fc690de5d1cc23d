"""Sensors of a robot. Parameters that a file does not state are None; each field documents its default."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from ossature.diagnostics import Location
from ossature.model.format_extension import Extension
from ossature.model.mujoco_hints import MujocoSensor
from ossature.model.program_hints import HintedElement, OpenravePlugin
from ossature.model.sensor_fields import setting
from ossature.model.validated_element import Element
from ossature.spatial import IDENTITY, Matrix3, Pose, Vector3

IntrinsicMatrix: TypeAlias = tuple[Vector3, Vector3]
"""The upper two rows of an intrinsic matrix [pixel]: focal length, skew, principal point; 0, focal length, principal point."""
Covariance6: TypeAlias = tuple[float, ...]
"""A 6 by 6 matrix, row by row: translation, then rotation vector."""


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
    """Models of lens distortion."""

    PLUMB_BOB = "plumb_bob"
    """Radial and tangential: k1 k2 p1 p2 k3."""
    RATIONAL_POLYNOMIAL = "rational_polynomial"
    """Radial as a quotient, and tangential: k1 k2 p1 p2 k3 k4 k5 k6."""
    EQUIDISTANT = "equidistant"
    """Fisheye, by the angle from the optical axis: k1 k2 k3 k4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distortion(Element):
    """The lens distortion of a camera.

    Attributes:
        model: The model.
        coefficients: Its coefficients in the order of :class:`DistortionModel`; missing ones are zero.
    """

    model: DistortionModel
    coefficients: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PinholeCamera(Element):
    """A camera. Its frame looks along z, x to the right and y downwards in the image.

    A point (x, y, z) is projected to ``intrinsic @ (x/z, y/z, 1)``, after distortion of (x/z, y/z). The first pixel extends
    from 0 to 1, so its centre is at (0.5, 0.5).
    """

    width: int | None = setting("Width of the image.", unit="pixel", default=640)
    height: int | None = setting("Height of the image.", unit="pixel", default=480)
    channels: int | None = setting("Channels: 1 for gray, 3 for RGB, 4 for RGB and opacity.", default=3)
    format: ImageFormat | None = setting("The type of every value in the image.", default=ImageFormat.UINT8)
    measurement_time: float | None = setting("Time between two images.", unit="s", default=1.0 / 30.0)
    gain: float | None = setting("Factor of the brightness.", default=1.0)
    intrinsic: IntrinsicMatrix | None = setting(
        "Focal lengths, skew and principal point.",
        unit="pixel",
        absence="the focal length is the image's width, the principal point its centre",
    )
    focal_length: float | None = setting("Focal length of the lens; it does not affect the image.", unit="m", absence="unknown")
    distortion: Distortion | None = setting("Lens distortion.", absence="no distortion")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoView(Element):
    """One of the two cameras of a stereo camera.

    Attributes:
        camera: The camera.
        pose: Its frame in the stereo camera's frame, which is that of the first one; None if it is not stated.
        rectification: Homography from its image [pixel] to the rectified image, in which epipolar lines are parallel;
            None if it is not stated.
    """

    camera: PinholeCamera
    pose: Pose | None = None
    rectification: Matrix3 | None = None


DEFAULT_BASELINE = 0.1
"""Default distance from the first to the second camera along x [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StereoCamera(Element):
    """Two cameras that measure depth. Its frame is that of the first one."""

    views: tuple[StereoView, ...] | None = setting(
        "Its two cameras.",
        default=(StereoView(camera=PinholeCamera()), StereoView(camera=PinholeCamera())),
    )
    measurement_time: float | None = setting("Time between two pairs of images.", unit="s", absence="that of its first camera")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laser2D(Element):
    """A range finder that scans in the xy plane of its frame; angle 0 is along x, and angles increase towards y."""

    min_angle: float | None = setting("First angle.", unit="rad", default=-0.5 * math.pi)
    max_angle: float | None = setting("Last angle.", unit="rad", default=0.5 * math.pi)
    min_distance: float | None = setting("Smallest measured distance.", unit="m", default=0.03)
    max_distance: float | None = setting("Largest measured distance.", unit="m", default=100.0)
    angle_increment: float | None = setting("Angle from one ray to the next.", unit="rad", default=0.01)
    time_increment: float | None = setting("Time from one ray to the next.", unit="s", default=0.0)
    measurement_time: float | None = setting("Time between the starts of two scans.", unit="s", default=0.1)
    distance_deviation: float | None = setting("Standard deviation of a distance.", unit="m", absence="distances without noise")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Laser3D(Element):
    """A range finder whose scan in the xy plane is rotated about the x axis of its frame, from one line to the next."""

    min_angle: float | None = setting("First angle of a line.", unit="rad", default=-0.5 * math.pi)
    max_angle: float | None = setting("Last angle of a line.", unit="rad", default=0.5 * math.pi)
    angle_increment: float | None = setting("Angle from one ray to the next.", unit="rad", default=0.01)
    min_turn: float | None = setting("Rotation angle of the first line about x.", unit="rad", default=-math.pi / 12.0)
    max_turn: float | None = setting("Rotation angle of the last line about x.", unit="rad", default=math.pi / 12.0)
    turn_increment: float | None = setting("Rotation angle from one line to the next.", unit="rad", default=math.pi / 90.0)
    min_distance: float | None = setting("Smallest measured distance.", unit="m", default=0.03)
    max_distance: float | None = setting("Largest measured distance.", unit="m", default=100.0)
    time_increment: float | None = setting("Time from one ray to the next, line by line.", unit="s", default=0.0)
    measurement_time: float | None = setting("Time between the starts of two scans.", unit="s", default=0.1)
    distance_deviation: float | None = setting("Standard deviation of a distance.", unit="m", absence="distances without noise")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlashLaser(Element):
    """A range finder that measures an image of distances at once, with the rays of a camera without distortion."""

    width: int | None = setting("Number of columns.", unit="pixel", default=64)
    height: int | None = setting("Number of rows.", unit="pixel", default=64)
    intrinsic: IntrinsicMatrix | None = setting(
        "Focal lengths, skew and principal point.",
        unit="pixel",
        absence="the focal length is the image's width, the principal point its centre",
    )
    min_distance: float | None = setting("Smallest measured distance.", unit="m", default=0.03)
    max_distance: float | None = setting("Largest measured distance.", unit="m", default=100.0)
    measurement_time: float | None = setting("Time between two images.", unit="s", default=0.1)
    distance_deviation: float | None = setting("Standard deviation of a distance.", unit="m", absence="distances without noise")
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder(Element):
    """Measures the position of a joint."""

    joint: str | None = setting("The measured joint.", absence="an error")
    coordinate: int | None = setting("Index of the joint's coordinate, from 0.", default=0)
    resolution: float | None = setting(
        "Size of one count.", unit="rad or m", absence="that of `counts`; without both, positions are exact"
    )
    counts: int | None = setting("Counts per revolution or per metre.", absence="see `resolution`")
    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Force6D(Element):
    """Measures force and torque between its body and the parent body."""

    force_range: Vector3 | None = setting("Largest force along each axis before it saturates.", unit="N", absence="no limit")
    torque_range: Vector3 | None = setting(
        "Largest torque about each axis before it saturates.", unit="N·m", absence="no limit"
    )
    force_resolution: Vector3 | None = setting("Resolution of forces.", unit="N", absence="exact")
    torque_resolution: Vector3 | None = setting("Resolution of torques.", unit="N·m", absence="exact")
    force_capacity: Vector3 | None = setting("Largest force along each axis before it breaks.", unit="N", absence="unbreakable")
    torque_capacity: Vector3 | None = setting(
        "Largest torque about each axis before it breaks.", unit="N·m", absence="unbreakable"
    )
    polarity: int | None = setting("1, or -1 to reverse the sign of all components.", default=1)
    correction: tuple[float, ...] | None = setting(
        "6 by 6 matrix, row by row, by which force and torque are multiplied.", absence="no correction"
    )
    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imu(Element):
    """Measures orientation, angular velocity and acceleration."""

    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    rotation_covariance: Matrix3 | None = setting(
        "Covariance of the orientation error, a rotation vector in the sensor's frame.", unit="rad²", absence="no noise"
    )
    angular_velocity_covariance: Matrix3 | None = setting(
        "Covariance of the angular velocity error in the sensor's frame.", unit="rad²/s²", absence="no noise"
    )
    linear_acceleration_covariance: Matrix3 | None = setting(
        "Covariance of the acceleration error in the sensor's frame.", unit="m²/s⁴", absence="no noise"
    )
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Odometry(Element):
    """Integrates the motion of a body from its initial pose."""

    target: str | None = setting("The body whose motion is measured.", absence="the body of the sensor")
    measurement_time: float | None = setting("Time between two readings.", unit="s", default=0.01)
    drift_covariance: Covariance6 | None = setting(
        "6 by 6 covariance, row by row, of the pose error that accumulates in one second: translation, then rotation vector.",
        unit="m²/s, m·rad/s, rad²/s",
        absence="no drift",
    )
    origin: Location | None = field(default=None, compare=False, repr=False)


SensorDescription: TypeAlias = (
    PinholeCamera | StereoCamera | Laser2D | Laser3D | FlashLaser | Encoder | Force6D | Imu | Odometry
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredElement(Element):
    """What a measurement refers to.

    Attributes:
        kind: Its kind; ``inertial`` is the frame of a body at its centre of mass, along its principal axes.
        body: The body, or that of the frame or shape, or None for the world.
        frame: Name of the frame.
        shape: Name of the shape.
        joint: The joint.
        coordinate: Index of the joint's coordinate.
        tendon: The tendon.
        actuator: The actuator.
        camera: The camera.
    """

    kind: Literal["body", "inertial", "subtree", "frame", "shape", "joint", "tendon", "actuator", "camera"]
    body: str | None = None
    frame: str | None = None
    shape: str | None = None
    joint: str | None = None
    coordinate: int = 0
    tendon: str | None = None
    actuator: str | None = None
    camera: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement(Element):
    """A quantity of the state that an ideal sensor measures.

    Attributes:
        quantity: The quantity, by the name of its sensor in MJCF: ``framepos``, ``jointvel``, ``accelerometer``.
        element: What is measured, or None for the whole World.
        reference: The element relative to which it is measured, or the second one of a distance, or None.
        cutoff: Largest absolute value, or zero for no limit; of a distance between shapes, its points or its normal:
            the largest distance that is measured [m].
        noise: Standard deviation of the noise.
    """

    quantity: str
    element: MeasuredElement | None = None
    reference: MeasuredElement | None = None
    cutoff: float = 0.0
    noise: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor(HintedElement):
    """A sensor on a body.

    Attributes:
        name: Its name, unique among the model's sensors.
        body: The body to which it is attached, or None if the file states none.
        pose: Its frame in the body's frame.
        type: Its type, as named in its format, or None if the file does not state it.
        description: Its parameters; None for an unknown type.
        interface: The OpenRAVE plugin that implements it, or None.
        hardware_id: The identifier of the device, or None.
        settings: Other content of the file about it, as named in its format.
        measurement: The quantity of the state that it measures, or None.
        hints: What its file states for MuJoCo.
    """

    name: str
    body: str | None
    pose: Pose = IDENTITY
    type: str | None = None
    description: SensorDescription | None = None
    interface: OpenravePlugin | None = None
    hardware_id: str | None = None
    settings: tuple[Extension, ...] = ()
    measurement: Measurement | None = None
    hints: tuple[MujocoSensor, ...] = ()
    origin: Location | None = field(default=None, compare=False, repr=False)
