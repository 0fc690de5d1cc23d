"""A principal moment of inertia of a body with a joint is zero."""

from __future__ import annotations

from ossature.checks._bodies_with_principal_inertia import principal_inertias
from ossature.checks._field_locations import moment_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.kinematics.rules import ZERO_PRINCIPAL_MOMENT as RULE
from ossature.model import World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report principal moments that are zero up to rounding, if the body has a joint."""
    for model, body, inertia in principal_inertias(world, context):
        if inertia.is_degenerate and context.has_own_joint(model, body):
            report.add(
                RULE,
                f"body '{body.name}' has the principal moments {inertia.text}",
                moment_location(body.origin, smallest=True),
                path=f"{model.name}/{body.name}",
                hint="check the moments, or omit them to have them computed",
            )
