"""An infinite plane is attached to a moving body."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Plane, World

RULE = Rule.warning(
    "plane-on-moving-body",
    "MDL035",
    "An infinite plane is attached to a moving body.",
    "Engines support planes on fixed bodies only. Use a thin box.",
    aliases=("moving-plane",),
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
                        f"moving body '{body.name}' has an infinite plane",
                        shape.origin,
                        path=f"{model.name}/{body.name}",
                        hint="use a thin box",
                    )
