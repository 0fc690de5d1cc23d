"""Scenes that refer to the files of their robots instead of containing them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from ossature.comparison import compare
from ossature.diagnostics import Ledger, OssatureError, Report, Source
from ossature.formats import FORMATS
from ossature.formats.collada import read_collada, write_collada_by_reference
from ossature.formats.collada.attach_referenced_parts import composition_extension
from ossature.model import World
from ossature.spatial import Pose

FORMATS_WITH_REFERENCES = ("collada", "openrave")


def scene_reference_text(world: World, ledger: Ledger, *, name: str, path: Path, robots: Mapping[str, str | Path]) -> str:
    """Return the text of a scene that refers to the files of its robots.

    Args:
        world: The World.
        ledger: Receives what the scene cannot override, so that the value of the robot's file remains.
        name: The format.
        path: The output file.
        robots: For each model its file or URI.

    Raises:
        OssatureError: The format has no references, or a file does not contain its robot.
    """
    if name not in FORMATS_WITH_REFERENCES:
        raise OssatureError(f"{name} files cannot refer to others; use {' or '.join(FORMATS_WITH_REFERENCES)}")
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100  # without asking the disk for links
    urls = {model: _relative_url(robot, folder) for model, robot in robots.items()}
    text = write_collada_by_reference(world, urls, ledger, folder=folder)
    again = read_collada(Source(str(path), text.encode()), Report(), folder=folder)
    for difference in compare(world, again, tolerance=FORMATS[name].rounding):
        if not ledger.covers(difference.path):
            ledger.dropped(difference.path, "the value of the referenced file remains")
    return text


def attachment_reference_text(
    world: World, ledger: Ledger, *, path: Path, base: Path, part: Path, onto: str, root: str, pose: Pose
) -> str:
    """Return the text of a document that refers to the file of a robot and attaches a part from another file to it.

    Args:
        world: The World of the robot.
        ledger: Receives what the document represents differently.
        path: The output file.
        base: The file of the robot.
        part: The file of the part.
        onto: The link of the robot.
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
