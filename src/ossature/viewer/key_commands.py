"""What the keys of a page do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from ossature.viewer.register_key_commands import KeyCommand
from ossature.viewer.standard_views import StandardView

if TYPE_CHECKING:
    import viser

    from ossature.viewer.body_selection import BodySelection
    from ossature.viewer.camera_tracking import TrackingCamera
    from ossature.viewer.fitted_cameras import FittedCameras
    from ossature.viewer.model_view import ModelView
    from ossature.viewer.panels.simulation import SimulationPanel

_VIEWS = {"0": StandardView.ISOMETRIC, "1": StandardView.FRONT, "2": StandardView.LEFT, "3": StandardView.TOP}


class _Page(Protocol):
    """The part of a page that commands use."""

    views: list[ModelView]
    simulation: SimulationPanel
    selection: BodySelection
    tracking: TrackingCamera
    cameras: FittedCameras

    def set_follows(self, follows: bool, /) -> None: ...

    def show_standard_view(self, client: viser.ClientHandle, view: StandardView) -> None: ...


def key_commands(page: _Page) -> list[KeyCommand]:
    """Return the commands of a page."""
    return [
        KeyCommand(key="space", label="Run or pause", run=lambda _: page.simulation.toggle()),
        KeyCommand(
            key="arrowright", label="One time step, or the next sample of a recording", run=lambda _: page.simulation.step()
        ),
        KeyCommand(key="arrowleft", label="Previous sample of a recording", run=lambda _: page.simulation.step(-1)),
        KeyCommand(key="R", label="Restart", run=lambda _: page.simulation.restart()),
        KeyCommand(key="home", label="Fit all", run=page.cameras.fit_all),
        KeyCommand(key="F", label="Go to selection", run=page.selection.go_to),
        KeyCommand(key="C", label="Camera follows", run=lambda _: page.set_follows(not page.tracking.is_active)),
        KeyCommand(key="escape", label="Deselect", run=lambda _: page.selection.deselect()),
        *(
            KeyCommand(key=key, label=f"{view.value} view", run=partial(page.show_standard_view, view=view))
            for key, view in _VIEWS.items()
        ),
    ]
