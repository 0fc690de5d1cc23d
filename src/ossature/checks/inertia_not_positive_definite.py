"""A principal moment of inertia is zero or negative."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.inertia import principal_moments
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="inertia-not-positive-definite",
    severity=Severity.ERROR,
    summary="A principal moment of inertia is zero or negative.",
    explanation=(
        "No body resists a turn like that. Most often a product of inertia is too large for the moments, has "
        "the wrong sign convention, or a moment was left out."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report inertia tensors with a principal moment that is not positive."""
    for model, body, moments in principal_moments(world):
        if moments[0] <= 0.0:
            report.add(
                RULE,
                f"body '{body.name}' has a principal moment of inertia of {moments[0]:g} kg·m²",
                body.origin,
                path=f"{model.name}/{body.name}",
                hint="check the products of inertia, or leave the moments out to have them computed",
            )
