"""The location of a ROS package is inferred from the folder layout."""

from __future__ import annotations

from ossature.checks._shapes import shapes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Mesh, World

RULE = Rule(
    name="guessed-package",
    code="MDL033",
    severity=Severity.NOTE,
    summary="The location of a ROS package is inferred from the folder layout only.",
    explanation=(
        "Neither the search path nor a package.xml locates the package, and no parent folder has its name. The model is in a "
        "folder `urdf` or `robots`, and the file exists relative to its parent. Name the package folder in the search path."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report packages that were located by the folder layout, each once."""
    reported = set()
    for path, shape in shapes(world):
        if not isinstance(shape.geometry, Mesh):
            continue
        name = shape.geometry.uri.removeprefix("package://").partition("/")[0]
        folder = context.meshes.resolver.guessed_package(shape.geometry.uri)
        if folder is not None and name not in reported:
            reported.add(name)
            hint = "if this is wrong, add the folder that contains the package with --search-path"
            report.add(RULE, f"package '{name}' is assumed to be {folder}", shape.origin, path=path, hint=hint)
