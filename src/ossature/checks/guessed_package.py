"""A package is known by the layout of its folder alone."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.checks.shapes import shapes
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Mesh, World

RULE = Rule(
    name="guessed-package",
    severity=Severity.NOTE,
    summary="A package is known by the layout of its folder alone.",
    explanation=(
        "Neither the search path nor a package.xml tells where the package is, and no folder around the model has its name. "
        "The model lies in a folder called urdf or robots, and the file is where it would be if that folder belonged to the "
        "package: it is taken from there."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report packages that were found by the layout of folders, each once."""
    told = set()
    for path, shape in shapes(world):
        if not isinstance(shape.geometry, Mesh):
            continue
        name = shape.geometry.uri.removeprefix("package://").partition("/")[0]
        folder = context.meshes.resolver.guessed_package(shape.geometry.uri)
        if folder is not None and name not in told:
            told.add(name)
            hint = "name the folder that holds the package with --search-path where this is wrong"
            report.add(RULE, f"package '{name}' is taken to be {folder}", shape.origin, path=path, hint=hint)
