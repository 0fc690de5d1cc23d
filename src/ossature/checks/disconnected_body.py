"""No joint mentions a body, though its model has joints."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Model, World

RULE = Rule(
    name="disconnected-body",
    severity=Severity.WARNING,
    summary="No joint mentions a body, though its model has joints.",
    explanation=("It is not connected to anything and moves by itself. A joint for it is missing, or names another body."),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report bodies that no joint mentions."""
    for model in world.models:
        if model.static:
            continue
        mentioned = {name for joint in model.joints for name in (joint.parent, joint.child)} | _held(model)
        for body in model.bodies:
            if mentioned and body.name not in mentioned:
                report.add(RULE, f"no joint mentions body '{body.name}'", body.origin, path=f"{model.name}/{body.name}")


def _held(model: Model) -> set[str | None]:
    """Return the bodies that something else than a joint connects."""
    pairs = (*model.motors, *model.bushings, *model.constraints, *model.spring_dampers, *model.rotational_spring_dampers)
    return {name for element in pairs for name in (element.body1, element.body2)} | {load.body for load in model.loads}
