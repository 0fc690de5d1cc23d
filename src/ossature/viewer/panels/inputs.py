"""Numbers that motors and joints are told while a simulation runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ossature.viewer.command_inputs import Commandable, commandables
from ossature.viewer.detail_html import note
from ossature.viewer.model_view import ModelView

if TYPE_CHECKING:
    import viser

Commanded = Callable[[ModelView, Commandable, float], None]
"""Gets the file, what is told, and what it is told."""

_MOST_OPEN = 8


class CommandsPanel:
    """A field for each motor, and for each joint that follows a velocity."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], on_command: Commanded) -> None:
        found = [(view, one) for view in views for one in commandables(view.world)]
        self._fields: list[tuple[Any, float]] = []
        with gui.add_folder("Commands", expand_by_default=len(found) <= _MOST_OPEN, visible=bool(found)):
            gui.add_html(note("All goes as the file says until a number is changed here, and again after Restart."))
            for view, one in found:
                self._add(gui, view, one, on_command)

    def _add(self, gui: viser.GuiApi, view: ModelView, one: Commandable, on_command: Commanded) -> None:
        field = gui.add_number(f"{one.name}, {one.unit}", one.value, step=0.01, hint=one.hint)
        self._fields.append((field, one.value))

        @field.on_update
        def _(event: viser.GuiEvent[viser.GuiNumberHandle[float]]) -> None:
            if event.client is not None:
                on_command(view, one, float(event.target.value))

    def reset(self) -> None:
        """Show what the files say."""
        for field, value in self._fields:
            field.value = value
