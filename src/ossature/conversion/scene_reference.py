"""Scenes that only refer to the files of their robots."""

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
from ossature.formats.collada.read_composition import composition_extension
from ossature.model import World
from ossature.spatial import Pose

FORMATS_WITH_REFERENCES = ("collada", "openrave")


def referring_text(world: World, ledger: Ledger, *, name: str, path: Path, robots: Mapping[str, str | Path]) -> str:
    """Return the text of a scene that refers to the files of its robots; what stays as it is there is in the ledger.

    Args:
        world: What to write.
        ledger: Where goes what the scene cannot say differently from the files.
        name: The format.
        path: The file that the scene will be.
        robots: For each model the file that holds it, or its URI.

    Raises:
        OssatureError: The format has no references, or a file does not hold its robot.
    """
    if name not in FORMATS_WITH_REFERENCES:
        raise OssatureError(f"{name} files refer to no others; {' and '.join(FORMATS_WITH_REFERENCES)} files do")
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100  # without asking the disk for links
    urls = {model: _url(robot, folder) for model, robot in robots.items()}
    text = write_collada_by_reference(world, urls, ledger, folder=folder)
    again = read_collada(Source(str(path), text.encode()), Report(), folder=folder)
    for difference in compare(world, again, tolerance=FORMATS[name].rounding):
        if not ledger.covers(difference.path):
            ledger.dropped(difference.path, "it stays as it is in the file to which the scene refers")
    return text


def composing_text(
    world: World, ledger: Ledger, *, path: Path, base: Path, part: Path, onto: str, root: str, pose: Pose
) -> str:
    """Return the text of a document that refers to the file of a robot and puts a part from another file onto it.

    Args:
        world: The World of the robot that carries.
        ledger: Where goes what the document says differently.
        path: The file that the document will be.
        base: The file of that robot.
        part: The file of the part.
        onto: The link of the robot.
        root: The link of the part that becomes one with it.
        pose: The frame of the part's link in that of the other one.

    Raises:
        OssatureError: A file does not hold its robot.
    """
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100  # without asking the disk for links
    (name,) = world.models.names()
    added = composition_extension(url=_url(part, folder), model=name, onto=onto, root=root, pose=pose)
    whole = replace(world, extensions=(*world.extensions, added))
    return write_collada_by_reference(whole, {name: _url(base, folder)}, ledger, folder=folder)


def _url(robot: str | Path, folder: Path) -> str:
    """Return a file as a relative URL; a URI as it is."""
    if isinstance(robot, str) and ":" in robot:
        return robot
    return quote(os.path.relpath(robot, folder).replace(os.sep, "/"))
