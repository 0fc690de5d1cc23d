"""The location of a ROS package is inferred from the folder layout."""

from __future__ import annotations

from pathlib import Path

from ossature.checks._locations import field_location
from ossature.checks._shapes import shapes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Location, Report, Rule, Severity
from ossature.model import Mesh, World

RULE = Rule(
    name="guessed-package",
    code="MDL033",
    severity=Severity.NOTE,
    summary="The location of a ROS package is inferred from the folder layout only.",
    explanation=(
        "Neither the search path nor a package.xml locates the package, and no parent folder has its name. The model is in a "
        "folder `urdf` or `robots`, or in a package with another name, which is a warning, and the file exists there. Name the "
        "package folder in the search path."
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
            _report(
                name, folder, context.meshes.resolver.stated_package_name(), report, field_location(shape.origin, "uri"), path
            )


def _report(name: str, folder: Path, stated: str | None, report: Report, location: Location | None, path: str) -> None:
    hint = "if this is wrong, add the folder that contains the package with --search-path"
    message = f"package '{name}' is assumed to be {folder}"
    if stated is None:
        report.add(RULE, message, location, path=path, hint=hint)
    else:
        contradicting = f"{message}, whose package.xml has the name '{stated}'"
        report.add(RULE.with_severity(Severity.WARNING), contradicting, location, path=path, hint=hint)
