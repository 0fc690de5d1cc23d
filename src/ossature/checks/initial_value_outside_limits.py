"""A joint starts outside its own limits."""

from __future__ import annotations

from dataclasses import replace

from ossature.checks.context import CheckContext
from ossature.checks.coordinates import coordinates, label
from ossature.diagnostics import Report
from ossature.kinematics.rules import INITIAL_VALUE_OUTSIDE_LIMITS as RULE
from ossature.kinematics.starts import outside_starts, with_starts_at_limits
from ossature.model import Named, World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report initial positions, velocities, accelerations and efforts outside their limits."""
    for model in world.models:
        # A joint that follows others starts where these do, which may be at their limits.
        own = [start for start in outside_starts(model) if start.coordinate.formula is None]
        followers = outside_starts(context.at_start(with_starts_at_limits(model)))
        for start in (*own, *(start for start in followers if start.coordinate.formula is not None)):
            report.add(RULE, start.message, start.joint.origin, path=f"{model.name}/{start.joint.name}")
    started = replace(world, models=Named([context.at_start(model) for model in world.models]))
    for model, joint, index, coordinate in coordinates(started):
        for name in ("velocity", "acceleration", "effort"):
            limits, value = getattr(coordinate, name), getattr(coordinate, f"initial_{name}")
            if limits.lower <= limits.upper and not limits.lower - 1e-9 <= value <= limits.upper + 1e-9:
                report.add(
                    RULE,
                    f"{label(joint, index)} starts at the {name} {value:g}, outside {limits.lower:g} to {limits.upper:g}",
                    joint.origin,
                    path=f"{model.name}/{joint.name}",
                )
