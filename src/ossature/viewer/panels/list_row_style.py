"""Style of buttons that are rows of a list."""

from __future__ import annotations

from html import escape

_LIST = """
<style>
div:has(> div > .{name}) button[class*="Button-root"] {{
  background: transparent; color: inherit; font-weight: 400; padding: 0 0.5em;
  height: auto !important; min-height: 1.6em; border: 0;
}}
div:has(> div > .{name}) button[class*="Button-root"]:hover {{ background: rgba(127, 127, 127, 0.15); }}
div:has(> div > .{name}) button [class*="Button-inner"] {{ justify-content: flex-start; text-align: left; }}
div:has(> div > .{name}) button [class*="Button-label"] {{ white-space: {space}; overflow-wrap: anywhere; }}
div:has(> div > .{name}) div:has(> button) {{ padding-bottom: 0.1em; }}
</style>
<div class="{name}"></div>
"""


def as_list(name: str, *, wrapped: bool = False) -> str:
    """Return HTML that styles the other buttons of its container as rows of a list.

    Args:
        name: Name of the CSS class.
        wrapped: Whether long texts are wrapped.
    """
    return _LIST.format(name=escape(name), space="normal" if wrapped else "pre")
