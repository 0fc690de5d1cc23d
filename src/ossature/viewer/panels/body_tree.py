"""The panel "Tree": the kinematic tree with a search, and the properties of the selected body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ossature.viewer.body_tree import TreeRow, matches, tree_rows
from ossature.viewer.detail_html import body_details, paragraph
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.list_row_style import as_list

if TYPE_CHECKING:
    import viser

OnSelect = Callable[[ModelView, str, str], None]

_MOST_ROWS = 150
_NOTHING = paragraph("Select a body here or in the scene to see its properties.")


class TreePanel:
    """A row for each body, indented by its depth in the kinematic tree."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], on_select: OnSelect) -> None:
        self._gui, self._views, self._on_select = gui, views, on_select
        self._rows = [(view, row) for view in views for row in tree_rows(view.world)]
        self._search = gui.add_text("Search", "", hint="Part of the name of a body, or of its parent joint")
        self._details = gui.add_html(_NOTHING)
        self._list: viser.GuiFolderHandle | None = None
        self._search.on_update(lambda event: self._fill_rows(event.target.value))
        self._fill_rows("")

    def _fill_rows(self, text: str) -> None:
        if self._list is not None:
            self._list.remove()
        self._list = self._gui.add_folder("Bodies")
        rows = [(view, row) for view, row in self._rows if matches(row, text)]
        with self._list:
            self._gui.add_html(as_list("ossature-bodies"))
            for view, row in rows[:_MOST_ROWS]:
                self._add_row(view, row, 0 if text else row.depth)
            if len(rows) > _MOST_ROWS:
                self._gui.add_html(paragraph(f"… and {len(rows) - _MOST_ROWS} more: use the search"))
            if not rows:
                self._gui.add_html(paragraph(f"No body or joint name contains '{text}'."))

    def _add_row(self, view: ModelView, row: TreeRow, depth: int) -> None:
        button = self._gui.add_button("    " * depth + row.label, hint=row.hint)
        button.on_click(lambda _: self._on_select(view, row.model, row.body))

    def show(self, view: ModelView, model: str, body: str) -> None:
        """Show the properties of a body."""
        owner = view.world.models[model]
        self._details.content = body_details(owner, owner.bodies[body], view.poses[model][body])

    def clear(self) -> None:
        """Show no properties."""
        self._details.content = _NOTHING
