"""A body that moves has a mass that is not positive."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="bad-mass",
    severity=Severity.ERROR,
    summary="A body that moves has a mass that is not positive.",
    explanation=(
        "Forces on it have no sensible effect. A body that only carries frames can be joined to its neighbour "
        "by a fixed joint and given a small mass."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report moving bodies whose mass is zero or negative, and still ones whose mass is negative."""
    for model in world.models:
        moving = context.moving_bodies(model)
        for body in model.bodies:
            mass = body.inertial.mass
            if mass < 0.0 or (mass == 0.0 and body.name in moving):
                report.add(RULE, f"body '{body.name}' has a mass of {mass:g} kg", body.origin, path=f"{model.name}/{body.name}")
