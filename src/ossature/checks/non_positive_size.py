"""A shape has a size that is not positive."""

from __future__ import annotations

from ossature.checks._shapes_and_sizes import has_negative_size, shapes, size_location, size_problem
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Geometry, Mesh, TriangleMesh, World

RULE = Rule.warning(
    "non-positive-size",
    "MDL029",
    "A size of a shape is not positive.",
    "The shape has no volume; a simulation leaves it out. Sizes are full lengths in metres. A negative size is an error; for a "
    "mirrored shape use a mesh with a negative scale. `ossature check --meshes` also reports meshes whose triangles have no "
    "area, for example because all corners are one point.",
    aliases=("bad-size",),
)


_SMALLEST_AREA = 1e-15
"""Area of a mesh [m²], below which MuJoCo refuses it."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report shapes without a positive size."""
    for path, shape in shapes(world):
        problem = size_problem(shape.geometry) or _surface_problem(shape.geometry, context)
        if problem is not None:
            rule = RULE.with_severity(Severity.ERROR) if has_negative_size(shape.geometry) else RULE
            report.add(rule, problem, size_location(shape), path=path)


def _surface_problem(geometry: Geometry, context: CheckContext) -> str | None:
    """Return a message about a mesh without a surface, or None."""
    area = context.surface_area(geometry) if isinstance(geometry, Mesh | TriangleMesh) else None
    return None if area is None or not area < _SMALLEST_AREA else f"the triangles of a mesh have an area of {area:.3g} m²"
