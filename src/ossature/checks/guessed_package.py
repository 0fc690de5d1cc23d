"""The location of a ROS package is inferred from the folder layout."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path, PurePath

from ossature.assets import AssetError
from ossature.checks._field_locations import field_location
from ossature.checks._shapes_and_sizes import shapes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Edit, Fix, Location, Report, Rule, Safety, Severity
from ossature.diagnostics.fix import MakeFix
from ossature.model import Mesh, World
from ossature.syntax.xml_edits import replace_value_at

RULE = Rule.note(
    "guessed-package",
    "MDL033",
    "The location of a ROS package is inferred from the folder layout only.",
    "Neither the search path nor a package.xml locates the package, and no parent folder has its name. The model is in a "
    "folder `urdf` or `robots`, or in a package with another name, which is a warning, and the file exists there. Name the "
    "package folder in the search path.",
    fixes=(Safety.SAFE, Safety.UNSAFE),
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
            specified = context.meshes.resolver.specified_package_name()
            fix = partial(_name_files, world, name, folder, specified, context)
            _report(name, folder, specified, report, field_location(shape.origin, "uri"), path, fix)


def _name_files(world: World, name: str, folder: Path, specified: str | None, context: CheckContext) -> Fix | None:
    """Return the fix that names files by the package that contains them, or relative to the model."""
    resolver = context.meshes.resolver
    edits: dict[int, Edit] = {}
    for _, shape in shapes(world):
        if not isinstance(shape.geometry, Mesh) or not shape.geometry.uri.startswith(f"package://{name}/"):
            continue
        location = field_location(shape.origin, "uri")
        if location is None:
            return None
        try:
            file = resolver.locate(shape.geometry.uri)
            uri = (
                f"package://{specified}/{file.relative_to(folder).as_posix()}"
                if specified
                else _relative(file, resolver.folder)
            )
            edit = replace_value_at(location, uri)
        except (AssetError, ValueError):
            return None
        edits[edit.start] = edit
    title = f"name the files of '{name}' {f'by package://{specified}/' if specified else 'relative to the model'}"
    return Fix(title=title, edits=tuple(edits.values()), safety=Safety.SAFE if specified else Safety.UNSAFE)


def _relative(file: Path, folder: Path | None) -> str:
    if folder is None:
        raise ValueError("a model in memory has no folder")
    return PurePath(os.path.relpath(file, folder)).as_posix()


def _report(
    name: str, folder: Path, specified: str | None, report: Report, location: Location | None, path: str, fix: MakeFix
) -> None:
    hint = "if this is wrong, add the folder that contains the package with --search-path"
    message = f"package '{name}' is assumed to be {folder}"
    if specified is None:
        report.add(RULE, message, location, path=path, hint=hint, fix=fix)
    else:
        contradicting = f"{message}, whose package.xml has the name '{specified}'"
        report.add(RULE.with_severity(Severity.WARNING), contradicting, location, path=path, hint=hint, fix=fix)
