"""The time step is not positive."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

RULE = Rule.error(
    "non-positive-time-step",
    "MDL038",
    "The time step is not positive.",
    "The simulation cannot advance. 0.001 s is usual.",
    aliases=("bad-time-step",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report time steps of zero or less."""
    if not world.time_step > 0.0:
        report.add(RULE, f"the time step is {world.time_step:g} s", world.origin, hint="for example 0.001")
