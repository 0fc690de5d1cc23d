"""A sensor covariance matrix is not symmetric positive semi-definite."""

from __future__ import annotations

from ossature.checks._report_sensor_faults import report_faults
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.sensor_models.validation import FaultKind

RULE = Rule.error(
    "invalid-covariance",
    "MDL057",
    "A sensor covariance matrix is not symmetric positive semi-definite.",
    "No noise has such a covariance, and the sensor is not simulated. Correct the matrix.",
    aliases=("bad-covariance",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such sensors."""
    report_faults(world, FaultKind.COVARIANCE, RULE, report)
