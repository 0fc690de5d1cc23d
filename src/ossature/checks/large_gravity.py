"""Gravity is more than three times that of the Earth."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World
from ossature.spatial import norm

RULE = Rule.warning(
    "large-gravity",
    "MDL040",
    "Gravity is more than three times that of the Earth.",
    "Gravity is in m/s². A value such as 981 is in cm/s². Correct the unit.",
    aliases=(
        "implausible-gravity",
        "odd-gravity",
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report gravity beyond 30 m/s²."""
    strength = norm(world.gravity)
    if strength > 30.0:
        report.add(RULE, f"gravity is {strength:g} m/s²", field_location(world.origin, "gravity"), hint="9.81 on Earth")
