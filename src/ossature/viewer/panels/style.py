"""How rows of buttons look: like a list, not like a stack of boxes."""

from __future__ import annotations

from html import escape

_LIST = """
<style>
.{name} ~ * button {{ justify-content: flex-start; }}
div:has(> div > .{name}) button[class*="Button-root"] {{
  background: transparent; color: inherit; font-weight: 400; padding: 0 0.5em; height: 1.6em !important; border: 0;
}}
div:has(> div > .{name}) button[class*="Button-root"]:hover {{ background: rgba(127, 127, 127, 0.15); }}
div:has(> div > .{name}) button [class*="Button-inner"] {{ justify-content: flex-start; }}
div:has(> div > .{name}) button [class*="Button-label"] {{ white-space: pre; }}
div:has(> div > .{name}) div:has(> button) {{ padding-bottom: 0.1em; }}
</style>
<div class="{name}"></div>
"""


def as_list(name: str) -> str:
    """Return HTML that makes the buttons beside it in a container look like rows; ``name`` is any word."""
    return _LIST.format(name=escape(name))
