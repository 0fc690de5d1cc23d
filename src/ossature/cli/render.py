"""``ossature render``: images of models, a contact sheet, or an animation of a recording, without a display."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ossature.cli.console import EXIT_INVALID_INPUT, errors_console, fail, fail_on, print_findings, progress_bar
from ossature.cli.joint_assignments import joints_of
from ossature.cli.named_robots import locate_models
from ossature.cli.output_path_checks import check_outputs, require_suffix, writing
from ossature.cli.read_options import ModelOptions
from ossature.cli.suspicious_values import note_joint_positions
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
    from ossature.spatial import Vector3
    from ossature.viewer.camera_framing import CameraFraming
    from ossature.viewer.loaded_file import LoadedFile
    from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording
    from ossature.viewer.raycast_render import RenderedImage
    from ossature.viewer.render_camera import RenderCamera
    from ossature.viewer.scene_layers import Layer
    from ossature.viewer.standard_views import StandardView

_MOST_PIXELS = 40_000_000
_MOST_PRINTED = 3
_MOST_FRAMES = 20_000
_MARGIN = 8
"""Around the scene of a cropped image [pixels]."""
_ANIMATIONS = (".gif", ".mp4")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """How an image looks.

    Attributes:
        size: Width and height [pixels].
        layers: Layers that are shown in addition to the default ones.
        view: Direction from which the scene is seen, if no position is stated.
        camera: Position of the camera [m], or None.
        target: The point in the middle of the image [m], or None.
        field_of_view: Angle of the shorter side [rad], or None for the default.
        is_orthographic: Whether all rays are parallel.
    """

    size: tuple[int, int]
    layers: Sequence[Layer]
    view: StandardView
    camera: Vector3 | None
    target: Vector3 | None
    field_of_view: float | None
    is_orthographic: bool

    def camera_for(self, framing: CameraFraming) -> RenderCamera:
        """Return the camera for a scene; what is not stated is such that the whole scene is seen."""
        from ossature.spatial import add, subtract
        from ossature.viewer.camera_framing import FIELD_OF_VIEW
        from ossature.viewer.render_camera import RenderCamera

        options: dict[str, Any] = {
            "field_of_view": self.field_of_view or FIELD_OF_VIEW,
            "is_orthographic": self.is_orthographic,
        }
        fitting = RenderCamera.fitting(framing, self.size[0] / self.size[1], self.view.direction(framing.up), **options)
        target = fitting.target if self.target is None else self.target
        position = add(target, subtract(fitting.position, fitting.target)) if self.camera is None else self.camera
        try:
            return RenderCamera(position=position, target=target, up=framing.up, **options)
        except ValueError as error:
            fail(f"--camera and --target: {error}")


def render(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES",
            help="Model file, then the .png file to write; .gif or .mp4: an animation. Several model files: a contact sheet.",
            callback=locate_models,
        ),
    ],
    read: ModelOptions,
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT in pixels; of a contact sheet that of each image.")] = "960x600",
    layer: Layers = None,
    joint: Joints = None,
    view: Annotated[str, typer.Option(help="Direction: isometric, front, back, left, right or top.")] = "isometric",
    camera: Annotated[
        tuple[float, float, float] | None,
        typer.Option(
            metavar="X Y Z", help="Position of the camera [m]; by default the whole model is seen from the direction."
        ),
    ] = None,
    target: Annotated[
        tuple[float, float, float] | None, typer.Option(metavar="X Y Z", help="The point in the middle of the image [m].")
    ] = None,
    fov: Annotated[float | None, typer.Option(help="Field of view of the shorter side [degrees]; 38 by default.")] = None,
    orthographic: Annotated[bool, typer.Option("--orthographic", help="Draw without perspective.")] = False,
    transparent: Annotated[bool, typer.Option("--transparent", help="Transparent instead of grid and sky (.png).")] = False,
    crop: Annotated[bool, typer.Option("--crop", help="Cut the image off around what it shows (.png).")] = False,
    recording: Annotated[Path | None, typer.Option(help="Recording to render, from `ossature simulate --record`.")] = None,
    instant: Annotated[
        float | None, typer.Option("--time", help="Time of the recording for an image [s]; by default its end.", min=0.0)
    ] = None,
    fps: Annotated[float, typer.Option(help="Frames per second of an animation.", min=1.0, max=120.0)] = 30.0,
) -> None:
    """Render an image of a model, or an animation of a recording; rays are cast on the CPU, without display or GPU."""
    if find_spec("PIL") is None:
        fail(NEEDS_RENDER)
    if len(paths) < 2:
        fail("state a model file and an output file: ossature render FILE OUTPUT")
    *files, output = paths
    look = _Look(
        size=_parse_size(size),
        layers=layers_named(layer),
        view=_parse_view(view),
        camera=camera,
        target=target,
        field_of_view=_parse_field_of_view(fov),
        is_orthographic=orthographic,
    )
    check_outputs([*files, recording], [output])
    require_suffix(output, ".png", *_ANIMATIONS, what="images and animations")
    is_animation = output.suffix.lower() in _ANIMATIONS
    _check_animation_options(output, recording, instant, joint, look.size, is_animation=is_animation)
    _check_image_options(files, recording, joint, is_animation=is_animation, is_image=transparent or crop)
    with fail_on(OssatureError, code=EXIT_INVALID_INPUT):
        if len(files) > 1:
            content, is_complete = _render_sheet(files, look, read, transparent=transparent, crop=crop)
        else:
            loaded, is_complete = require_usable(file_reader(read)(files[0]), verbose=read.verbose), True
            positions = joints_of(world_of(loaded), joint)
            note_joint_positions(world_of(loaded), positions)
            clip = None if recording is None else read_clip(recording, world_of(loaded))
            if is_animation:
                assert clip is not None  # noqa: S101  # checked
                content = _render_animation(loaded, look, clip, output.suffix.lower(), fps)
            else:
                content = _render_png(loaded, look, _frame_at(loaded, positions, clip, instant), transparent, crop)
    from ossature.assets import write_file_atomically

    with writing(output):
        write_file_atomically(output, content)
    library = "with Embree" if find_spec("embreex") else "without Embree"
    width, height = look.size
    shown = f"{len(files)} images of {width} x {height}" if len(files) > 1 else f"{width} x {height}"
    errors_console().print(f"{output}: {shown}{', cropped' if crop else ''}, rendered {library}", markup=False)
    if not is_complete:
        raise typer.Exit(EXIT_INVALID_INPUT)


def _parse_size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    if found is None or min(int(found[1]), int(found[2])) < 16 or int(found[1]) * int(found[2]) > _MOST_PIXELS:
        fail(f"--size must be WIDTHxHEIGHT, each at least 16, at most {_MOST_PIXELS:,} pixels, not '{text}'")
    return int(found[1]), int(found[2])


def _parse_field_of_view(degrees: float | None) -> float | None:
    if degrees is not None and not 0.1 <= degrees <= 170.0:
        fail(f"--fov must be between 0.1 and 170 degrees, not {degrees:g}")
    return None if degrees is None else math.radians(degrees)


def _print_missing(missing: Sequence[str]) -> None:
    for text in missing[:_MOST_PRINTED]:
        errors_console().print(f"not rendered: {text}", markup=False)
    if len(missing) > _MOST_PRINTED:
        errors_console().print(f"… and {len(missing) - _MOST_PRINTED} more: see ossature check")


def _frame_at(
    loaded: LoadedFile,
    positions: dict[str, dict[str, list[float]]],
    clip: PlaybackRecording | None = None,
    instant: float | None = None,
) -> PlaybackFrame:
    """Return the poses at joint positions, or at a time of a recording [s], its end if None."""
    from ossature.viewer.playback_recording import PlaybackFrame

    configuration = configuration_at(loaded, positions)
    poses = configuration.poses()
    if clip is None:
        return PlaybackFrame(time=0.0, poses=poses, positions=configuration.positions())
    frame = clip.at(clip.duration if instant is None else instant)
    return PlaybackFrame(time=frame.time, poses={**poses, **frame.poses}, positions=frame.positions)


def _render_png(loaded: LoadedFile, look: _Look, frame: PlaybackFrame, transparent: bool, crop: bool) -> bytes:
    from ossature.viewer.raycast_render import encode_png

    with progress_bar("rendering") as progress:
        image = _render_image(loaded, look, frame, progress)
    image = image.cropped(_MARGIN) if crop else image
    return encode_png(image.transparent() if transparent else image.colors)


def _render_image(
    loaded: LoadedFile, look: _Look, frame: PlaybackFrame, progress: Callable[[float], None] | None
) -> RenderedImage:
    from ossature.viewer.image_tendons_and_contacts import RenderedTendonsAndContacts
    from ossature.viewer.raycast_render import render_image
    from ossature.viewer.scene_builder import default_layers, framing_at
    from ossature.viewer.triangle_scene import build_triangle_scene

    world, meshes = world_of(loaded), loaded.meshes
    framing, layers = framing_at(world, frame.poses, meshes), {*look.layers, *default_layers(world, meshes)}
    further = RenderedTendonsAndContacts(world, meshes).elements(layers, frame.poses, frame.positions, framing.axis_length)
    still = build_triangle_scene(world, frame.poses, layers, framing, meshes, further)
    _print_missing(still.missing)
    return render_image(still, framing, *look.size, progress, camera=look.camera_for(framing))


def _render_sheet(
    files: Sequence[Path], look: _Look, read: ModelOptions, *, transparent: bool, crop: bool
) -> tuple[bytes, bool]:
    """Return a contact sheet, and whether all files could be shown; the findings of the others are printed."""
    from ossature.viewer.contact_sheet import arrange_images, sheet_size
    from ossature.viewer.raycast_render import encode_png

    if transparent:
        fail("--transparent is for an image of one model file")
    width, height = sheet_size(len(files), look.size)
    if width * height > _MOST_PIXELS:
        fail(f"a contact sheet of {width} x {height} pixels is too large: at most {_MOST_PIXELS:,}, use a smaller --size")
    reader, images = file_reader(read), []
    with progress_bar("rendering") as progress:
        for number, path in enumerate(files):
            loaded = reader(path)
            print_findings(loaded.report, verbose=read.verbose, quiet=True)
            image = None
            try:
                if loaded.world is not None:
                    image = _render_image(loaded, look, _frame_at(loaded, {}), None)
            except OssatureError as error:
                errors_console().print(f"{path}: {error}", markup=False)
            images.append((path.name, None if image is None else (image.cropped(_MARGIN) if crop else image).colors))
            if progress is not None:
                progress((number + 1) / len(files))
    return encode_png(arrange_images(images, look.size)), all(image is not None for _, image in images)


def _render_animation(loaded: LoadedFile, look: _Look, clip: PlaybackRecording, suffix: str, fps: float) -> bytes:
    from ossature.viewer.scene_builder import default_layers
    from ossature.viewer.video_export import encode_gif, encode_mp4, framing_of_clip, render_frames

    world = world_of(loaded)
    count = round(clip.duration * fps) + 1
    if count > _MOST_FRAMES:
        fail(f"an animation of {count:,} frames is too long: at most {_MOST_FRAMES:,}, use a smaller --fps")
    frames = [_frame_at(loaded, {}, clip, number / fps) for number in range(count)]
    framing, shown = framing_of_clip(world, clip, loaded.meshes), {*look.layers, *default_layers(world, loaded.meshes)}
    camera = look.camera_for(framing)
    with progress_bar("rendering") as progress:
        images = render_frames(world, frames, shown, framing, loaded.meshes, look.size, camera=camera, progress=progress)
        return encode_gif(images, fps) if suffix == ".gif" else encode_mp4(images, fps, look.size)


def _parse_view(name: str) -> StandardView:
    from ossature.viewer.standard_views import StandardView

    known = {view.value.lower(): view for view in StandardView}
    if name.lower() not in known:
        fail(f"there is no view '{name}': {suggestion(name, known)}")
    return known[name.lower()]


def _check_image_options(
    files: Sequence[Path], recording: Path | None, joint: list[str] | None, *, is_animation: bool, is_image: bool
) -> None:
    if is_animation and is_image:
        fail("--transparent and --crop are for .png files")
    if len(files) > 1 and (is_animation or recording is not None or joint):
        fail("a contact sheet of several model files must be a .png file, without --recording and --joint")


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
