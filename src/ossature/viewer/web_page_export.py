"""Export of a scene, with or without a recording, as one self-contained web page without a server or a network."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from importlib.resources import files as resources
from itertools import islice
from typing import TYPE_CHECKING, Any

from ossature.spatial import Vector3
from ossature.viewer.exported_page_data import RecordedFile, page_data
from ossature.viewer.loaded_file import LoadedFile
from ossature.viewer.model_view import ModelView
from ossature.viewer.page_document import with_title
from ossature.viewer.playback_recording import PlaybackFrame, PlaybackRecording
from ossature.viewer.scene_builder import elements_of_layer
from ossature.viewer.scene_layers import Layer
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
MOST_ELEMENTS = 2000
"""Number of elements of a layer up to which a page has it though it is hidden at first."""


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
    is_dark: bool = False,
) -> str:
    """Return the HTML of a page that shows files, with sliders of the joints of trees, layers, and the timeline of recordings.

    Args:
        files: One or two files, each with a World.
        shadows: Whether with shadows and reflections.
        options: View options; those of a page that was just opened if None.
        positions: Joint positions of the first file by model and joint [rad or m]; the others are initial.
        clips: Recordings that the page plays, one for each file.
        progress: Called with the completed share from 0 to 1.
        camera: The camera with which it is opened; by default it shows the whole scene.
        hidden: Bodies that are hidden, by the names of model and body, for each file.
        is_dark: Whether with light text on a dark background.

    Raises:
        FormulaError: The formula of a coupled joint has no value.
        SimulationError: The World cannot be compiled, which the layer of contacts needs.
        ServerError: No free port on this machine, which building the page needs.
    """
    options = options or ViewOptions()
    server = serve(LOOPBACK, 0, files[0].path.name, shadows=shadows)
    try:
        views = add_models_to_scene(server, files, shadows=shadows, options=options, on_click=lambda number, model, body: None)
        if camera is not None:
            server.initial_camera.position, server.initial_camera.look_at = camera.position, camera.look_at
        if positions:
            views[0].configuration.set_positions(positions)
            views[0].update()
        for view in views:
            view.show_contacts()
        for view, bodies in zip(views, hidden, strict=False):
            view.nodes.hide_bodies(bodies)
        layers, omitted = _build_hidden_layers(views)
        title = " and ".join(file.path.name for file in files)
        data = page_data(views, title, layers, is_transparent=options.is_transparent, fits_window=camera is None)
        data |= {"omittedLayers": omitted, "times": [], "recordings": [None] * len(views)}
        data["camera"] = {
            "position": [float(value) for value in server.initial_camera.position],
            "lookAt": [float(value) for value in server.initial_camera.look_at],
        }
        if clips:
            data |= _recordings_data(views, clips, progress)
        html = server.get_scene_serializer().as_html(dark_mode=is_dark)
        return _with_controls(html, title, data, is_dark=is_dark)
    finally:
        server.stop()


def _build_hidden_layers(views: Sequence[ModelView]) -> tuple[dict[Layer, bool], list[str]]:
    """Build the layers that can be shown later; return all layers of the page, and the names of those that are too large.

    Contacts are in it only if they are shown at first, because the engine has to find them.
    """
    present = set[Layer]().union(*(view.non_empty_layers() for view in views))
    shown = set[Layer]().union(*(view.nodes.shown for view in views))
    layers, omitted = dict[Layer, bool](), list[str]()
    for layer in Layer:
        if layer in shown & present:
            layers[layer] = True
        elif layer in present and layer is not Layer.CONTACTS:
            if any(_is_large(view, layer) for view in views):
                omitted.append(layer.value)
                continue
            layers[layer] = False
            for view in views:
                view.nodes.show(layer, True)
                view.nodes.show(layer, False)
    return layers, omitted


def _is_large(view: ModelView, layer: Layer) -> bool:
    elements = elements_of_layer(view.world, layer, view.framing.axis_length, view.loaded.meshes)
    return sum(1 for _ in islice(elements, MOST_ELEMENTS + 1)) > MOST_ELEMENTS


def _recordings_data(
    views: Sequence[ModelView], clips: Sequence[PlaybackRecording], progress: Progress | None
) -> dict[str, Any]:
    """Return the samples of recordings, at most 30 a second, each the last one that is not after its time."""
    count = round(max(clip.duration for clip in clips) * FRAMES_PER_SECOND)
    recorded = [RecordedFile(view, clip) for view, clip in zip(views, clips, strict=False)]
    times: list[float] = []
    last: list[PlaybackFrame] = []
    for number in range(count + 1):
        time = number / FRAMES_PER_SECOND
        frames = [clip.at(time) for clip in clips]
        if number in (0, count) or any(one is not other for one, other in zip(frames, last, strict=True)):
            for view, file, frame in zip(views, recorded, frames, strict=False):
                view.show_poses(frame.poses)
                view.show_contacts(frame.positions)
                file.append(frame.positions)
            times.append(time)
            last = frames
        if progress is not None:
            progress(number / max(count, 1))
    for view, clip in zip(views, clips, strict=False):
        view.show_poses(clip.at(0.0).poses)
        view.show_contacts(clip.at(0.0).positions)
    data = [file.data() for file in recorded]
    return {"times": times, "recordings": [*data, *[None] * (len(views) - len(data))]}


def _with_controls(html: str, title: str, data: dict[str, Any], *, is_dark: bool) -> str:
    """Return a page of viser with a title, and the panel and timeline of the page."""
    html = with_title(html, title)
    folder = resources("ossature.viewer")
    style, kinematics, script = (
        folder.joinpath(name).read_text(encoding="utf-8")
        for name in ("exported_page.css", "exported_kinematics.js", "exported_page.js")
    )
    # Names from files cannot end the element.
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    dark = 'document.documentElement.classList.add("ossature-dark");' if is_dark else ""
    head, end, rest = html.rpartition("</body>")
    controls = (
        f"<style>{style}</style>"
        f'<script type="application/json" id="ossature-data">{text}</script>'
        f"<script>{dark}{kinematics}{script}</script>"
    )
    return f"{head}{controls}{end}{rest}"
