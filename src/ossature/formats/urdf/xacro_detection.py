"""Detection of xacro templates."""

from __future__ import annotations

import re

from ossature.syntax.xml import XmlNode

_TAG = "xacro:"
_CALL = re.compile(r"\$\{|\$\((?:find|arg|eval|env|optenv|dirname|anon)\b")
_SYNTAX = re.compile(rb"<xacro:|\$\{|\$\(")
"""Patterns of which every template contains one: a fast check of the whole file."""


def find_xacro_syntax(root: XmlNode) -> tuple[XmlNode, str] | None:
    """Return the first element that xacro would replace, with its xacro syntax; None if the file is not a template."""
    data = root.source.data
    if root.source.encoding == "utf-8" and _SYNTAX.search(data) is None:
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


_DEFINITIONS = ("xacro:property", "xacro:arg")
"""Elements that define values; without an expression that uses them they have no effect."""


def remove_xacro_leftovers(root: XmlNode) -> list[tuple[XmlNode, str]]:
    """Remove xacro syntax without which the robot can be understood; return each element with its xacro syntax.

    A finished robot may contain definitions of values, which nothing uses, and names, colours and textures of materials: a
    property of the template was not defined, and only the appearance depends on it.
    """
    removed = [(child, f"<{child.tag}>") for child in root.children if child.tag in _DEFINITIONS]
    root.children = [child for child in root.children if child.tag not in _DEFINITIONS]
    pending = [root]
    while pending:
        node = pending.pop()
        if node.tag == "material":
            leftovers = [(child, syntax) for child in node.children if (syntax := _call_in(child)) is not None]
            node.children = [child for child in node.children if all(child is not left for left, _ in leftovers)]
            removed += leftovers
            if (syntax := _call_in(node)) is not None:
                removed.append((node, syntax))
                node.attributes["name"] = ""
        else:
            pending.extend(reversed(node.children))
    return removed


def _call_in(node: XmlNode) -> str | None:
    return next((value for value in node.attributes.values() if "$" in value and _CALL.search(value)), None)
