"""An element has an empty name."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Body, Frame, Joint, Model, World
from ossature.model.value_text import kind_text

RULE = Rule.error(
    "missing-name",
    "MDL002",
    "An element has an empty name.",
    "No joint, command or state can refer to it. State a unique name.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report models, bodies, joints and frames whose name is empty."""
    for model in world.models:
        elements: tuple[Model | Body | Joint | Frame, ...] = (
            model,
            *model.bodies,
            *model.joints,
            *(frame for body in model.bodies for frame in body.frames),
        )
        for element in elements:
            if not element.name.strip():
                kind = kind_text(type(element))
                report.add(RULE, f"a {kind} of '{model.name}' has no name", element.origin, path=model.name)
