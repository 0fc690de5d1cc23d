"""Telling xacro templates from finished URDF."""

from __future__ import annotations

import re

from ossature.syntax.xml import XmlNode

_TAG = "xacro:"
_CALL = re.compile(r"\$\{|\$\((?:find|arg|eval|env|optenv|dirname|anon)\b")


_SIGNS = re.compile(rb"<xacro:|\$\{|\$\(")
"""A file without any of it need not be looked through."""


def first_of_xacro(root: XmlNode) -> tuple[XmlNode, str] | None:
    """Return the first element that xacro would have replaced, and what tells so; None where there is none."""
    data = root.source.data
    if root.source.encoding == "utf-8" and _SIGNS.search(data) is None:
        return None
    pending = [root]
    while pending:
        node = pending.pop()
        if node.tag.startswith(_TAG):
            return node, f"<{node.tag}>"
        for value in node.attributes.values():
            if "$" in value and _CALL.search(value):
                return node, value
        pending.extend(reversed(node.children))
    return None
