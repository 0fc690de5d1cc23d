"""The time step is larger than 0.05 s."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

RULE = Rule.warning(
    "large-time-step",
    "MDL039",
    "The time step is larger than 0.05 s.",
    "Contacts and springs need steps of a few milliseconds. Check whether the value is in milliseconds.",
    aliases=("long-time-step",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report time steps above 0.05 s."""
    if world.time_step > 0.05:
        report.add(
            RULE,
            f"the time step is {world.time_step:g} s",
            field_location(world.origin, "time_step"),
            hint=f"if milliseconds were meant: {world.time_step / 1000.0:g}",
        )
