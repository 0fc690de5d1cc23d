"""An endless plane is fixed to a body that moves."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Plane, World

RULE = Rule(
    name="moving-plane",
    severity=Severity.WARNING,
    summary="An endless plane is fixed to a body that moves.",
    explanation=("It sweeps half of the world away. Engines accept planes on bodies at rest only; use a thin box instead."),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report planes as collision shapes of moving bodies."""
    for model in world.models:
        moving = context.moving_bodies(model)
        for body in model.bodies:
            for shape in (*body.collisions, *(body.self_collisions or ())):
                if body.name in moving and isinstance(shape.geometry, Plane):
                    report.add(
                        RULE,
                        f"body '{body.name}' moves and has a plane",
                        shape.origin,
                        path=f"{model.name}/{body.name}",
                        hint="use a box",
                    )
