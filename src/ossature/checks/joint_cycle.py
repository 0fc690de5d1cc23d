"""Bodies hang on one another in a circle that never reaches the world."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="joint-cycle",
    severity=Severity.ERROR,
    summary="Bodies hang on one another in a circle that never reaches the world.",
    explanation=(
        "Each body of the circle is the child of another one, so that none of them is the root. Turn the "
        "parent and child of one joint round, or give the circle a joint to the world."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report circles of joints without a root."""
    for model in world.models:
        # A joint of a body with itself is a finding of its own.
        self_joined = {joint.child for joint in model.joints if joint.parent == joint.child}
        for body in context.tree(model).cut_bodies:
            if body.name in self_joined:
                continue
            report.add(
                RULE,
                f"body '{body.name}' hangs on itself by way of its parents",
                body.origin,
                path=f"{model.name}/{body.name}",
            )
