"""A shape has a size that is not positive."""

from __future__ import annotations

from ossature.checks._shapes_and_sizes import has_negative_size, shapes, size_location, size_problem
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import World

RULE = Rule.warning(
    "non-positive-size",
    "MDL029",
    "A size of a shape is not positive.",
    "The shape has no volume; a simulation leaves it out. Sizes are full lengths in metres. A negative size is an error; for a "
    "mirrored shape use a mesh with a negative scale.",
    aliases=("bad-size",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report shapes without a positive size."""
    for path, shape in shapes(world):
        problem = size_problem(shape.geometry)
        if problem is not None:
            rule = RULE.with_severity(Severity.ERROR) if has_negative_size(shape.geometry) else RULE
            report.add(rule, problem, size_location(shape), path=path)
