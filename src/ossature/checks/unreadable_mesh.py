"""A mesh is in a format that cannot be read."""

from __future__ import annotations

from ossature.assets import READABLE_SUFFIXES
from ossature.checks.context import CheckContext
from ossature.checks.shapes import shapes
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Mesh, World

RULE = Rule(
    name="unreadable-mesh",
    severity=Severity.WARNING,
    summary="A mesh is in a format that cannot be read.",
    explanation=("Save it in one of the formats that the hint names. The suffix tells the format."),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report meshes whose suffix is none of those that can be read."""
    for path, shape in shapes(world):
        if isinstance(shape.geometry, Mesh):
            suffix = shape.geometry.uri.rpartition(".")[2].lower()
            if suffix not in READABLE_SUFFIXES:
                report.add(
                    RULE,
                    f"'{shape.geometry.uri}' is in a format that cannot be read",
                    shape.origin,
                    path=path,
                    hint=f"readable: {', '.join(READABLE_SUFFIXES)}",
                )
