"""An increment of a sensor is not positive."""

from __future__ import annotations

from ossature.checks._report_sensor_faults import report_faults
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.sensor_models.validation import FaultKind

RULE = Rule.error(
    "invalid-sensor-increment",
    "MDL054",
    "A sensor has an increment that is not positive.",
    "Sample interval, angle between rays and unit of a count are positive; the time between rays can be zero. The polarity of "
    "a force sensor is 1 or -1. The sensor is not simulated. Correct the increment.",
    aliases=("bad-sensor-increment",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such sensors."""
    report_faults(world, FaultKind.INCREMENT, RULE, report)
