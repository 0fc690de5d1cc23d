"""Keys of the page, which are also commands of its command palette."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCommand:
    """A command with a key.

    Attributes:
        key: Name of the key for viser, such as ``space`` or ``F``.
        label: What it does.
        run: Runs it for the client that pressed the key.
    """

    key: str
    label: str
    run: Callable[[viser.ClientHandle], None]


KEY_LABELS = {
    "space": "Space",
    "arrowright": "→",
    "arrowleft": "←",
    "escape": "Esc",
    "home": "Home",
}
"""Names of keys in the help, if they differ from those of viser."""

MOUSE_HELP = {
    "Drag": "turn the camera; with the right button, move it; the wheel zooms",
    "Ctrl + drag": "pull a body; the simulation runs",
    "Click, double click": "select a body; go to it",
    "?": "this help",
}
"""What the mouse does, for the help."""


def register_key_commands(gui: viser.GuiApi, commands: list[KeyCommand]) -> None:
    """Add commands to a page."""
    for command in commands:
        hotkey: Any = command.key
        gui.add_command(command.label, hotkey=hotkey).on_trigger(_trigger_of(command))


def _trigger_of(command: KeyCommand) -> Callable[[Any], None]:
    def trigger(event: Any) -> None:
        if event.client is not None:
            command.run(event.client)

    return trigger


def help_of(commands: list[KeyCommand]) -> dict[str, str]:
    """Return what each key and the mouse do."""
    return {KEY_LABELS.get(command.key, command.key.upper()): command.label for command in commands} | MOUSE_HELP
