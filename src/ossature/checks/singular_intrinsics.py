"""A camera's intrinsic matrix cannot be inverted."""

from __future__ import annotations

from ossature.checks._report_sensor_faults import report_faults
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.sensor_models.validation import FaultKind

RULE = Rule.error(
    "singular-intrinsics",
    "MDL056",
    "The intrinsic matrix of a camera is singular.",
    "Focal lengths must not be zero. The matrix is stated by rows: focal length, skew and principal point, then 0, focal "
    "length and principal point [pixel]. The camera is not simulated. State the focal lengths.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such sensors."""
    report_faults(world, FaultKind.INTRINSICS, RULE, report)
