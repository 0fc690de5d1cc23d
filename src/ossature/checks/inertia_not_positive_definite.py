"""A principal moment of inertia is negative."""

from __future__ import annotations

from functools import partial

from ossature.checks._bodies_with_principal_inertia import principal_inertias
from ossature.checks._field_locations import moment_location
from ossature.checks._inertia_fixes import infer_moments
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.kinematics.rules import INERTIA_NOT_POSITIVE_DEFINITE as RULE
from ossature.model import World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report negative principal moments of bodies with joints; see also ``invalid-inertia-of-fixed-body``."""
    for model, body, inertia in principal_inertias(world, context):
        if inertia.is_negative and context.has_own_joint(model, body):
            report.add(
                RULE,
                f"body '{body.name}' has a principal moment of inertia of {inertia.moments[0]:g} kg·m²",
                moment_location(body.origin, smallest=True),
                path=f"{model.name}/{body.name}",
                hint="check the products of inertia, or omit the moments to have them computed",
                fix=partial(infer_moments, body, context),
            )
