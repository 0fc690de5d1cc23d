"""The largest principal moment of inertia exceeds the sum of the others."""

from __future__ import annotations

from functools import partial

from ossature.checks._bodies_with_principal_inertia import principal_inertias
from ossature.checks._field_locations import moment_location
from ossature.checks._inertia_fixes import infer_moments
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.kinematics.rules import INERTIA_VIOLATES_TRIANGLE_INEQUALITY as RULE
from ossature.model import World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report inertia tensors that violate the triangle inequality."""
    for model, body, inertia in principal_inertias(world, context):
        if inertia.violates_triangle and not inertia.is_negative:
            report.add(
                RULE,
                f"body '{body.name}' has the principal moments {inertia.text}",
                moment_location(body.origin, smallest=False),
                path=f"{model.name}/{body.name}",
                hint="the largest must not exceed the sum of the others",
                fix=partial(infer_moments, body, context),
            )
