"""The folder "Camera": fit all, go to the selection, fixed views, and following."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ossature.viewer.standard_views import StandardView

if TYPE_CHECKING:
    import viser

OnView = Callable[["viser.ClientHandle", StandardView], None]

FIT_ALL, GO_TO_SELECTION = "Fit all", "Go to selection"


class CameraPanel:
    """Moves the camera of the client whose button was pressed."""

    def __init__(
        self,
        gui: viser.GuiApi,
        on_view: OnView,
        on_fit: Callable[[viser.ClientHandle], None],
        on_go: Callable[[viser.ClientHandle], None],
        on_follow: Callable[[bool], None],
        *,
        follows: bool,
    ) -> None:
        with gui.add_folder("Camera"):
            moves: Any = gui.add_button_group("Move", (FIT_ALL, GO_TO_SELECTION), hint="Keys: Home and F")
            views: Any = gui.add_dropdown("View", tuple(StandardView), hint="Keys: 1 front, 2 left, 3 top, 0 isometric")
            follow: Any = gui.add_checkbox("Follow", follows, hint="Keep the floating robot in the image while it moves; key C")
        moves.on_click(lambda event: self._move(event, on_fit, on_go))
        views.on_update(lambda event: self._show(event, on_view))
        follow.on_update(lambda event: on_follow(bool(event.target.value)))
        self._follow = follow

    def set_follows(self, follows: bool) -> None:
        """Show whether the camera follows."""
        self._follow.value = follows

    @property
    def follows(self) -> bool:
        """Whether the camera follows."""
        return bool(self._follow.value)

    @staticmethod
    def _show(event: Any, on_view: OnView) -> None:
        if event.client is not None:
            on_view(event.client, StandardView(event.target.value))

    @staticmethod
    def _move(event: Any, on_fit: Callable[[Any], None], on_go: Callable[[Any], None]) -> None:
        if event.client is not None:
            (on_fit if event.target.value == FIT_ALL else on_go)(event.client)
