"""An element refers to an unknown body."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.model import Model, World

RULE = shared_rules.UNKNOWN_BODY


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report elements that refer to unknown bodies."""
    for model in world.models:
        for kind, field, element in _references(model):
            name = getattr(element, field)
            if name is not None and name not in model.bodies:
                report.add(
                    RULE,
                    f"the {field} of {kind} '{element.name}' is '{name}', which does not exist",
                    element.origin,
                    path=f"{model.name}/{element.name}",
                    hint=report.suggestion(name, model.bodies.names()),
                )


def _references(model: Model) -> Iterator[tuple[str, str, Any]]:
    """Yield each field that refers to a body: the type of its element, the field, and the element."""
    pairs: dict[str, tuple[tuple[str, ...], Iterable[Any]]] = {
        "joint": (("parent", "child"), model.joints),
        "motor": (("body1", "body2"), model.motors),
        "bushing": (("body1", "body2"), model.bushings),
        "constraint": (("body1", "body2"), model.constraints),
        "spring-damper": (("body1", "body2"), model.spring_dampers),
        "rotational spring-damper": (("body1", "body2"), model.rotational_spring_dampers),
        "load": (("body",), model.loads),
        "sensor": (("body",), model.sensors),
        "manipulator": (("base", "tip", "chain_end"), model.manipulators),
    }
    for kind, (fields, elements) in pairs.items():
        for element in elements:
            for field in fields:
                yield kind, field, element
