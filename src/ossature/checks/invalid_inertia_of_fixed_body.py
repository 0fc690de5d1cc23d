"""A body that is fixed to another one has an invalid inertia."""

from __future__ import annotations

from ossature.checks._field_locations import field_location, moment_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report
from ossature.kinematics.rules import INVALID_INERTIA_OF_FIXED_BODY as RULE
from ossature.model import Body, Model, World

__all__ = ["RULE", "check"]


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report negative masses and principal moments of bodies without joints that move."""
    for model in world.models:
        for body in model.bodies:
            if not context.has_own_joint(model, body):
                _check_fixed(model, body, context, report)


def _check_fixed(model: Model, body: Body, context: CheckContext, report: Report) -> None:
    inertia = context.principal_inertia(body)
    problem, location = None, body.origin
    if body.inertial.mass < 0.0:
        location = field_location(body.origin, "mass")
        problem = f"a mass of {body.inertial.mass:g} kg"
    elif inertia is not None and inertia.is_negative:
        location = moment_location(body.origin, smallest=True)
        problem = f"a principal moment of inertia of {inertia.moments[0]:g} kg·m²"
    if problem is not None:
        message = f"body '{body.name}', which is fixed, has {problem}"
        hint = "check mass, moments and products of inertia, or omit the moments to have them computed"
        report.add(RULE, message, location, path=f"{model.name}/{body.name}", hint=hint)
