"""Export of a scene, with or without a recording, as one self-contained web page without a server or a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from ossature.diagnostics.text_escaping import printable
from ossature.spatial import Vector3
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView
from ossature.viewer.playback_recording import PlaybackRecording
from ossature.viewer.scene_setup import ViewOptions, add_models_to_scene
from ossature.viewer.server import LOOPBACK, serve

if TYPE_CHECKING:
    from ossature.kinematics import Positions

Progress = Callable[[float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialView:
    """The camera with which a page is opened.

    Attributes:
        position: Its position [m].
        look_at: The point in the middle of the picture [m].
    """

    position: Vector3
    look_at: Vector3


FRAMES_PER_SECOND = 30.0


def page_of(
    files: Sequence[LoadedFile],
    *,
    shadows: bool,
    options: ViewOptions | None = None,
    positions: Positions | None = None,
    clips: Sequence[PlaybackRecording] = (),
    progress: Progress | None = None,
    camera: InitialView | None = None,
    hidden: Sequence[Collection[tuple[str, str]]] = (),
) -> str:
    """Return the HTML of a page that shows files.

    Args:
        files: One or two files, each with a World.
        shadows: Whether with shadows and reflections.
        options: View options; those of a page that was just opened if None.
        positions: Joint positions of the first file by model and joint [rad or m]; the others are initial.
        clips: Recordings that the page plays, one for each file.
        progress: Called with the completed share from 0 to 1.
        camera: The camera with which it is opened; by default it shows the whole scene.
        hidden: Bodies that are hidden, by the names of model and body, for each file.

    Raises:
        FormulaError: The formula of a coupled joint has no value.
        SimulationError: The World cannot be compiled, which the layer of contacts needs.
        ServerError: No free port on this machine, which building the page needs.
    """
    server = serve(LOOPBACK, 0, files[0].path.name, shadows=shadows)
    try:
        views = add_models_to_scene(
            server, files, shadows=shadows, options=options or ViewOptions(), on_click=lambda number, model, body: None
        )
        if camera is not None:
            server.initial_camera.position, server.initial_camera.look_at = camera.position, camera.look_at
        if positions:
            views[0].configuration.set_positions(positions)
            views[0].update()
        for view in views:
            view.show_contacts()
        for view, bodies in zip(views, hidden, strict=False):
            view.nodes.hide_bodies(bodies)
        recorder = server.get_scene_serializer()
        duration = max((clip.duration for clip in clips), default=0.0)
        count = round(duration * FRAMES_PER_SECOND)
        for number in range(count + 1 if clips else 0):
            _show_frames(views, clips, number / FRAMES_PER_SECOND)
            recorder.insert_sleep(1.0 / FRAMES_PER_SECOND)
            if progress is not None:
                progress(number / max(count, 1))
        return _with_title(recorder.as_html(), " and ".join(file.path.name for file in files))
    finally:
        server.stop()


def _show_frames(views: Sequence[ModelView], clips: Sequence[PlaybackRecording], time: float) -> None:
    for view, clip in zip(views, clips, strict=False):
        frame = clip.at(time)
        view.show_poses(frame.poses)
        view.show_contacts(frame.positions)


def _with_title(html: str, title: str) -> str:
    """Return a page with a title, which is text, not HTML."""
    return re.sub(r"<title>.*?</title>", lambda _: f"<title>{escape(printable(title))}</title>", html, count=1, flags=re.DOTALL)
