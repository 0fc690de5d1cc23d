"""A sensor goes on by nothing, or backwards."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.sensors import report_faults
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World
from ossature.sensing.faults import FaultKind

RULE = Rule(
    name="bad-sensor-increment",
    severity=Severity.ERROR,
    summary="A sensor goes on by nothing, or backwards.",
    explanation=(
        "The time between readings, the angle between rays and the meaning of a count are positive; only the "
        "time between rays may be zero, for a scan of one instant. The polarity of a force sensor is 1 or -1. "
        "Such a sensor is not simulated."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report sensors of that kind."""
    report_faults(world, FaultKind.INCREMENT, RULE, report)
