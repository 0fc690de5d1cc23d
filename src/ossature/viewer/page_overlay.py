"""Title, axis gizmo and keyboard help of the page, by a script that runs in the browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from ossature.diagnostics.text_escaping import printable

if TYPE_CHECKING:
    import viser


def add_overlay(gui: viser.GuiApi, title: str, keys: Mapping[str, str]) -> None:
    """Set the title of the browser's tab, and add the axis gizmo and the keyboard help.

    Args:
        gui: The controls of the page.
        keys: What each key does, for the help.
    """
    from viser import _messages

    script = files("ossature.viewer").joinpath("page_overlay.js").read_text(encoding="utf-8")
    # JSON is a literal of JavaScript: names from files cannot end the string.
    page = json.dumps({"title": printable(title), "keys": list(keys.items())})
    gui._websock_interface.queue_message(_messages.RunJavascriptMessage(source=f"{script.rstrip().rstrip(';')}({page});"))
