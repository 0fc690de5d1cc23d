"""A shape has a size that is not positive."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.shapes import shapes, size_problem
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule(
    name="bad-size",
    severity=Severity.ERROR,
    summary="A shape has a size that is not positive.",
    explanation=(
        "It has no inside. Sizes are full lengths in metres; a negative one is sometimes meant as a mirror "
        "image, which only the scale of a mesh can say."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report shapes without a positive size."""
    for path, shape in shapes(world):
        problem = size_problem(shape.geometry)
        if problem is not None:
            report.add(RULE, problem, shape.origin, path=path)
