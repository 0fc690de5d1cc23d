"""``ossature render``: a picture of a model, without a display."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.common import (
    INPUT_AT_FAULT,
    AllowPath,
    File,
    From,
    LimitsOption,
    OpenRave,
    SearchPath,
    Verbose,
    fail,
    format_named,
    progress_bar,
)
from ossature.cli.console import errors_console
from ossature.cli.outputs import require_suffix, writing
from ossature.cli.scene_options import NEEDS_VIEW, Joints, Shown, joints_of, layers_named, placed, reader, usable, world_of
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    from ossature.viewer.layers import Layer
    from ossature.viewer.opened import Opened

_MOST_PIXELS = 40_000_000
_MOST_TOLD = 3


def render(
    file: File,
    output: Annotated[Path, typer.Argument(help="The .png file to write.", show_default=False)],
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT in pixels.")] = "960x600",
    show: Shown = None,
    joint: Joints = None,
    from_: From = None,
    openrave: OpenRave = False,
    search_path: SearchPath = None,
    allow_path: AllowPath = None,
    limit: LimitsOption = None,
    verbose: Verbose = False,
) -> None:
    """Make a picture of a model by casting rays on the processor: no display and no graphics card is needed."""
    try:
        import embreex  # noqa: F401
        import PIL  # noqa: F401
    except ImportError:
        fail(NEEDS_VIEW)
    width, height = _size(size)
    require_suffix(output, ".png", what="pictures")
    layers = layers_named(show)
    opened = usable(reader(search_path, allow_path, format_named(from_, openrave))(file), verbose=verbose)
    positions = joints_of(world_of(opened), joint)
    try:
        content = _draw(opened, layers, positions, width, height)
    except OssatureError as error:
        fail(str(error), INPUT_AT_FAULT)
    from ossature.assets import write_whole

    with writing(output):
        write_whole(output, content)
    errors_console().print(f"{output}: {width} x {height}, rays cast by Embree", markup=False)


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if found is None or min(int(found[1]), int(found[2])) < 16 or int(found[1]) * int(found[2]) > _MOST_PIXELS:
        fail(f"--size is WIDTHxHEIGHT, each 16 or more and {_MOST_PIXELS:,} pixels at the most, not '{text}'")
    return int(found[1]), int(found[2])


def _tell_missing(missing: Sequence[str]) -> None:
    for text in missing[:_MOST_TOLD]:
        errors_console().print(f"not drawn: {text}", markup=False)
    if len(missing) > _MOST_TOLD:
        errors_console().print(f"… nor are {len(missing) - _MOST_TOLD} more: see ossature check")


def _draw(opened: Opened, layers: list[Layer], positions: dict[str, dict[str, list[float]]], width: int, height: int) -> bytes:
    from ossature.viewer.picture import draw, png
    from ossature.viewer.scenery import framing_at, shown_at_first
    from ossature.viewer.still import still_of

    world = world_of(opened)
    poses = placed(opened, positions).poses()
    framing = framing_at(world, poses, opened.meshes)
    still = still_of(world, poses, {*layers, *shown_at_first(world)}, framing, opened.meshes)
    _tell_missing(still.missing)
    with progress_bar("drawing") as progress:
        return png(draw(still, framing, width, height, progress))
