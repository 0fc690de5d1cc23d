"""Converts elements of COLLADA sensors to sensor descriptions in SI units."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ossature.diagnostics import Report
from ossature.formats.collada import rules
from ossature.formats.collada.openrave import schema_sensors
from ossature.formats.collada.openrave.sensor_fields import FIELDS, RANGE_FIELDS, SensorField
from ossature.model import Distortion, DistortionModel, FlashLaser, ImageFormat, PinholeCamera, SensorDescription
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

    def describe(self, words: schema_sensors.SensorElements) -> SensorDescription:
        """Return the description of a sensor that is not a stereo camera."""
        if isinstance(words, schema_sensors.CameraElements):
            return self.camera(words)
        if isinstance(words, schema_sensors.FlashLaserElements):
            return self.flash_laser(words)
        kind, fields = FIELDS[type(words)]
        names: dict[str, Any] = {}
        if isinstance(words, schema_sensors.EncoderElements) and words.target is not None:
            names = {"joint": self.joint(words.target)}
        if isinstance(words, schema_sensors.OdometryElements) and words.target is not None:
            names = {"target": self.body(words.target)}
        return kind(**self._values(words, fields), **names, origin=words.location())

    def camera(self, words: schema_sensors.CameraElements) -> PinholeCamera:
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
            focal_length=None if words.focal_length is None else words.focal_length * self.meter,
            distortion=self._distortion(words),
            origin=words.location(),
        )

    def _intrinsic_matrix(self, words: schema_sensors.CameraElements | schema_sensors.FlashLaserElements) -> Any:
        fx, fy, cx, cy = words.kk or (None,) * 4
        kk = None if words.kk is None else (fx, 0.0, cx, 0.0, fy, cy)
        specified = self._select(words, ("intrinsic", words.intrinsic), ("kk", kk))
        return None if specified is None else (specified[:3], specified[3:])

    def _distortion(self, words: schema_sensors.CameraElements) -> Distortion | None:
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

    def flash_laser(self, words: schema_sensors.FlashLaserElements) -> FlashLaser:
        """Return a flash lidar (range image)."""
        width, height = (words.image_dimensions or (None, None))[:2]
        return FlashLaser(
            width=self._select(words, ("image_dimensions", width), ("width", words.width)),
            height=self._select(words, ("image_dimensions", height), ("height", words.height)),
            intrinsic=self._intrinsic_matrix(words),
            **self._values(words, RANGE_FIELDS),
            origin=words.location(),
        )

    def _values(self, words: schema_sensors.SensorElements, fields: Iterable[SensorField]) -> dict[str, Any]:
        values = {each: self._select(words, *each.spellings(words)) for each in fields}
        return {
            each.name: None if value is None else each.quantity.to_model(value, self.meter) for each, value in values.items()
        }

    def _select(self, words: schema_sensors.SensorElements, *spellings: tuple[str, Any]) -> Any:
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


def _is_close(one: Any, other: Any) -> bool:
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_close, one, other))
    return math.isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


def _period_of_rate(rate: float | None) -> float | None:
    return 1.0 / rate if rate and abs(rate) > _LOWEST_RATE else None


def _parse_numbers(text: str | None) -> tuple[float, ...] | None:
    try:
        return NUMBERS.parse(text or "") or None
    except ValueError:
        return None
