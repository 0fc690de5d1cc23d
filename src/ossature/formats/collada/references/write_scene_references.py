"""Scenes that refer to the files of their robots instead of containing them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from ossature.comparison import compare
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.builtin_formats import ROUNDING
from ossature.formats.collada.read import read_collada
from ossature.formats.collada.references.attach_parts import composition_extension
from ossature.formats.collada.references.write_scene import write_collada_by_reference
from ossature.formats.collada.write import output_of
from ossature.formats.format import WriteContext, WrittenFiles
from ossature.model import World
from ossature.spatial import Pose


def write_reference(world: World, context: WriteContext, robots: Mapping[str, str | Path]) -> WrittenFiles:
    """Return the file of a scene that refers to the files of its robots.

    The ledger receives what the scene cannot override, so that the value of the robot's file remains.

    Args:
        robots: For each model its file or URI.

    Raises:
        OssatureError: A file does not contain its robot.
    """
    folder = Path(os.path.abspath(context.path)).parent  # noqa: PTH100  # without asking the disk for links
    urls = {model: _relative_url(robot, folder) for model, robot in robots.items()}
    text = write_collada_by_reference(world, urls, context.ledger, folder=folder)
    again = read_collada(Source(str(context.path), text.encode()), Report(), folder=folder)
    for difference in compare(world, again, tolerance=ROUNDING):
        if not context.ledger.covers(difference.path):
            context.ledger.dropped(difference.path, "the value of the referenced file remains")
    return output_of(text, context)


def attachment_reference_text(
    world: World, ledger: Ledger, *, path: Path, base: Path, part: Path, onto: str, root: str, pose: Pose
) -> str:
    """Return the text of a document that refers to the file of a robot and attaches a part from another file to it.

    Args:
        world: The World of the robot.
        ledger: Receives what the document represents differently.
        base: The file of the robot.
        part: The file of the part.
        root: The root link of the part, which is merged with that link.
        pose: The frame of the part's link in that of the robot's.

    Raises:
        OssatureError: A file does not contain its robot.
    """
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100  # without asking the disk for links
    (name,) = world.models.names()
    added = composition_extension(url=_relative_url(part, folder), model=name, onto=onto, root=root, pose=pose)
    whole = replace(world, extensions=(*world.extensions, added))
    return write_collada_by_reference(whole, {name: _relative_url(base, folder)}, ledger, folder=folder)


def _relative_url(robot: str | Path, folder: Path) -> str:
    """Return a file as a relative URL; a URI unchanged."""
    if isinstance(robot, str) and ":" in robot:
        return robot
    return quote(os.path.relpath(robot, folder).replace(os.sep, "/"))
