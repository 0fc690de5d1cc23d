"""The folder "Inputs": commands to motors, actuators and velocity-controlled joints during a simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ossature.viewer.list_command_inputs import CommandInput, list_command_inputs
from ossature.viewer.model_view import ModelView
from ossature.viewer.properties_and_findings_html import paragraph

if TYPE_CHECKING:
    import viser

OnCommand = Callable[[ModelView, CommandInput, float], None]
"""Gets a view, an input, and its command."""

_MOST_OPEN, _MOST_NAMED = 8, 5
_SLIDER_STEPS = 200


class CommandSliders:
    """A slider for each input with limits, and a number field for each other one."""

    def __init__(self, gui: viser.GuiApi, views: Sequence[ModelView], on_command: OnCommand) -> None:
        inputs = [(view, command_input) for view in views for command_input in list_command_inputs(view.world)]
        self._fields: list[tuple[Any, float]] = []
        with gui.add_folder("Inputs", expand_by_default=len(inputs) <= _MOST_OPEN, visible=bool(inputs)):
            gui.add_html(paragraph("Inputs follow the functions of the file until they are changed here. Restart resets them."))
            follows = [f"{found.name}: {found.follows}" for _, found in inputs if found.follows is not None]
            if follows:
                more = f", and {len(follows) - _MOST_NAMED} more" if len(follows) > _MOST_NAMED else ""
                gui.add_html(paragraph(f"Not constant, and 0 here until changed: {', '.join(follows[:_MOST_NAMED])}{more}"))
            for view, command_input in inputs:
                self._add_input(gui, view, command_input, on_command)

    def _add_input(self, gui: viser.GuiApi, view: ModelView, command_input: CommandInput, on_command: OnCommand) -> None:
        label = f"{command_input.name}, {command_input.unit}"
        if command_input.limits is None:
            field: Any = gui.add_number(label, command_input.value, step=0.01, hint=command_input.hint)
        else:
            lower, upper = command_input.limits
            step = (upper - lower) / _SLIDER_STEPS
            field = gui.add_slider(label, lower, upper, step, command_input.value, hint=command_input.hint)
        self._fields.append((field, command_input.value))

        def send(event: viser.GuiEvent[Any]) -> None:
            if event.client is not None:
                on_command(view, command_input, float(event.target.value))

        field.on_update(send)

    def reset(self) -> None:
        """Show the values of the files."""
        for field, value in self._fields:
            field.value = value
