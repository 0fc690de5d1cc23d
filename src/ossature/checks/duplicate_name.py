"""Two elements of one type have the same name."""

from __future__ import annotations

from collections.abc import Iterable

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Related, Report, shared_rules
from ossature.model import Body, Frame, Joint, Model, World
from ossature.model.model import motors_and_force_elements

RULE = shared_rules.DUPLICATE_NAME


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report names that are used more than once."""
    _check_names(world.models, "model", "", report)
    for model in world.models:
        _check_names(model.bodies, "body", f"{model.name}/", report)
        _check_names(model.joints, "joint", f"{model.name}/", report)
        for kind, elements in motors_and_force_elements(model).items():
            _check_names(elements, kind, f"{model.name}/", report)
        for body in model.bodies:
            _check_names(body.frames, "frame", f"{model.name}/{body.name}/", report)


def _check_names(elements: Iterable[Model | Body | Joint | Frame], kind: str, prefix: str, report: Report) -> None:
    first: dict[str, Model | Body | Joint | Frame] = {}
    for element in elements:
        earlier = first.setdefault(element.name, element)
        if earlier is not element:
            related = (Related(location=earlier.origin, message="first definition"),) if earlier.origin else ()
            report.add(
                RULE,
                f"duplicate {kind} name '{element.name}'",
                field_location(element.origin, "name"),
                path=prefix + element.name,
                related=related,
            )
