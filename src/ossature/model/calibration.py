"""Calibrations: how one robot differs from the drawing of its kind."""

from __future__ import annotations

from dataclasses import dataclass, field

from ossature.diagnostics import Location
from ossature.model.electric_motor import Controller
from ossature.model.sensor import Distortion, IntrinsicMatrix
from ossature.spatial import Pose


@dataclass(frozen=True, slots=True, kw_only=True)
class JointOffset:
    """Offset of a joint's zero position: at a coordinate q the joint is in the nominal model's pose at q + offset.

    Attributes:
        joint: Name of the joint, which has one coordinate.
        offset: The offset [rad or m].
    """

    model: str
    joint: str
    offset: float
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPoseOffset:
    """Calibrated pose of a link relative to its parent.

    Attributes:
        pose: Its frame in that of its parent body, with the joint at zero.
    """

    model: str
    body: str
    pose: Pose
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SensorPoseOffset:
    """Calibrated pose and parameters of a sensor.

    Attributes:
        pose: Its frame in that of its body, or None for the nominal pose.
        intrinsic: Of a camera: focal lengths, skew and principal point, or None for the nominal values.
        focal_length: Of a camera: that of its lens [m], or None.
        distortion: Of a camera: lens distortion, or None.
    """

    model: str
    sensor: str
    pose: Pose | None = None
    intrinsic: IntrinsicMatrix | None = None
    focal_length: float | None = None
    distortion: Distortion | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """The gains of a motor's drive."""

    model: str
    actuator: str
    controller: Controller
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterValue:
    """The value of an attribute, such as a fit finds.

    Attributes:
        path: The attribute, ``MODEL/ELEMENT.ATTRIBUTE``.
        standard_error: Standard error of the value, or None if unknown.
    """

    path: str
    value: float
    standard_error: float | None = None
    origin: Location | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The differences between one robot and its nominal model.

    Attributes:
        links: Poses of links; applied first.
        sensors: Poses and parameters of sensors.
        actuators: Gains of drives.
        parameters: Values of attributes; applied last.
    """

    links: tuple[LinkPoseOffset, ...] = ()
    joints: tuple[JointOffset, ...] = ()
    sensors: tuple[SensorPoseOffset, ...] = ()
    actuators: tuple[Gains, ...] = ()
    parameters: tuple[ParameterValue, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.links or self.joints or self.sensors or self.actuators or self.parameters)
