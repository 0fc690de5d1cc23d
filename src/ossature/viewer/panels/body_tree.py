"""The panel "Tree": bodies and joints with search and folding, which bodies are shown, and properties of the selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from ossature.viewer.body_tree_rows import RowKey, TreeRow, ancestors, matches, rows_to_fold, tree_rows, unfolded
from ossature.viewer.model_view import ModelView
from ossature.viewer.panels.list_row_style import as_list
from ossature.viewer.panels.values import ValuesPanel
from ossature.viewer.properties_and_findings_html import body_details, joint_details, measurement_details, paragraph

if TYPE_CHECKING:
    import viser

    from ossature.viewer.value_editor import ValueEditor

OnSelect = Callable[[ModelView, str, str], None]
_Key = tuple[ModelView, RowKey]
"""What identifies a row: its file, and the key of the row in it."""

_MOST_ROWS = 150
_FOLDED, _UNFOLDED, _LEAF = "▸ ", "▾ ", "   "


class ShownBodies(StrEnum):
    """Which bodies are shown."""

    HIDE = "Hide"
    """Not the selected one."""
    ISOLATE = "Isolate"
    """Only the selected one."""
    ALL = "Show all"
    """All."""


class Folding(StrEnum):
    """Which rows are folded."""

    FOLD = "Fold all"
    UNFOLD = "Unfold all"


_NOTHING = paragraph(
    "Select a body here or in the scene, or a joint here, to see its properties. Select another body to measure the distance "
    "and angle between the two. A second click on a row folds the rows below it."
)


class TreePanel:
    """A row for each body and joint, indented by its depth in the kinematic tree.

    Args:
        gui: The controls of the page.
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
        self._buttons: dict[_Key, tuple[viser.GuiButtonHandle, str]] = {}
        self._selected: _Key | None = None
        self._rows = {view: tree_rows(view.world) for view in views}
        self._folded = {view: rows_to_fold(rows, _MOST_ROWS) for view, rows in self._rows.items()}
        self._search = gui.add_text("Search", "", hint="Part of the name of a body or joint")
        hint = "Hide the selected body, hide all others, or show all bodies"
        shown = gui.add_button_group("Selected", tuple(each.value for each in ShownBodies), hint=hint)
        shown.on_click(lambda event: on_show(ShownBodies(event.target.value)))
        self._details = gui.add_html(_NOTHING)
        self._values = ValuesPanel(gui, editing)
        folding = gui.add_button_group(
            "Rows", tuple(each.value for each in Folding), hint="Fold or unfold all rows of the tree"
        )
        folding.on_click(lambda event: self._fold_all(Folding(event.target.value)))
        self._list = gui.add_folder("Bodies and joints")
        self._search.on_update(lambda _: self._fill_rows())
        self._fill_rows()

    def _fill_rows(self) -> None:
        # In the same folder: one that is added later, by the thread of a click, is not in the tab but below all tabs.
        for child in list(self._list._children.values()):
            child.remove()
        self._buttons.clear()
        text = self._search.value
        rows = [(view, row) for view, all_rows in self._rows.items() for row in self._listed(view, all_rows, text)]
        with self._list:
            self._gui.add_html(as_list("ossature-bodies"))
            for view, row in rows[:_MOST_ROWS]:
                self._add_row(view, row, 0 if text else row.depth)
            if len(rows) > _MOST_ROWS:
                self._gui.add_html(paragraph(f"… and {len(rows) - _MOST_ROWS} more: use the search, or fold rows"))
            if not rows:
                self._gui.add_html(paragraph(f"No body or joint name contains '{text}'."))

    def _listed(self, view: ModelView, rows: Sequence[TreeRow], text: str) -> list[TreeRow]:
        """Return the rows of a file whose names contain a text, or those that are not folded if there is no text."""
        return [row for row in rows if matches(row, text)] if text else list(unfolded(rows, self._folded[view]))

    def _add_row(self, view: ModelView, row: TreeRow, depth: int) -> None:
        fold = (_FOLDED if row.key in self._folded[view] else _UNFOLDED) if row.has_rows and not self._search.value else _LEAF
        label = "  " * depth + fold + row.label
        button = self._gui.add_button(label, hint=row.hint)
        button.on_click(lambda _: self._click(view, row))
        self._buttons[view, row.key] = (button, label)
        self._mark((view, row.key))

    def _click(self, view: ModelView, row: TreeRow) -> None:
        """Select what a row is, or fold the rows below it if it is selected."""
        if self._selected == (view, row.key) and row.has_rows and not self._search.value:
            self._folded[view] ^= {row.key}
            self._fill_rows()
            return
        self._on_select(view, row.model, row.body)
        if row.joint is not None:
            self._show_joint(view, row, row.joint)

    def _fold_all(self, folding: Folding) -> None:
        for view, rows in self._rows.items():
            self._folded[view] = {row.key for row in rows if row.has_rows} if folding is Folding.FOLD else set()
        self._fill_rows()

    def _mark(self, key: _Key | None) -> None:
        """Mark a row if it is the selected one, if it is listed."""
        if key in self._buttons:
            button, label = self._buttons[key]
            button.label = f"{label}  ◂" if key == self._selected else label

    def _show_joint(self, view: ModelView, row: TreeRow, name: str) -> None:
        """Show the properties of a joint, whose child is selected in the scene."""
        self._select((view, row.key))
        joint = view.world.models[row.model].joints.get(name)
        if joint is not None:
            self._details.content = joint_details(joint)

    def show(self, view: ModelView, model: str, body: str) -> None:
        """Show the properties of a body and of its parent joint, and how it lies relative to the body selected before."""
        before, key = self._selected, (model, body, None)
        folded = ancestors(self._rows[view], key) & self._folded[view]
        if folded and not self._search.value:
            self._folded[view] -= folded
            self._fill_rows()
        self._select((view, key))
        owner = view.world.models[model]
        details = body_details(owner, owner.bodies[body], view.poses[model][body], view.loaded.meshes)
        parents = [row.joint for row in self._rows[view] if (row.model, row.body) == (model, body) and row.joint is not None]
        joints = [owner.joints[name] for name in parents if name in owner.joints]
        self._details.content = details + "".join([joint_details(joint) for joint in joints])
        if before is not None and before[0] is view and before[1][:2] != (model, body):
            other_model, other_body, _ = before[1]
            start, end = view.poses[other_model][other_body], view.poses[model][body]
            self._details.content += measurement_details(other_body, start, end)
        self._values.show(view, model, body)

    def clear(self) -> None:
        """Show no properties, and mark no row."""
        self._select(None)
        self._details.content = _NOTHING
        self._values.clear()

    def _select(self, key: _Key | None) -> None:
        before, self._selected = self._selected, key
        for each in (before, key):
            self._mark(each)
