"""Telling which documented defaults a sensor takes."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

from ossature.diagnostics import Report
from ossature.model import PinholeCamera, Sensor, StereoCamera
from ossature.model.sensor_fields import settings_of, with_defaults
from ossature.sensor_models import rules


def report_defaults(sensor: Sensor, path: str, report: Report) -> None:
    """Report the defaults that a sensor takes, all of them in one finding."""
    taken = list(_taken(sensor.description))
    if taken:
        origin = getattr(sensor.description, "origin", None) or sensor.origin
        report.add(rules.DEFAULT_SETTINGS, f"sensor '{sensor.name}' takes {', '.join(taken)}", origin, path=path)


def _taken(description: Any) -> Iterator[str]:
    """Yield what is taken, in words."""
    if description is None:
        return
    if isinstance(description, StereoCamera) and description.views is not None:
        for number, view in enumerate(description.views):
            yield from (f"{text} (camera {number + 1})" for text in _taken(view.camera))
        if len(description.views) == 2 and description.views[1].pose is None:
            yield "a baseline of 0.1 m"
    units = {name: stated.unit for name, stated in settings_of(type(description)).items()}
    for name, value in with_defaults(description)[1].items():
        yield f"{name} = {_shown(value)}" + (f" {units[name]}" if units[name] else "")
    if isinstance(description, PinholeCamera) and description.intrinsic is None:
        yield "a focal length of one image width"


def _shown(value: Any) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:.6g}" if isinstance(value, float) else "two default cameras" if isinstance(value, tuple) else str(value)
