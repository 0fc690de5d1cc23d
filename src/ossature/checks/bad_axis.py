"""An axis is no unit vector."""

from __future__ import annotations

from ossature.checks.axes import axes_of
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World
from ossature.spatial import norm

RULE = Rule(
    name="bad-axis",
    severity=Severity.ERROR,
    summary="An axis is no unit vector.",
    explanation=(
        "Axes of the model are unit vectors; readers see to that. One that was set by hand and is not would scale the motion."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report axes whose length is not one."""
    for model in world.models:
        for joint in model.joints:
            for axis in axes_of(joint.type):
                if not abs(norm(axis) - 1.0) <= 1e-9:
                    report.add(
                        RULE,
                        f"an axis of joint '{joint.name}' has length {norm(axis):g}",
                        joint.origin,
                        path=f"{model.name}/{joint.name}",
                        hint="normalise it",
                    )
