"""Downloads of what a page shows: a picture, a video of its recording, and a page that needs no server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ossature.array_types import Uint8Array
from ossature.diagnostics import OssatureError
from ossature.spatial import vector_from
from ossature.viewer.video_export import encode_gif, encode_mp4

if TYPE_CHECKING:
    import viser

    from ossature.viewer.body_selection import BodySelection
    from ossature.viewer.loaded_file import LoadedFile
    from ossature.viewer.model_view import ModelView
    from ossature.viewer.scene_setup import ViewOptions
    from ossature.viewer.simulations_and_recordings import SimulationsAndRecordings
    from ossature.viewer.web_page_export import Progress

FRAMES_PER_SECOND = 25.0
_MOST_FRAMES = 1500
_MOST_PIXELS = 1280
"""Largest width and height of a video [pixels]."""
_FRAME_TIMEOUT = 60.0
"""For the browser to draw one frame [s]."""


class _Page(Protocol):
    """The part of a page that is shared."""

    views: list[ModelView]
    session: SimulationsAndRecordings
    options: ViewOptions
    selection: BodySelection
    has_shadows: bool

    @property
    def shown_files(self) -> Sequence[LoadedFile]: ...

    def notify(self, title: str, text: str, /) -> None: ...


class ShareDownloads:
    """Downloads for the client whose button was pressed, from its camera."""

    def __init__(self, page: _Page) -> None:
        self._page = page
        self._is_busy = threading.Lock()

    @property
    def _stem(self) -> str:
        return self._page.views[0].loaded.path.stem

    def save_picture(self, client: viser.ClientHandle) -> None:
        """Send a PNG image of what a client sees, without panels and on a transparent background."""
        self._run(client, "Picture", lambda _: self._send_picture(client))

    def _send_picture(self, client: viser.ClientHandle) -> None:
        from ossature.viewer.raycast_render import encode_png

        camera = client.camera
        pixels = client.get_render(camera.image_height, camera.image_width, transport_format="png", timeout=_FRAME_TIMEOUT)
        client.send_file_download(f"{self._stem}.png", encode_png(pixels / 255.0), save_immediately=True)

    def save_video(self, client: viser.ClientHandle) -> None:
        """Send the loaded recording as an MP4 video, or as a GIF if the encoder is not installed, from a client's camera."""
        player = self._page.session.player
        count = round(player.duration * FRAMES_PER_SECOND) + 1
        if not player.clips:
            self._page.notify("No recording for a video", "Switch on Record, run the simulation, and pause it.")
        elif count > _MOST_FRAMES:
            longest = _MOST_FRAMES / FRAMES_PER_SECOND
            self._page.notify("The recording is too long", f"A video has at most {longest:g} s: use `ossature render`.")
        else:
            self._run(client, "Video", lambda progress: self._send_video(client, count, progress))

    def _send_video(self, client: viser.ClientHandle, count: int, progress: Progress) -> None:
        player = self._page.session.player
        size = _video_size(client.camera.image_width, client.camera.image_height)
        before = player.time
        frames = self._frames(client, count, size, progress)
        if find_spec("imageio_ffmpeg") is None:
            suffix, content = ".gif", encode_gif(frames, FRAMES_PER_SECOND)
        else:
            suffix, content = ".mp4", encode_mp4(frames, FRAMES_PER_SECOND, size)
        player.seek(before)
        client.send_file_download(f"{self._stem}{suffix}", content, save_immediately=True)

    def _frames(
        self, client: viser.ClientHandle, count: int, size: tuple[int, int], progress: Progress
    ) -> Iterator[Uint8Array]:
        width, height = size
        for number in range(count):
            self._page.session.player.seek(number / FRAMES_PER_SECOND)
            frame = client.get_render(height, width, transport_format="jpeg", timeout=_FRAME_TIMEOUT)
            progress((number + 1) / count)
            yield np.ascontiguousarray(frame[:, :, :3], dtype=np.uint8)

    def save_page(self, client: viser.ClientHandle) -> None:
        """Send a web page that shows the scene, and plays the recording, without a server, from a client's camera."""
        self._run(client, "Page", lambda progress: self._send_page(client, progress))

    def _send_page(self, client: viser.ClientHandle, progress: Progress) -> None:
        from ossature.viewer.web_page_export import InitialView, page_of

        page = self._page
        html = page_of(
            page.shown_files,
            shadows=page.has_shadows,
            options=page.options,
            positions=page.views[0].configuration.positions(),
            clips=page.session.player.clips,
            progress=progress,
            hidden=page.selection.hidden,
            camera=InitialView(position=vector_from(client.camera.position), look_at=vector_from(client.camera.look_at)),
        )
        client.send_file_download(f"{self._stem}.html", html.encode(), save_immediately=True)

    def _run(self, client: viser.ClientHandle, title: str, work: Callable[[Progress], None]) -> None:
        """Do some work with its progress on the page; errors, and that another download is being made, are shown there too."""
        if not self._is_busy.acquire(blocking=False):
            self._page.notify(title, "Another download is being made.")
            return
        note = client.add_notification(title, "", loading=True, with_close_button=False)
        try:
            work(lambda share: setattr(note, "body", f"{share:.0%}"))
        except (OssatureError, TimeoutError, RuntimeError) as error:
            self._page.notify(f"{title} failed", str(error))
        finally:
            note.remove()
            self._is_busy.release()


def _video_size(width: int, height: int) -> tuple[int, int]:
    """Return the size of a video of a window: even, as videos need, and not too large."""
    factor = min(1.0, _MOST_PIXELS / max(width, height))
    return max(16, int(width * factor) // 2 * 2), max(16, int(height * factor) // 2 * 2)
