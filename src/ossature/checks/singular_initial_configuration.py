"""A mechanism starts at a singular configuration."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.diagnostics.counted_nouns import counted
from ossature.model import World

RULE = Rule.warning(
    "singular-initial-configuration",
    "MDL043",
    "A mechanism with loops starts at a singular configuration, such as a dead centre or a change point.",
    "The constraint Jacobian has a smaller rank than nearby: the instantaneous mobility is greater than the real one. The "
    "mechanism can continue in several ways, and rounding decides which one a simulation takes. Start at a slightly different "
    "configuration.",
    aliases=("singular-start",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report models with a singular initial configuration."""
    for model in world.models:
        mobility = context.mobility(model)
        if mobility is None or not mobility.is_singular_at_start or not mobility.degrees_of_freedom:
            continue
        at_start = counted(mobility.degrees_of_freedom_at_start, "degree of freedom")
        message = f"model '{model.name}' has {at_start} to first order at the start, and {mobility.degrees_of_freedom} near it"
        report.add(RULE, message, model.origin, path=model.name, hint="start at a slightly different configuration")
