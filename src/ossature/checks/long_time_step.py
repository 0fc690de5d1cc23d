"""The time step is longer than a twentieth of a second."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="long-time-step",
    severity=Severity.WARNING,
    summary="The time step is longer than a twentieth of a second.",
    explanation=(
        "Contacts and springs need steps of a few milliseconds at most. Perhaps the number was meant in milliseconds."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report time steps above 0.05 s."""
    if world.time_step > 0.05:
        report.add(
            RULE,
            f"the time step is {world.time_step:g} s",
            world.origin,
            hint=f"if milliseconds were meant: {world.time_step / 1000.0:g}",
        )
