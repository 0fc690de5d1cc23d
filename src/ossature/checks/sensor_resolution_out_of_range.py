"""A sensor has no pixels, or a million rays or more."""

from __future__ import annotations

from ossature.checks._report_sensor_faults import report_faults
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.sensor_models.validation import FaultKind

RULE = Rule.error(
    "sensor-resolution-out-of-range",
    "MDL055",
    "A sensor has no pixels, or a million rays or more.",
    "An image has at least one pixel and 1, 3 or 4 channels. A laser with a million rays usually has an increment in the wrong "
    "unit: angles are in degrees in COLLADA. The sensor is not simulated. Correct the resolution.",
    aliases=(
        "invalid-sensor-resolution",
        "bad-sensor-count",
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report such sensors."""
    report_faults(world, FaultKind.COUNT, RULE, report)
