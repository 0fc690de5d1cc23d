"""A component of a colour is outside 0 to 1."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

RULE = Rule.warning(
    "color-out-of-range",
    "MDL030",
    "A component of a color is outside 0 to 1.",
    "Colors are red, green, blue and opacity from 0 to 1. Divide values from 0 to 255 by 255.",
    aliases=("bad-color",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report colours out of range."""
    for model in world.models:
        for body in model.bodies:
            for visual in body.visuals:
                if visual.color is not None and not all(0.0 <= part <= 1.0 for part in visual.color):
                    shown = " ".join(f"{part:g}" for part in visual.color)
                    report.add(
                        RULE,
                        f"the colour {shown} of body '{body.name}' is outside 0 to 1",
                        field_location(visual.origin, "color"),
                        path=f"{model.name}/{body.name}",
                        hint="divide by 255" if max(visual.color) > 1.0 else None,
                    )
