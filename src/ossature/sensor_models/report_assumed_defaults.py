"""Report of the documented defaults that a sensor uses."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from ossature.diagnostics import Report
from ossature.model import PinholeCamera, Sensor, StereoCamera
from ossature.model.sensor_fields import settings_of, with_defaults
from ossature.sensor_models import rules


def report_assumed_defaults(sensor: Sensor, path: str, report: Report) -> None:
    """Report all defaults that a sensor uses in one finding."""
    used = list(_used_defaults(sensor.description))
    if used:
        origin = getattr(sensor.description, "origin", None) or sensor.origin
        report.add(
            rules.ASSUMED_SENSOR_DEFAULTS, f"sensor '{sensor.name}' uses the defaults {', '.join(used)}", origin, path=path
        )


def _used_defaults(description: Any) -> Iterator[str]:
    if description is None:
        return
    if isinstance(description, StereoCamera) and description.views is not None:
        for number, view in enumerate(description.views):
            yield from (f"{text} (camera {number + 1})" for text in _used_defaults(view.camera))
        if len(description.views) == 2 and description.views[1].pose is None:
            yield "baseline = 0.1 m"
    units = {name: specified.unit for name, specified in settings_of(type(description)).items()}
    for name, value in with_defaults(description)[1].items():
        yield f"{name} = {_format_value(value)}" + (f" {units[name]}" if units[name] else "")
    if isinstance(description, PinholeCamera) and description.intrinsic is None:
        yield "focal length = image width"


def _format_value(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:.6g}" if isinstance(value, float) else "two default cameras" if isinstance(value, tuple) else str(value)
