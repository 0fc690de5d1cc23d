"""A sensor has no pixels, or casts a million rays."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.sensors import report_faults
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World
from ossature.sensing.faults import FaultKind

RULE = Rule(
    name="bad-sensor-count",
    severity=Severity.ERROR,
    summary="A sensor has no pixels, or casts a million rays.",
    explanation=(
        "An image has one pixel at least, and 1, 3 or 4 channels. A range finder of a million rays or more is "
        "nearly always an increment in the wrong unit: angles are in degrees in COLLADA. Such a sensor is not "
        "simulated."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report sensors of that kind."""
    report_faults(world, FaultKind.COUNT, RULE, report)
