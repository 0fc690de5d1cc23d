"""The tree of bodies, with a search, and what is known about the one that is selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ossature.viewer.body_tree import Row, found, outline
from ossature.viewer.detail_html import body_details, note
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.style import as_list

if TYPE_CHECKING:
    import viser

Selected = Callable[[ModelView, str, str], None]

_MOST_ROWS = 150


class BodiesPanel:
    """Rows of bodies as they carry each other."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], selected: Selected) -> None:
        self._gui, self._exhibits, self._selected = gui, views, selected
        self._rows = [(view, row) for view in views for row in outline(view.world)]
        self._search = gui.add_text("Search", "", hint="Part of the name of a body or of the joint that carries it")
        self._details = gui.add_html(note("Click a body, here or in the scene."))
        self._list: viser.GuiFolderHandle | None = None
        self._search.on_update(lambda event: self._fill(event.target.value))
        self._fill("")

    def _fill(self, text: str) -> None:
        if self._list is not None:
            self._list.remove()
        self._list = self._gui.add_folder("Bodies")
        rows = [(view, row) for view, row in self._rows if found(row, text)]
        with self._list:
            self._gui.add_html(as_list("ossature-bodies"))
            for view, row in rows[:_MOST_ROWS]:
                self._add(view, row, 0 if text else row.depth)
            if len(rows) > _MOST_ROWS:
                self._gui.add_html(note(f"… and {len(rows) - _MOST_ROWS} more: search for a part of the name"))
            if not rows:
                self._gui.add_html(note(f"No body or joint has '{text}' in its name."))

    def _add(self, view: ModelView, row: Row, depth: int) -> None:
        button = self._gui.add_button("    " * depth + row.label, hint=row.hint)
        button.on_click(lambda _: self._selected(view, row.model, row.body))

    def show(self, view: ModelView, model: str, body: str) -> None:
        """Show what is known about a body."""
        owner = view.world.models[model]
        self._details.content = body_details(owner, owner.bodies[body], view.poses[model][body])
