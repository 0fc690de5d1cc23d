"""A camera's intrinsic matrix cannot be inverted."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.sensors import report_faults
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World
from ossature.sensing.faults import FaultKind

RULE = Rule(
    name="singular-intrinsics",
    severity=Severity.ERROR,
    summary="A camera's intrinsic matrix cannot be inverted.",
    explanation=(
        "Its focal lengths must not be zero: every point would be seen in one line. It stands row by row: "
        "focal length, skew and principal point, then 0, focal length and principal point [pixel]. Such a "
        "camera is not simulated."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report sensors of that kind."""
    report_faults(world, FaultKind.INTRINSICS, RULE, report)
