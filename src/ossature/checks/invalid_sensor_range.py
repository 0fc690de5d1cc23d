"""The range of a sensor is empty or negative."""

from __future__ import annotations

from ossature.checks._report_sensor_faults import report_faults
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.sensor_models.validation import FaultKind

RULE = Rule.error(
    "invalid-sensor-range",
    "MDL053",
    "The range of a sensor is empty or negative.",
    "Distances are not negative, maxima are greater than minima, and loads, resolutions and standard deviations are not "
    "negative. The sensor is not simulated. Correct the range.",
    aliases=("bad-sensor-range",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such sensors."""
    report_faults(world, FaultKind.RANGE, RULE, report)
