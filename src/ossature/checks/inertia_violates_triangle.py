"""The largest principal moment of inertia exceeds the sum of the others."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.inertia import principal_moments
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="inertia-violates-triangle",
    severity=Severity.ERROR,
    summary="The largest principal moment of inertia exceeds the sum of the others.",
    explanation=(
        "No distribution of mass has such moments; for a flat plate they are just equal. Engines refuse it or "
        "move the body in a way that nothing real moves. Check units and the order of the entries."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report inertia tensors that violate the triangle inequality."""
    for model, body, moments in principal_moments(world):
        if moments[0] > 0.0 and moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-6):
            report.add(
                RULE,
                f"body '{body.name}' has the principal moments {moments[0]:g}, {moments[1]:g} and {moments[2]:g} kg·m²",
                body.origin,
                path=f"{model.name}/{body.name}",
                hint="the largest may be the sum of the others at most",
            )
