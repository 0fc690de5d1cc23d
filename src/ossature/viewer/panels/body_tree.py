"""The panel "Tree": the kinematic tree with a search, which bodies are shown, and the properties of the selected body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from ossature.viewer.body_tree import TreeRow, matches, tree_rows
from ossature.viewer.detail_html import body_details, joint_details, measurement_details, paragraph
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.list_row_style import as_list
from ossature.viewer.panels.values import ValuesPanel

if TYPE_CHECKING:
    import viser

    from ossature.viewer.value_editor import ValueEditor

OnSelect = Callable[[ModelView, str, str], None]

_MOST_ROWS = 150


class ShownBodies(StrEnum):
    """Which bodies are shown."""

    HIDE = "Hide"
    """Not the selected one."""
    ISOLATE = "Isolate"
    """Only the selected one."""
    ALL = "Show all"
    """All."""


_NOTHING = paragraph(
    "Select a body here or in the scene to see its properties, and another one to measure the distance and angle between them."
)


class TreePanel:
    """A row for each body, indented by its depth in the kinematic tree.

    Args:
        gui: The controls of the page.
        views: The files.
        on_select: Called with the body of a row.
        on_show: Called with which bodies are to be shown.
        editing: Edits the values of the selected body.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        views: Sequence[ModelView],
        on_select: OnSelect,
        on_show: Callable[[ShownBodies], None],
        editing: ValueEditor,
    ) -> None:
        self._gui, self._views, self._on_select = gui, views, on_select
        self._buttons: dict[tuple[ModelView, str, str], tuple[viser.GuiButtonHandle, str]] = {}
        self._selected: tuple[ModelView, str, str] | None = None
        self._rows = [(view, row) for view in views for row in tree_rows(view.world)]
        self._search = gui.add_text("Search", "", hint="Part of the name of a body, or of its parent joint")
        hint = "Hide the selected body, hide all others, or show all bodies"
        shown = gui.add_button_group("Selected", tuple(each.value for each in ShownBodies), hint=hint)
        shown.on_click(lambda event: on_show(ShownBodies(event.target.value)))
        self._details = gui.add_html(_NOTHING)
        self._values = ValuesPanel(gui, editing)
        self._list: viser.GuiFolderHandle | None = None
        self._search.on_update(lambda event: self._fill_rows(event.target.value))
        self._fill_rows("")

    def _fill_rows(self, text: str) -> None:
        if self._list is not None:
            self._list.remove()
            self._buttons.clear()
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
        label = "    " * depth + row.label
        button = self._gui.add_button(label, hint=row.hint)
        button.on_click(lambda _: self._on_select(view, row.model, row.body))
        self._buttons[view, row.model, row.body] = (button, label)
        self._mark((view, row.model, row.body))

    def _mark(self, body: tuple[ModelView, str, str] | None) -> None:
        """Mark the row of a body if it is the selected one, if there is a row."""
        if body in self._buttons:
            button, label = self._buttons[body]
            button.label = f"{label}  ◂" if body == self._selected else label

    def show(self, view: ModelView, model: str, body: str) -> None:
        """Show the properties of a body and of its parent joint, and how it lies relative to the body selected before."""
        before = self._selected
        self._select((view, model, body))
        owner = view.world.models[model]
        details = body_details(owner, owner.bodies[body], view.poses[model][body], view.loaded.meshes)
        parents = [row.joint for other, row in self._rows if other is view and (row.model, row.body) == (model, body)]
        joints = [owner.joints[name] for name in parents if name is not None and name in owner.joints]
        self._details.content = details + "".join([joint_details(joint) for joint in joints])
        if before is not None and before[0] is view and before[1:] != (model, body):
            start, end = view.poses[before[1]][before[2]], view.poses[model][body]
            self._details.content += measurement_details(before[2], start, end)
        self._values.show(view, model, body)

    def clear(self) -> None:
        """Show no properties, and mark no row."""
        self._select(None)
        self._details.content = _NOTHING
        self._values.clear()

    def _select(self, body: tuple[ModelView, str, str] | None) -> None:
        before, self._selected = self._selected, body
        for each in (before, body):
            self._mark(each)
