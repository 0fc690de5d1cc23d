"""A moving body has no positive mass."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.kinematics import fixed_children, is_massless
from ossature.model import World

RULE = Rule.warning(
    "non-positive-mass",
    "MDL022",
    "A moving body has no positive mass.",
    "Its acceleration is not defined, unless it is fixed to, or carries, a body with mass. URDF allows links without inertia; "
    "a simulation gives their joints an armature, and rejects a model none of whose moving bodies has a mass. Add the inertia, "
    "or infer it from the shapes with --infer-inertia. A negative mass is an error.",
    aliases=("bad-mass",),
)

_HINT = "add <inertial> or its counterpart, or use `ossature simulate` or `convert` with --infer-inertia"


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report bodies with joints whose mass is zero or negative; see also ``invalid-inertia-of-fixed-body``.

    Of bodies without mass that carry each other the first one is reported.
    """
    for model in world.models:
        moving = context.moving_bodies(model)
        attached = fixed_children(context.tree(model))
        idle = {body.name for body in model.bodies if is_massless(body) and body.name in moving and body.name not in attached}
        carriers = {branch.body.name: branch.inboard.parent for branch in context.tree(model).branches if branch.inboard}
        for body in model.bodies:
            mass = body.inertial.mass
            path = f"{model.name}/{body.name}"
            if body.name in idle and carriers.get(body.name) not in idle:
                message = f"body '{body.name}' and its descendants have no mass"
                report.add(RULE, message, field_location(body.origin, "mass"), path=path, hint=_HINT)
            elif mass <= 0.0 and context.has_own_joint(model, body) and not is_massless(body):
                rule = RULE if mass == 0.0 else RULE.with_severity(Severity.ERROR)
                report.add(
                    rule, f"body '{body.name}' has a mass of {mass:g} kg", field_location(body.origin, "mass"), path=path
                )
