"""Selecting bodies of a page by clicks, going to them, and hiding them."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from ossature.viewer import camera_tracking
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.body_tree import ShownBodies

if TYPE_CHECKING:
    import threading

    import viser

    from ossature.viewer.fitted_cameras import FittedCameras
    from ossature.viewer.panels.body_tree import TreePanel
    from ossature.viewer.server import LocalServer

_DOUBLE_CLICK = 0.45
"""Longest interval between two clicks of a double click [s]."""


class _Page(Protocol):
    """The part of a page that the selection uses."""

    server: LocalServer
    cameras: FittedCameras
    lock: threading.RLock
    views: list[ModelView]
    tree: TreePanel


class BodySelection:
    """The selected body of a page, and the bodies that are hidden."""

    def __init__(self, page: _Page) -> None:
        self._page = page
        self._hidden: list[set[tuple[str, str]]] = []
        self._last_click: tuple[float, ModelView, str, str] | None = None

    @property
    def hidden(self) -> Sequence[Collection[tuple[str, str]]]:
        """The hidden bodies of each view, by the names of model and body."""
        return self._hidden

    def restore(self, selected: Sequence[tuple[str, str] | None]) -> None:
        """Select and hide the bodies of rebuilt views as before, if they still exist.

        Args:
            selected: The bodies that were selected in each view, by model and body.
        """
        views = self._page.views
        self._hidden = self._hidden if len(self._hidden) == len(views) else [set() for _ in views]
        for view, hidden, body in zip(views, self._hidden, selected, strict=False):
            known = {(model.name, each.name) for model in view.world.models for each in model.bodies}
            hidden &= known
            if hidden:
                view.nodes.hide_bodies(hidden)
            if body in known:
                self.select(view, *body)

    def click(self, view: ModelView, model: str, body: str) -> None:
        """Select a body; a second click soon after goes to it."""
        now, last = time.monotonic(), self._last_click
        self._last_click = (now, view, model, body)
        self.select(view, model, body)
        if last is not None and now - last[0] < _DOUBLE_CLICK and last[1:] == (view, model, body):
            self._last_click = None
            camera_tracking.go_to_body(self._page.server.get_clients().values(), view, model, body)

    def select(self, view: ModelView, model: str, body: str) -> None:
        """Select a body of a view that is still shown."""
        with self._page.lock, self._page.server.atomic():
            if view not in self._page.views:
                return
            for other in self._page.views:
                other.nodes.select((model, body) if other is view else None)
            self._page.tree.show(view, model, body)

    def deselect(self) -> None:
        """Select nothing."""
        with self._page.lock, self._page.server.atomic():
            for view in self._page.views:
                view.nodes.select(None)
            self._page.tree.clear()

    def go_to(self, client: viser.ClientHandle) -> None:
        """Move a client's camera to the selected body, or show everything if there is none."""
        for view in self._page.views:
            if view.nodes.selected is not None:
                camera_tracking.go_to_body([client], view, *view.nodes.selected)
                return
        self._page.cameras.fit_all(client)

    def show(self, shown: ShownBodies) -> None:
        """Hide the selected body, hide all others, or show all bodies."""
        views = self._page.views
        with self._page.lock, self._page.server.atomic():
            if shown is ShownBodies.ALL:
                self._hidden = [set() for _ in views]
            is_any_selected = any(view.nodes.selected for view in views)
            for view, hidden in zip(views, self._hidden, strict=True):
                selected = set() if view.nodes.selected is None else {view.nodes.selected}
                if shown is ShownBodies.HIDE:
                    hidden |= selected
                elif shown is ShownBodies.ISOLATE and is_any_selected:
                    hidden |= {(model.name, body.name) for model in view.world.models for body in model.bodies}
                    hidden -= selected
                view.nodes.hide_bodies(hidden)
