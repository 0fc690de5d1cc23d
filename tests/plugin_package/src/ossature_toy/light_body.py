"""The mass of a body is below a gram."""

from ossature.checks import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

RULE = Rule.warning(
    "light-body",
    "TOY002",
    "The mass of a body is below a gram.",
    "Nothing in a toy shop is lighter. Check whether the mass is in kilograms.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    for model in world.models:
        for body in model.bodies:
            if body.inertial.mass < 1e-3:
                report.add(RULE, f"the mass is {body.inertial.mass:g} kg", body.origin, path=f"{model.name}/{body.name}")
