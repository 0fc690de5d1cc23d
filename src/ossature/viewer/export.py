"""One self-contained page with a scene, and with a recording that plays: it needs no server and no network."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from ossature.viewer.layers import Layer
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView
from ossature.viewer.playback_recording import PlaybackRecording
from ossature.viewer.scene_setup import ViewChoice, add_models_to_scene
from ossature.viewer.server import LOOPBACK, serve

if TYPE_CHECKING:
    from ossature.kinematics import Positions

Progress = Callable[[float], None]

FRAMES_PER_SECOND = 30.0


def page_of(
    files: Sequence[LoadedFile],
    *,
    fine: bool,
    layers: Collection[Layer] = (),
    positions: Positions | None = None,
    clips: Sequence[PlaybackRecording] = (),
    progress: Progress | None = None,
) -> str:
    """Return the HTML of a page that shows files; see :func:`~ossature.viewer.scene_setup.add_models_to_scene` for the
    arguments.

    Args:
        files: One or two files, each with a World.
        fine: Whether with shadows and reflections.
        layers: What is shown besides what is shown anyway.
        positions: Where joints of the first file are; at their initial positions where nothing is said.
        clips: Recordings that the page plays, one for each file.
        progress: Called now and then with the share that is done, from 0 to 1.

    Raises:
        FormulaError: A formula gives a joint no value.
        ServerError: This machine does not let the page be put together: it takes a free port of its own.
    """
    server = serve(LOOPBACK, 0, files[0].path.name, fine=fine)
    try:
        choice = ViewChoice(layers=dict.fromkeys(layers, True))
        views = add_models_to_scene(server, files, fine=fine, choice=choice, clicked=lambda number, model, body: None)
        if positions:
            views[0].configuration.place(positions)
            views[0].follow_joints()
        recorder = server.get_scene_serializer()
        duration = max((clip.duration for clip in clips), default=0.0)
        count = round(duration * FRAMES_PER_SECOND)
        for number in range(count + 1 if clips else 0):
            _put(views, clips, number / FRAMES_PER_SECOND)
            recorder.insert_sleep(1.0 / FRAMES_PER_SECOND)
            if progress is not None:
                progress(number / max(count, 1))
        return recorder.as_html()
    finally:
        server.stop()


def _put(views: Sequence[ModelView], clips: Sequence[PlaybackRecording], time: float) -> None:
    for view, clip in zip(views, clips, strict=False):
        view.put(clip.at(time).poses)
