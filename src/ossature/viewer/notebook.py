"""The viewer in notebooks: the page, embedded in a cell."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError, Report
from ossature.model import World

if TYPE_CHECKING:
    from ossature.simulation import Recording
    from ossature.viewer.app import ViewerApp

_NOTEBOOKS = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "https://127.0.0.1:*", "vscode-webview:")
"""Origins of notebooks on this machine."""


class NotebookView:
    """A page of the viewer that is embedded in a notebook; the server runs until it is closed.

    Attributes:
        url: The address of the page. It contains a token that grants access.
    """

    def __init__(self, app: ViewerApp, height: int) -> None:
        self._app: ViewerApp | None = app
        self._height = height
        self.url = app.url

    @property
    def is_open(self) -> bool:
        """Whether the page is served."""
        return self._app is not None

    def set_positions(self, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> None:
        """Set joint coordinates, by model and joint.

        Raises:
            OssatureError: The page is closed.
        """
        self._opened_app().set_positions({model: dict(joints) for model, joints in positions.items()})

    def positions(self) -> dict[str, dict[str, tuple[float, ...]]]:
        """Return the coordinates at which the joints are shown, such as those that a user set, by model and joint [rad or m].

        Raises:
            OssatureError: The page is closed.
        """
        shown = self._opened_app().views[0].configuration.positions()
        return {model: {joint: tuple(values) for joint, values in joints.items()} for model, joints in shown.items()}

    def show_recording(self, recording: Recording) -> None:
        """Load a recording of the World for playback.

        Raises:
            OssatureError: The page is closed, or the recording has other bodies or joints.
        """
        from ossature.viewer.playback_recording import playback_of

        app, clip = self._opened_app(), playback_of(recording)
        if not clip.fits(app.views[0].world):
            raise OssatureError("the recording has other bodies or joints than the World of the page")
        app.load_clips([clip])

    def _opened_app(self) -> ViewerApp:
        if self._app is None:
            raise OssatureError("the page is closed")
        return self._app

    def close(self) -> None:
        """Stop serving the page; further calls have no effect."""
        app, self._app = self._app, None
        if app is not None:
            app.close()

    def __enter__(self) -> NotebookView:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        # Outputs of cells are saved in files, which should not contain the token.
        return f"NotebookView({'open' if self.is_open else 'closed'})"

    def _repr_html_(self) -> str:
        if not self.is_open:
            return "<p>The page is closed.</p>"
        source = html.escape(self.url, quote=True)
        style = "width: 100%; border: 0"
        return f'<iframe src="{source}" height="{self._height}" style="{style}" allow="fullscreen"></iframe>'


def show(
    world: World,
    positions: Mapping[str, Mapping[str, Sequence[float]]] | None = None,
    *,
    recording: Recording | None = None,
    height: int = 480,
    embed_in: Sequence[str] = (),
) -> NotebookView:
    """Return a page of the viewer for the output of a notebook's cell; it is served on this machine until it is closed.

    Args:
        positions: Joint coordinates by model and joint; by default the initial ones.
        recording: A recording to play.
        height: Height of the frame [px].
        embed_in: Origins of notebooks on other machines that may embed the page, such as ``https://hub.example.org``.

    Raises:
        OssatureError: The extra ``view`` is not installed, or the page cannot be served.
    """
    if find_spec("viser") is None:
        raise OssatureError("this needs the extra view: pip install 'ossature[view]'")
    from ossature.viewer.app import ViewerApp
    from ossature.viewer.loaded_file import LoadedFile
    from ossature.viewer.playback_recording import playback_of
    from ossature.viewer.server import LOOPBACK, serve

    path = Path(world.origin.source.name) if world.origin is not None else Path(world.name)
    shown = LoadedFile(path=path, format=None, world=world, report=Report(), meshes=MeshStore.of(world))
    server = serve(LOOPBACK, 0, path.name, shadows=False, frame_ancestors=(*_NOTEBOOKS, *embed_in))
    try:
        app = ViewerApp(server, [shown], shadows=False)
        if positions is not None:
            app.set_positions({model: dict(joints) for model, joints in positions.items()})
        if recording is not None:
            app.load_clips([playback_of(recording)])
    except BaseException:
        server.stop()
        raise
    return NotebookView(app, height)
