"""A required parameter of a sensor is not specified."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.model import World
from ossature.sensor_models.report_assumed_defaults import report_assumed_defaults
from ossature.sensor_models.rules import ASSUMED_SENSOR_DEFAULTS

RULE = ASSUMED_SENSOR_DEFAULTS


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report the documented defaults that sensors use."""
    for model in world.models:
        for sensor in model.sensors:
            report_assumed_defaults(sensor, f"{model.name}/{sensor.name}", report)
