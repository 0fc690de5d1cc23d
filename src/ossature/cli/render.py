"""``ossature render``: an image of a model, or an animation of a recording, without a display."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    NEEDS_VIDEO,
    Joints,
    Layers,
    configuration_at,
    file_reader,
    layers_named,
    read_clip,
    require_usable,
    world_of,
)
from ossature.diagnostics import OssatureError, suggestion

if TYPE_CHECKING:
    from ossature.spatial import Pose
    from ossature.viewer.layers import Layer
    from ossature.viewer.loaded_file import LoadedFile
    from ossature.viewer.playback_recording import PlaybackRecording
    from ossature.viewer.standard_views import StandardView

_MOST_PIXELS = 40_000_000
_MOST_PRINTED = 3
_MOST_FRAMES = 20_000
_ANIMATIONS = (".gif", ".mp4")


def render(
    file: ModelFile,
    output: Annotated[Path, typer.Argument(help="The .png file to write; .gif or .mp4: an animation.", show_default=False)],
    read: ModelOptions,
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT in pixels.")] = "960x600",
    layer: Layers = None,
    joint: Joints = None,
    view: Annotated[str, typer.Option(help="Direction: isometric, front, back, left, right or top.")] = "isometric",
    recording: Annotated[
        Path | None, typer.Option(help="Recording to render, from `ossature simulate --record`.", show_default=False)
    ] = None,
    instant: Annotated[
        float | None, typer.Option("--time", help="Time of the recording for an image [s]; by default its end.", min=0.0)
    ] = None,
    fps: Annotated[float, typer.Option(help="Frames per second of an animation.", min=1.0, max=120.0)] = 30.0,
) -> None:
    """Render an image of a model, or an animation of a recording, by ray casting on the CPU; no display or GPU is needed."""
    if find_spec("PIL") is None:
        fail(NEEDS_RENDER)
    width, height = _parse_size(size)
    require_suffix(output, ".png", *_ANIMATIONS, what="images and animations")
    is_animation = output.suffix.lower() in _ANIMATIONS
    _check_animation_options(output, recording, instant, joint, (width, height), is_animation=is_animation)
    direction_name = _parse_view(view)
    layers = layers_named(layer)
    loaded = require_usable(file_reader(read)(file), verbose=read.verbose)
    positions = joints_of(world_of(loaded), joint)
    clip = None if recording is None else read_clip(recording, world_of(loaded))
    try:
        if is_animation:
            assert clip is not None  # noqa: S101  # checked
            content = _render_animation(loaded, layers, clip, output.suffix.lower(), (width, height), fps, direction_name)
        else:
            content = _render_png(loaded, layers, positions, (width, height), direction_name, clip, instant)
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
    loaded: LoadedFile,
    layers: list[Layer],
    positions: dict[str, dict[str, list[float]]],
    size: tuple[int, int],
    view: StandardView,
    clip: PlaybackRecording | None,
    instant: float | None,
) -> bytes:
    from ossature.viewer.raycast_render import encode_png, render_image
    from ossature.viewer.scene_builder import default_layers, framing_at
    from ossature.viewer.triangle_scene import build_triangle_scene

    world = world_of(loaded)
    poses: Mapping[str, Mapping[str, Pose]] = configuration_at(loaded, positions).poses()
    if clip is not None:
        poses = {**poses, **clip.at(clip.duration if instant is None else instant).poses}
    framing = framing_at(world, poses, loaded.meshes)
    still = build_triangle_scene(world, poses, {*layers, *default_layers(world, loaded.meshes)}, framing, loaded.meshes)
    _print_missing(still.missing)
    with progress_bar("rendering") as progress:
        return encode_png(render_image(still, framing, *size, progress, direction=view.direction(framing.up)))


def _render_animation(
    loaded: LoadedFile,
    layers: list[Layer],
    clip: PlaybackRecording,
    suffix: str,
    size: tuple[int, int],
    fps: float,
    view: StandardView,
) -> bytes:
    from ossature.viewer.animation import encode_gif, encode_mp4, framing_of_clip, render_frames
    from ossature.viewer.scene_builder import default_layers

    world = world_of(loaded)
    count = round(clip.duration * fps) + 1
    if count > _MOST_FRAMES:
        fail(f"an animation of {count:,} frames is too long: at most {_MOST_FRAMES:,}, use a smaller --fps")
    initial = configuration_at(loaded, {}).poses()
    poses = [{**initial, **clip.at(number / fps).poses} for number in range(count)]
    framing, shown = framing_of_clip(world, clip, loaded.meshes), {*layers, *default_layers(world, loaded.meshes)}
    with progress_bar("rendering") as progress:
        frames = render_frames(
            world, poses, shown, framing, loaded.meshes, size, direction=view.direction(framing.up), progress=progress
        )
        return encode_gif(frames, fps) if suffix == ".gif" else encode_mp4(frames, fps, size)


def _parse_view(name: str) -> StandardView:
    from ossature.viewer.standard_views import StandardView

    known = {view.value.lower(): view for view in StandardView}
    if name.lower() not in known:
        fail(f"there is no view '{name}': {suggestion(name, known)}")
    return known[name.lower()]


def _check_animation_options(
    output: Path,
    recording: Path | None,
    instant: float | None,
    joint: list[str] | None,
    size: tuple[int, int],
    *,
    is_animation: bool,
) -> None:
    if recording is not None and joint:
        fail("--joint and --recording contradict each other")
    if instant is not None and (recording is None or is_animation):
        fail("--time is for an image of a recording")
    if not is_animation:
        return
    if recording is None:
        fail(f"{output}: an animation needs --recording")
    if output.suffix.lower() == ".mp4":
        if find_spec("imageio_ffmpeg") is None:
            fail(NEEDS_VIDEO)
        if size[0] % 2 or size[1] % 2:
            fail(f"--size of a video must be even, not {size[0]}x{size[1]}")
