"""Damping, friction or stiffness is negative."""

from __future__ import annotations

from ossature.checks._coordinates import coordinates, label
from ossature.checks._locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="negative-damping-or-stiffness",
    code="MDL021",
    severity=Severity.ERROR,
    summary="Damping, friction or stiffness is negative.",
    explanation="It would accelerate the motion, and simulations diverge. Correct the sign.",
    aliases=("negative-dynamics",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report coordinates with negative damping, friction or stiffness."""
    for model, joint, index, coordinate in coordinates(world):
        for name in ("damping", "friction", "stiffness"):
            value = getattr(coordinate, name)
            if value < 0.0:
                report.add(
                    RULE,
                    f"the {name} of {label(joint, index)} is {value:g}",
                    field_location(joint.origin, name),
                    path=f"{model.name}/{joint.name}",
                )
