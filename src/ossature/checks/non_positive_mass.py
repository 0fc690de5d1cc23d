"""A moving body has no positive mass."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.kinematics import fixed_children, is_massless
from ossature.model import World

RULE = Rule(
    name="non-positive-mass",
    code="MDL022",
    severity=Severity.ERROR,
    summary="A moving body has no positive mass.",
    explanation=(
        "Its acceleration is not defined. A body can be without mass and inertia only if it is fixed to, or carries, a body "
        "that has them. State a mass."
    ),
    aliases=("bad-mass",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report bodies with joints whose mass is zero or negative; see also ``ignored-inertia``.

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
                report.add(RULE, f"body '{body.name}' and its descendants have no mass", body.origin, path=path)
            elif mass <= 0.0 and context.has_own_joint(model, body) and not is_massless(body):
                report.add(RULE, f"body '{body.name}' has a mass of {mass:g} kg", body.origin, path=path)
