"""An image of a material cannot be found."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from ossature.assets import AssetError
from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Location, Report, Rule
from ossature.model import Model, World

RULE = Rule.warning(
    "missing-texture",
    "MDL095",
    "An image of a material cannot be found.",
    "Programs that show the robot show the surface without the image, or reject the robot. Paths are searched like those of "
    "meshes. Correct the path, or add the folder to the search path.",
)
_TEXTURE = re.compile(r"""<texture\b[^>]*?\bfilename\s*=\s*(?:"([^"]*)"|'([^']*)')""")


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report textures in URDF materials whose file does not exist, each once."""
    for model in world.models:
        for uri, origin, path in dict.fromkeys(_textures(model)):
            try:
                context.meshes.resolver.locate(uri)
            except AssetError as error:
                report.add(RULE, str(error), field_location(origin, "texture"), path=path, hint=error.hint)


def _textures(model: Model) -> Iterator[tuple[str, Location | None, str]]:
    """Yield the URI of each texture in the materials that are passed through, with location and path of their element."""
    for extension in model.extensions:
        if extension.format == "urdf" and extension.key == "material":
            for quoted in _TEXTURE.finditer(extension.value):
                yield html.unescape(quoted[1] or quoted[2] or ""), model.origin, model.name
