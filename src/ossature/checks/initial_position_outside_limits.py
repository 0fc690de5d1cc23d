"""The initial position of a joint is outside its limits."""

from __future__ import annotations

from dataclasses import replace

from ossature.checks._field_locations import field_location
from ossature.checks._joint_coordinates import coordinates, label
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.kinematics.initial_limit_violations import clamp_initial_positions, find_initial_limit_violations
from ossature.kinematics.rules import INITIAL_VALUE_OUTSIDE_LIMITS as RULE
from ossature.model import NamedList, World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report initial positions, velocities, accelerations and efforts outside their limits."""
    for model in world.models:
        # The initial position of a coupled joint follows from others, which may be at their limits.
        own = [start for start in find_initial_limit_violations(model) if start.coordinate.coupling is None]
        followers = find_initial_limit_violations(context.at_start(clamp_initial_positions(model)))
        for start in (*own, *(start for start in followers if start.coordinate.coupling is not None)):
            report.add(
                RULE,
                start.message,
                field_location(start.joint.origin, "initial_position", start.violated_bound),
                path=f"{model.name}/{start.joint.name}",
            )
    started = replace(world, models=NamedList([context.at_start(model) for model in world.models]))
    for model, joint, index, coordinate in coordinates(started):
        for name in ("velocity", "acceleration", "effort"):
            limits, value = getattr(coordinate, f"{name}_limits"), getattr(coordinate, f"initial_{name}")
            if limits.lower <= limits.upper and not limits.lower - 1e-9 <= value <= limits.upper + 1e-9:
                report.add(
                    RULE,
                    f"the initial {name} of {label(joint, index)} is {value:g}, outside {limits.lower:g} to {limits.upper:g}",
                    joint.origin,
                    path=f"{model.name}/{joint.name}",
                )
