"""The folder "Share": downloads of what the page shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

    from ossature.viewer.share_downloads import ShareDownloads


class SharePanel:
    """Buttons for a picture, a video of the recording, and a page that needs no server."""

    def __init__(self, gui: viser.GuiApi, sharing: ShareDownloads) -> None:
        self._actions = {"Picture": sharing.save_picture, "Video": sharing.save_video, "Page": sharing.save_page}
        with gui.add_folder("Share"):
            hint = "From this camera: an image, a video of the recording, or a web page that needs no server"
            buttons: Any = gui.add_button_group("Download", tuple(self._actions), hint=hint)
        buttons.on_click(self._download)

    def _download(self, event: Any) -> None:
        if event.client is not None:
            self._actions[event.target.value](event.client)
