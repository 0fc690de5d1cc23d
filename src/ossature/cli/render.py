"""``ossature render``: an image of a model, without a display."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, progress_bar
from ossature.cli.joint_assignments import joints_of
from ossature.cli.output_files import require_suffix, writing
from ossature.cli.read_options import ModelFile, ModelOptions
from ossature.cli.view_options import (
    NEEDS_RENDER,
    Joints,
    Layers,
    configuration_at,
    file_reader,
    layers_named,
    require_usable,
    world_of,
)
from ossature.diagnostics import OssatureError

if TYPE_CHECKING:
    from ossature.viewer.layers import Layer
    from ossature.viewer.loaded_file import LoadedFile

_MOST_PIXELS = 40_000_000
_MOST_PRINTED = 3


def render(
    file: ModelFile,
    output: Annotated[Path, typer.Argument(help="The .png file to write.", show_default=False)],
    read: ModelOptions,
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT in pixels.")] = "960x600",
    layer: Layers = None,
    joint: Joints = None,
) -> None:
    """Render an image of a model by ray casting on the CPU; neither a display nor a GPU is needed."""
    if find_spec("PIL") is None:
        fail(NEEDS_RENDER)
    width, height = _parse_size(size)
    require_suffix(output, ".png", what="images")
    layers = layers_named(layer)
    loaded = require_usable(file_reader(read)(file), verbose=read.verbose)
    positions = joints_of(world_of(loaded), joint)
    try:
        content = _render_png(loaded, layers, positions, width, height)
    except OssatureError as error:
        fail(str(error), EXIT_INVALID_INPUT)
    from ossature.assets import write_file_atomically

    with writing(output):
        write_file_atomically(output, content)
    library = "with Embree" if find_spec("embreex") else "without Embree"
    errors_console().print(f"{output}: {width} x {height}, rendered {library}", markup=False)


def _parse_size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if found is None or min(int(found[1]), int(found[2])) < 16 or int(found[1]) * int(found[2]) > _MOST_PIXELS:
        fail(f"--size must be WIDTHxHEIGHT, each at least 16, at most {_MOST_PIXELS:,} pixels, not '{text}'")
    return int(found[1]), int(found[2])


def _print_missing(missing: Sequence[str]) -> None:
    for text in missing[:_MOST_PRINTED]:
        errors_console().print(f"not rendered: {text}", markup=False)
    if len(missing) > _MOST_PRINTED:
        errors_console().print(f"… and {len(missing) - _MOST_PRINTED} more: see ossature check")


def _render_png(
    loaded: LoadedFile, layers: list[Layer], positions: dict[str, dict[str, list[float]]], width: int, height: int
) -> bytes:
    from ossature.viewer.raycast_render import encode_png, render_image
    from ossature.viewer.scene_builder import default_layers, framing_at
    from ossature.viewer.triangle_scene import build_triangle_scene

    world = world_of(loaded)
    poses = configuration_at(loaded, positions).poses()
    framing = framing_at(world, poses, loaded.meshes)
    still = build_triangle_scene(world, poses, {*layers, *default_layers(world, loaded.meshes)}, framing, loaded.meshes)
    _print_missing(still.missing)
    with progress_bar("rendering") as progress:
        return encode_png(render_image(still, framing, width, height, progress))
