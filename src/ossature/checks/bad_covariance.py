"""A sensor's covariance is none."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.sensors import report_faults
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World
from ossature.sensing.faults import FaultKind

RULE = Rule(
    name="bad-covariance",
    severity=Severity.ERROR,
    summary="A sensor's covariance is none.",
    explanation=("A covariance is symmetric, and no direction has a negative variance. Such a sensor is not simulated."),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report sensors of that kind."""
    report_faults(world, FaultKind.COVARIANCE, RULE, report)
