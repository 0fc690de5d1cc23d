"""A mesh file cannot be found."""

from __future__ import annotations

from ossature.assets import AssetError
from ossature.checks._field_locations import field_location
from ossature.checks._shapes_and_sizes import shapes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Mesh, World

RULE = Rule.warning(
    "missing-mesh",
    "MDL031",
    "A mesh file cannot be found.",
    "The shape is neither visible nor collidable. Paths are relative to the file that contains them; package:// and "
    "dart://sample/ URIs are searched in the search path, and openrave: URIs first in the folders of OPENRAVE_DATA. Nothing is "
    "fetched from a network. Correct the path, or add the folder to the search path.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report meshes whose file does not exist, or may not be opened."""
    for path, shape in shapes(world):
        if isinstance(shape.geometry, Mesh):
            try:
                context.meshes.resolver.locate(shape.geometry.uri)
            except AssetError as error:
                report.add(RULE, error.details, field_location(shape.origin, "uri"), path=path, hint=error.hint)
