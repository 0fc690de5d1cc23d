"""The loops of a model are not analysed, because that needs more operations than the limit."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.diagnostics.resource_limits import raising_hint
from ossature.model import World

RULE = Rule.warning(
    "loops-not-analysed",
    "FILE021",
    "The loops of a model are so large that they are not analysed.",
    "The time of finding the mobility, redundant constraints and locked joints of a mechanism grows with the third power of "
    "the number of bodies that its loops connect. So the number of operations is limited, and above it locked joints, singular "
    "initial configurations and loops that are open at the start are not reported. Raise the limit for files from a trusted "
    "source: `--limit loop_operations=N`, in Python `Limits`.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report models whose loops are above the limit."""
    for model in world.models:
        error = context.loop_size_error(model)
        if error is not None:
            hint = raising_hint("loop_operations", 10 * error.most)
            report.add(RULE, str(error), model.origin, path=model.name, hint=hint)
