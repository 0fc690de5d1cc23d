"""Converts elements of COLLADA sensors to sensor descriptions in SI units."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.openrave.schema_sensors import (
    CameraElements,
    EncoderElements,
    FlashLaserElements,
    Force6DElements,
    ImuElements,
    Laser2DElements,
    Laser3DElements,
    OdometryElements,
    RangeElements,
    SensorElements,
)
from ossature.model import (
    Distortion,
    DistortionModel,
    Encoder,
    FlashLaser,
    Force6D,
    ImageFormat,
    Imu,
    Laser2D,
    Laser3D,
    Odometry,
    PinholeCamera,
    SensorDescription,
)
from ossature.syntax.xml_values import NUMBERS

_TOLERANCE = 1e-9
"""Relative and absolute tolerance of two spellings of one number."""
_LOWEST_RATE = 1e-9
"""Lowest valid frame rate [1/s]."""
_DISTORTIONS = {
    "plumb_bob": DistortionModel.PLUMB_BOB,
    "radtan": DistortionModel.PLUMB_BOB,
    "rational_polynomial": DistortionModel.RATIONAL_POLYNOMIAL,
    "equidistant": DistortionModel.EQUIDISTANT,
    "fisheye": DistortionModel.EQUIDISTANT,
    "kannala_brandt": DistortionModel.EQUIDISTANT,
}
"""Distortion models by the names that files use."""


@dataclass(slots=True)
class SensorUnits:
    """Converts sensor elements to SI units.

    Attributes:
        meter: The length unit of the document [m].
        joint: Returns the name of the joint of a path.
        body: Returns the name of the body of a path.
        unknown_distortion: Set if the distortion model is not supported.
    """

    meter: float
    report: Report
    joint: Callable[[str], str] = str
    body: Callable[[str], str] = str
    unknown_distortion: bool = field(default=False, init=False)

    def describe(self, words: SensorElements) -> SensorDescription:
        """Return the description of a sensor that is not a stereo camera."""
        return _DESCRIBE[type(words)](self, words)

    def camera(self, words: CameraElements) -> PinholeCamera:
        """Return a pinhole camera."""
        width, height, channels = (*(words.image_dimensions or ()), None, None, None)[:3]
        return PinholeCamera(
            width=self._select(words, ("image_dimensions", width), ("width", words.width)),
            height=self._select(words, ("image_dimensions", height), ("height", words.height)),
            channels=self._select(words, ("image_dimensions", channels), ("channels", words.channels)),
            format=None if words.format is None else ImageFormat(words.format),
            measurement_time=self._select(
                words, ("measurement_time", words.measurement_time), ("framerate", _period_of_rate(words.framerate))
            ),
            gain=words.gain,
            intrinsic=self._intrinsic_matrix(words),
            focal_length=self._to_metres(words.focal_length),
            distortion=self._distortion(words),
            origin=words.location(),
        )

    def _intrinsic_matrix(self, words: CameraElements | FlashLaserElements) -> Any:
        fx, fy, cx, cy = words.kk or (None,) * 4
        kk = None if words.kk is None else (fx, 0.0, cx, 0.0, fy, cy)
        specified = self._select(words, ("intrinsic", words.intrinsic), ("kk", kk))
        return None if specified is None else (specified[:3], specified[3:])

    def _distortion(self, words: CameraElements) -> Distortion | None:
        element = words.distortion_model
        if element is None:
            return None
        inline = _parse_numbers(element.value)
        name = element.type or ("" if inline is not None else element.value or "")
        model = _DISTORTIONS.get(name.strip().lower())
        if model is None:
            self.unknown_distortion = True
            self.report.add(
                rules.UNSUPPORTED_DISTORTION_MODEL,
                f"unsupported distortion model '{name}': images are not distorted",
                element.location(),
                hint=f"supported models: {', '.join(DistortionModel)}",
            )
            return None
        specified = self._select(words, ("distortion_model", inline), ("distortion_coeffs", words.distortion_coeffs))
        return Distortion(model=model, coefficients=specified or ())

    def laser(self, words: Laser2DElements) -> Laser2D:
        """Return a 2D laser scanner."""
        return Laser2D(
            **self._angle_fields(words),
            **self._distance_fields(words),
            time_increment=words.time_increment,
        )

    def laser_3d(self, words: Laser3DElements) -> Laser3D:
        """Return a 3D laser scanner."""
        first, last = words.turn_range or (None, None)
        return Laser3D(
            **self._angle_fields(words),
            **self._distance_fields(words),
            time_increment=words.time_increment,
            min_turn=_to_radians(self._select(words, ("turn_range", first), ("min_turn", words.min_turn))),
            max_turn=_to_radians(self._select(words, ("turn_range", last), ("max_turn", words.max_turn))),
            turn_increment=_to_radians(words.turn_increment),
        )

    def flash_laser(self, words: FlashLaserElements) -> FlashLaser:
        """Return a flash lidar (range image)."""
        width, height = (words.image_dimensions or (None, None))[:2]
        return FlashLaser(
            width=self._select(words, ("image_dimensions", width), ("width", words.width)),
            height=self._select(words, ("image_dimensions", height), ("height", words.height)),
            intrinsic=self._intrinsic_matrix(words),
            **self._distance_fields(words),
        )

    def _angle_fields(self, words: Laser2DElements) -> dict[str, Any]:
        first, last = words.angle_range or (None, None)
        lowest = (("angle_range", first), *_spellings(words, "angle_min", "min_angle", "minangle"))
        highest = (("angle_range", last), *_spellings(words, "angle_max", "max_angle", "maxangle"))
        return {
            "min_angle": _to_radians(self._select(words, *lowest)),
            "max_angle": _to_radians(self._select(words, *highest)),
            "angle_increment": _to_radians(self._select(words, *_spellings(words, "angle_increment", "resolution"))),
        }

    def _distance_fields(self, words: RangeElements) -> dict[str, Any]:
        nearest, farthest = words.distance_range or (None, None)
        smallest = (("distance_range", nearest), *_spellings(words, "range_min", "min_range", "minrange"))
        largest = (("distance_range", farthest), *_spellings(words, "range_max", "max_range", "maxrange"))
        return {
            "min_distance": self._to_metres(self._select(words, *smallest)),
            "max_distance": self._to_metres(self._select(words, *largest)),
            "measurement_time": self._select(words, *_spellings(words, "measurement_time", "scantime", "time_scan")),
            "distance_deviation": self._to_metres(words.distance_deviation),
            "origin": words.location(),
        }

    def encoder(self, words: EncoderElements) -> Encoder:
        """Return a joint encoder."""
        return Encoder(
            joint=None if words.target is None else self.joint(words.target),
            coordinate=words.coordinate,
            resolution=words.resolution,
            counts=words.counts,
            measurement_time=words.measurement_time,
            origin=words.location(),
        )

    def force6d(self, words: Force6DElements) -> Force6D:
        """Return a force-torque sensor."""
        force, torque = self.meter, self.meter**2
        return Force6D(
            force_range=_scale_values(words.load_range_force, force),
            torque_range=_scale_values(words.load_range_torque, torque),
            force_resolution=_scale_values(words.load_resolution_force, force),
            torque_resolution=_scale_values(words.load_resolution_torque, torque),
            force_capacity=_scale_values(words.load_capacity_range_force, force),
            torque_capacity=_scale_values(words.load_capacity_range_torque, torque),
            polarity=words.polarity,
            correction=self._correction_matrix(words.correction_matrix),
            measurement_time=words.measurement_time,
            origin=words.location(),
        )

    def _correction_matrix(self, matrix: tuple[float, ...] | None) -> tuple[float, ...] | None:
        """Return a 6×6 correction matrix (row-major) for forces [N] and torques [N·m], converted from the units of the file."""
        if matrix is None or self.meter == 1.0:
            return matrix
        units = (self.meter,) * 3 + (self.meter**2,) * 3
        return tuple([matrix[6 * row + column] * units[row] / units[column] for row in range(6) for column in range(6)])

    def imu(self, words: ImuElements) -> Imu:
        """Return an inertial measurement unit."""
        return Imu(
            measurement_time=words.measurement_time,
            rotation_covariance=_to_matrix3(words.rotation_covariance),
            angular_velocity_covariance=_to_matrix3(words.angular_velocity_covariance),
            linear_acceleration_covariance=_to_matrix3(_scale_values(words.linear_acceleration_covariance, self.meter**2)),
            origin=words.location(),
        )

    def odometry(self, words: OdometryElements) -> Odometry:
        """Return an odometry sensor."""
        units = (self.meter,) * 3 + (1.0,) * 3
        drift = words.drift_covariance
        return Odometry(
            measurement_time=words.measurement_time,
            target=None if words.target is None else self.body(words.target),
            drift_covariance=None
            if drift is None
            else tuple([drift[6 * row + column] * units[row] * units[column] for row in range(6) for column in range(6)]),
            origin=words.location(),
        )

    def _to_metres(self, value: float | None) -> float | None:
        return None if value is None else value * self.meter

    def _select(self, words: SensorElements, *spellings: tuple[str, Any]) -> Any:
        """Return the first of several spellings that is stated; conflicting ones get a finding."""
        specified = [(name, value) for name, value in spellings if value is not None]
        for name, value in specified[1:]:
            if not _is_close(value, specified[0][1]):
                self.report.add(
                    rules.CONFLICTING_VALUES,
                    f"<{specified[0][0]}> and <{name}> have different values",
                    words.location(name),
                    hint=f"<{specified[0][0]}> is used; remove <{name}>",
                )
        return specified[0][1] if specified else None


def _spellings(words: Any, *names: str) -> Sequence[tuple[str, Any]]:
    return [(name, getattr(words, name)) for name in names]


def _is_close(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_close, one, other))
    return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


def _period_of_rate(rate: float | None) -> float | None:
    return 1.0 / rate if rate and abs(rate) > _LOWEST_RATE else None


def _to_radians(degrees: float | None) -> float | None:
    return None if degrees is None else math.radians(degrees)


def _scale_values(values: tuple[float, ...] | None, factor: float) -> Any:
    return None if values is None else tuple([value * factor for value in values])


def _to_matrix3(values: Any) -> Any:
    return None if values is None else (values[:3], values[3:6], values[6:])


def _parse_numbers(text: str | None) -> tuple[float, ...] | None:
    try:
        return NUMBERS.parse(text or "") or None
    except ValueError:
        return None


_DESCRIBE: dict[type[SensorElements], Callable[[SensorUnits, Any], SensorDescription]] = {
    CameraElements: SensorUnits.camera,
    Laser2DElements: SensorUnits.laser,
    Laser3DElements: SensorUnits.laser_3d,
    FlashLaserElements: SensorUnits.flash_laser,
    EncoderElements: SensorUnits.encoder,
    Force6DElements: SensorUnits.force6d,
    ImuElements: SensorUnits.imu,
    OdometryElements: SensorUnits.odometry,
}
