"""A mesh cannot be read."""

from __future__ import annotations

from ossature.assets import READABLE_SUFFIXES, AssetError, embedded_triangles
from ossature.checks._field_locations import field_location
from ossature.checks._shapes_and_sizes import shapes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Location, Report, Rule
from ossature.model import Mesh, TriangleMesh, World

RULE = Rule.warning(
    "unreadable-mesh",
    "MDL032",
    "A mesh cannot be read.",
    "The shape is neither visible nor collidable. The file is damaged, its format is not supported, or it has no triangles. "
    "Mesh files are opened by `ossature check --meshes` only. Save it in a format that the hint names.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report meshes with an unsupported suffix, and meshes that cannot be read."""
    for path, shape in shapes(world):
        if isinstance(shape.geometry, Mesh) and shape.geometry.uri:  # missing-mesh reports an empty name
            suffix = shape.geometry.uri.rpartition(".")[2].lower()
            if suffix not in READABLE_SUFFIXES:
                report.add(
                    RULE,
                    f"'{shape.geometry.uri}' has an unsupported format",
                    field_location(shape.origin, "uri"),
                    path=path,
                    hint=f"readable: {', '.join(READABLE_SUFFIXES)}",
                )
            elif context.opens_meshes:
                _open(shape.geometry, shape.origin, path, report, context)
        elif isinstance(shape.geometry, TriangleMesh):
            try:
                embedded_triangles(shape.geometry)
            except AssetError as error:
                report.add(error.limit or RULE, str(error), shape.origin, path=path, hint=error.hint)


def _open(mesh: Mesh, origin: Location | None, path: str, report: Report, context: CheckContext) -> None:
    try:
        context.meshes.resolver.locate(mesh.uri)
    except AssetError:
        return  # missing-mesh reports it
    try:
        context.meshes.triangles(mesh)
    except AssetError as error:
        report.add(error.limit or RULE, str(error), field_location(origin, "uri"), path=path, hint=error.hint)
