"""The inertia of a body does not fit the size of its shapes."""

from __future__ import annotations

import math
from functools import partial

from ossature.checks._field_locations import moment_location
from ossature.checks._inertia_fixes import scale_or_infer_moments
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Safety
from ossature.model import Body, Model, World

RULE = Rule.warning(
    "implausible-inertia",
    "MDL027",
    "The inertia of a body does not fit the size of its shapes.",
    "The radius of gyration, √(moment/mass), is much larger or smaller than the shapes. Usual reasons are moments in other "
    "units, moments about another point, and unit moments as placeholders. Correct the moments.",
    aliases=("inertia-out-of-proportion",),
    fixes=(Safety.UNSAFE,),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report radii of gyration far above or below the size of the body's shapes."""
    for model in world.models:
        moving = context.moving_bodies(model)
        for body in model.bodies:
            if body.name in moving:
                _check_body(model, body, report, context)


_BEYOND = 2.0
_BELOW = 0.03


def _check_body(model: Model, body: Body, report: Report, context: CheckContext) -> None:
    inertia, size = context.principal_inertia(body), context.largest_shape_distance(body)
    if inertia is None or not size or not inertia.moments[0] > 0.0 or not body.inertial.mass > 0.0:
        return
    largest = math.sqrt(inertia.moments[2] / body.inertial.mass)
    if largest > _BEYOND * size or largest < _BELOW * size:
        report.add(
            RULE,
            f"body '{body.name}' has a radius of gyration of {largest:.3g} m, but its shapes extend {size:.3g} m",
            moment_location(body.origin, smallest=False),
            path=f"{model.name}/{body.name}",
            hint="check the units of mass, moments and shapes",
            fix=partial(scale_or_infer_moments, body, largest, size, context),
        )
