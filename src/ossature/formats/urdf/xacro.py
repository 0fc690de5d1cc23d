"""Telling xacro templates from finished URDF."""

from __future__ import annotations

import re

from ossature.syntax.xml import Node

_TAG = "xacro:"
_CALL = re.compile(r"\$\{|\$\((?:find|arg|eval|env|optenv|dirname|anon)\b")


def first_of_xacro(root: Node) -> tuple[Node, str] | None:
    """Return the first element that xacro would have replaced, and what tells so; None where there is none."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.tag.startswith(_TAG):
            return node, f"<{node.tag}>"
        for value in node.attributes.values():
            if _CALL.search(value):
                return node, value
        pending.extend(reversed(node.children))
    return None
