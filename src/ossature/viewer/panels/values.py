"""The folder "Values": numbers and colours of the selected body and of its parent joint, edited and saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ossature.model import ModelError
from ossature.viewer.editable_values_with_undo import EditableValue, EditedValue, editable_values, parse_number
from ossature.viewer.properties_and_findings_html import paragraph

if TYPE_CHECKING:
    import viser

    from ossature.viewer.model_view import ModelView
    from ossature.viewer.value_editor import ValueEditor

_UNDO, _REDO = "Undo", "Redo"
_COPY, _CALIBRATION = "Copy of the file", "Calibration"


class ValuesPanel:
    """A field for each value. Apply changes the World of the page, not the file."""

    def __init__(self, gui: viser.GuiApi, editing: ValueEditor) -> None:
        self._gui, self._editing = gui, editing
        self._view: ModelView | None = None
        self._fields: list[tuple[EditableValue, Any, object]] = []
        self._folder = gui.add_folder("Values", expand_by_default=editing.was_used, visible=False)
        with self._folder:
            self._rows = gui.add_folder(None)
            apply = gui.add_button("Apply", hint="Change the model of this page; a running simulation starts again")
            steps = gui.add_button_group("Edits", (_UNDO, _REDO))
            save = gui.add_button_group(
                "Save as",
                (_COPY, _CALIBRATION),
                hint="Save a new model file, or a calibration file that contains only the changed values",
            )
            self._text: Any = gui.add_html("")
        apply.on_click(lambda _: self._apply())
        steps.on_click(lambda event: self._step(event.target.value))
        save.on_click(lambda event: self._save(event.target.value))

    def show(self, view: ModelView, model: str, body: str) -> None:
        """Show the values of a body and of its parent joint."""
        self._view = view
        for child in list(self._rows._children.values()):
            child.remove()
        values = editable_values(view.world.models[model], body)
        with self._rows:
            self._fields = [(value, *self._add_field(value)) for value in values]
        self._folder.visible = True
        self._show_changes(self._editing.changes(view))

    def clear(self) -> None:
        """Show nothing."""
        self._view, self._folder.visible = None, False

    def _add_field(self, edited: EditableValue) -> tuple[Any, object]:
        """Add a field; returns it and what it shows."""
        label = f"{edited.label}, {edited.unit}" if edited.unit else edited.label
        if edited.is_color:
            color = edited.value if isinstance(edited.value, tuple) else (0.7, 0.7, 0.7, 1.0)
            red, green, blue, alpha = (round(255 * min(max(part, 0.0), 1.0)) for part in color)
            hint = edited.path if edited.value is not None else f"{edited.path}: not stated"
            field: Any = self._gui.add_rgba(label, (red, green, blue, alpha), hint=hint)
        else:
            field = self._gui.add_text(label, f"{edited.value!r}", hint=edited.path)
        return field, field.value

    def _changed(self) -> dict[str, EditedValue]:
        """Return the values of the fields that were changed.

        Raises:
            ModelError: A text is not a number.
        """
        found: dict[str, EditedValue] = {}
        for edited, field, before in self._fields:
            if field.value == before:
                continue
            if edited.is_color:
                red, green, blue, alpha = (part / 255.0 for part in field.value)
                found |= edited.changes_to((red, green, blue, alpha))
            else:
                found |= edited.changes_to(parse_number(str(field.value), edited))
        return found

    def _apply(self) -> None:
        if self._view is None:
            return
        try:
            changed = self._changed()
        except ModelError as error:
            self._text.content = paragraph(str(error))
            return
        if changed:
            self._editing.change(self._view, changed)

    def _step(self, which: str) -> None:
        if self._view is not None:
            (self._editing.undo if which == _UNDO else self._editing.redo)(self._view)

    def _save(self, which: str) -> None:
        if self._view is not None:
            (self._editing.save_copy if which == _COPY else self._editing.save_calibration)(self._view)

    def _show_changes(self, changes: Sequence[str]) -> None:
        self._text.content = "".join(map(paragraph, changes)) or paragraph("No value is edited. The file is never changed.")
