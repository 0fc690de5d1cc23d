"""Coupled joints depend on each other in a cycle."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.kinematics import (
    FormulaCycleError,
    all_coupled_coordinates,
    has_coupled_coordinates,
    is_coordinate,
    sorted_coupled_coordinates,
)
from ossature.model import Model, World

RULE = Rule.error(
    "formula-cycle",
    "MDL047",
    "Coupled joints depend on each other in a cycle.",
    "The position of none of them can be computed. Remove the formula of one joint.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report each cycle of coupled joints."""
    for model in world.models:
        if has_coupled_coordinates(model):
            _check_model(model, report)


def _check_model(model: Model, report: Report) -> None:
    # A coupling to an unknown joint is another finding, and closes no cycle.
    broken = [
        found.joint.name for found in all_coupled_coordinates(model) if not all(is_coordinate(s, model) for s in found.sources)
    ]
    while True:
        try:
            sorted_coupled_coordinates(model, broken)
        except FormulaCycleError as error:
            name = error.position.joint
            report.add(RULE, str(error), error.origin, path=f"{model.name}/{name}")
            broken.append(name)
        else:
            return
