"""A shape has a size that is not positive."""

from __future__ import annotations

from ossature.checks._shapes import shapes, size_problem
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="non-positive-size",
    code="MDL029",
    severity=Severity.ERROR,
    summary="A size of a shape is not positive.",
    explanation=(
        "The shape has no volume. Sizes are full lengths in metres. For a mirrored shape use a mesh with a negative scale."
    ),
    aliases=("bad-size",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report shapes without a positive size."""
    for path, shape in shapes(world):
        problem = size_problem(shape.geometry)
        if problem is not None:
            report.add(RULE, problem, shape.origin, path=path)
