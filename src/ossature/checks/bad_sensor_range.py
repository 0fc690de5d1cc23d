"""A sensor measures a range that is empty or negative."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.sensors import report_faults
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World
from ossature.sensing.faults import FaultKind

RULE = Rule(
    name="bad-sensor-range",
    severity=Severity.ERROR,
    summary="A sensor measures a range that is empty or negative.",
    explanation=(
        "Distances are not negative, the largest one is beyond the smallest, angles end where they begin or "
        "later, and loads, their steps and deviations are not negative. Such a sensor is not simulated."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report sensors of that kind."""
    report_faults(world, FaultKind.RANGE, RULE, report)
