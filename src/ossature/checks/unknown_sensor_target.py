"""A sensor measures a joint or body that does not exist."""

from __future__ import annotations

from ossature.checks._report_sensor_faults import report_faults
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.sensor_models.validation import FaultKind

RULE = Rule.error(
    "unknown-sensor-target",
    "MDL058",
    "A sensor measures a joint or body that does not exist.",
    "An encoder measures a joint coordinate, and odometry a body, both of the model of the sensor. The sensor is not "
    "simulated. Correct the name.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such sensors."""
    report_faults(world, FaultKind.REFERENCE, RULE, report)
