"""A joint names a body that its model does not have."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.diagnostics.names import suggestion
from ossature.model import World

RULE = Rule(
    name="unknown-body",
    severity=Severity.ERROR,
    summary="A joint names a body that its model does not have.",
    explanation=("The joint connects nothing. Names are compared letter by letter."),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report joints whose parent or child does not exist."""
    for model in world.models:
        for joint in model.joints:
            for role, name in (("parent", joint.parent), ("child", joint.child)):
                if name is not None and name not in model.bodies:
                    report.add(
                        RULE,
                        f"the {role} of joint '{joint.name}' is '{name}', which does not exist",
                        joint.origin,
                        path=f"{model.name}/{joint.name}",
                        hint=suggestion(name, model.bodies.names()),
                    )
