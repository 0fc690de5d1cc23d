"""A joint connects a body to itself."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="self-joint",
    severity=Severity.ERROR,
    summary="A joint connects a body to itself.",
    explanation=("Parent and child are the same body, so the joint can do nothing. One of the two names is wrong."),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report joints whose parent is their child."""
    for model in world.models:
        for joint in model.joints:
            if joint.parent == joint.child:
                report.add(
                    RULE,
                    f"joint '{joint.name}' connects '{joint.child}' to itself",
                    joint.origin,
                    path=f"{model.name}/{joint.name}",
                )
