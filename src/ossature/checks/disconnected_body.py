"""No joint mentions a body, though its model has joints."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

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
        mentioned = {name for joint in model.joints for name in (joint.parent, joint.child)}
        for body in model.bodies:
            if mentioned and body.name not in mentioned:
                report.add(RULE, f"no joint mentions body '{body.name}'", body.origin, path=f"{model.name}/{body.name}")
