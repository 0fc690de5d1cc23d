"""Export of a scene, with or without a recording, as one self-contained web page without a server or a network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from ossature.viewer.layers import Layer
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView
from ossature.viewer.playback_recording import PlaybackRecording
from ossature.viewer.scene_setup import ViewOptions, add_models_to_scene
from ossature.viewer.server import LOOPBACK, serve

if TYPE_CHECKING:
    from ossature.kinematics import Positions

Progress = Callable[[float], None]

FRAMES_PER_SECOND = 30.0


def page_of(
    files: Sequence[LoadedFile],
    *,
    shadows: bool,
    layers: Collection[Layer] = (),
    positions: Positions | None = None,
    clips: Sequence[PlaybackRecording] = (),
    progress: Progress | None = None,
) -> str:
    """Return the HTML of a page that shows files.

    Args:
        files: One or two files, each with a World.
        shadows: Whether with shadows and reflections.
        layers: Layers that are shown in addition to the default ones.
        positions: Joint positions of the first file by model and joint [rad or m]; the others are initial.
        clips: Recordings that the page plays, one for each file.
        progress: Called with the completed share from 0 to 1.

    Raises:
        FormulaError: The formula of a coupled joint has no value.
        ServerError: No free port on this machine, which building the page needs.
    """
    server = serve(LOOPBACK, 0, files[0].path.name, shadows=shadows)
    try:
        options = ViewOptions(layers=dict.fromkeys(layers, True))
        views = add_models_to_scene(server, files, shadows=shadows, options=options, on_click=lambda number, model, body: None)
        if positions:
            views[0].configuration.set_positions(positions)
            views[0].update()
        recorder = server.get_scene_serializer()
        duration = max((clip.duration for clip in clips), default=0.0)
        count = round(duration * FRAMES_PER_SECOND)
        for number in range(count + 1 if clips else 0):
            _show_frames(views, clips, number / FRAMES_PER_SECOND)
            recorder.insert_sleep(1.0 / FRAMES_PER_SECOND)
            if progress is not None:
                progress(number / max(count, 1))
        return recorder.as_html()
    finally:
        server.stop()


def _show_frames(views: Sequence[ModelView], clips: Sequence[PlaybackRecording], time: float) -> None:
    for view, clip in zip(views, clips, strict=False):
        view.show_poses(clip.at(time).poses)
