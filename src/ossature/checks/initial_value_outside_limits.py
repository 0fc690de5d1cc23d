"""A joint starts outside its own limits."""

from __future__ import annotations

from dataclasses import replace

from ossature.checks.context import CheckContext
from ossature.checks.coordinates import coordinates, label
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Named, World

RULE = Rule(
    name="initial-value-outside-limits",
    severity=Severity.WARNING,
    summary="A joint starts outside its own limits.",
    explanation=(
        "In a simulation the limit pushes it back at once, often with enormous force; other programs clamp "
        "the value, or refuse it. Programs that do not enforce limits start where the file says."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report initial positions, velocities, accelerations and efforts outside their limits."""
    started = replace(world, models=Named([context.at_start(model) for model in world.models]))
    for model, joint, index, coordinate in coordinates(started):
        for name in ("position", "velocity", "acceleration", "effort"):
            limits, value = getattr(coordinate, name), getattr(coordinate, f"initial_{name}")
            if limits.lower <= limits.upper and not limits.lower - 1e-9 <= value <= limits.upper + 1e-9:
                report.add(
                    RULE,
                    f"{label(joint, index)} starts at the {name} {value:g}, outside {limits.lower:g} to {limits.upper:g}",
                    joint.origin,
                    path=f"{model.name}/{joint.name}",
                )
