"""A lower limit is above the upper one."""

from __future__ import annotations

from ossature.checks._coordinates import coordinates, label
from ossature.checks._locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.model import Actuation, World

RULE = shared_rules.REVERSED_LIMITS
_FIELDS = {"position": ("lower",), "velocity": ("velocity",), "acceleration": (), "effort": ("effort",)}
"""The field of the file with the limits of each quantity."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report limits of position, velocity, acceleration and effort whose lower end is above the upper one."""
    for model, joint, index, coordinate in coordinates(world):
        if joint.actuation is Actuation.LOCKED:
            continue
        for name in ("position", "velocity", "acceleration", "effort"):
            limits = getattr(coordinate, f"{name}_limits")
            if limits.lower > limits.upper:
                report.add(
                    RULE,
                    f"the {name} limits of {label(joint, index)} are reversed: {limits.lower:g} to {limits.upper:g}",
                    field_location(joint.origin, *_FIELDS[name]),
                    path=f"{model.name}/{joint.name}",
                )
