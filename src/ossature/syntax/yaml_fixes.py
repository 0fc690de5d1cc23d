"""Fixes of findings about YAML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ossature.diagnostics.fix import Edit, Fix
from ossature.syntax.xml_fixes import only_near_name
from ossature.syntax.xml_values import format_number
from ossature.syntax.yaml import YamlNode


def rename_key(node: YamlNode, key: str, choices: Iterable[str]) -> Fix | None:
    """Return the fix of a misspelt key of a mapping, or None."""
    name = only_near_name(key, choices, node.entries)
    return None if name is None else replace_key(node, key, name, keeps_model=False)


def replace_key(node: YamlNode, key: str, name: str, *, keeps_model: bool = True) -> Fix | None:
    """Return the fix that renames a key of a mapping, which must be written as it is, or in quotes."""
    location = node.field_location(key)
    if location is None or name in node.entries:
        return None
    source, start = location
    if start is None:
        return None
    text = source.text_from(start, 4 * len(key) + 8)
    quote = text[0] if text[:1] in ("'", '"') else ""
    if not text.startswith(f"{quote}{key}{quote}"):
        return None
    first = start + len(quote.encode(source.encoding))
    edit = Edit(first, first + len(key.encode(source.encoding)), name)
    return Fix(title=f"rename the key '{key}' to '{name}'", edits=(edit,), keeps_model=keeps_model)


def replace_numbers(node: YamlNode, values: Sequence[float], *, keeps_model: bool = False) -> Fix | None:
    """Return the fix that replaces the numbers of a list, which must be written as they are, or None."""
    edits = []
    for item, value in zip(node.items, values, strict=True):
        source, start = item.location
        if start is None or not item.is_plain or not source.text_from(start, len(item.text) + 8).startswith(item.text):
            return None
        edits.append(Edit(start, start + len(item.text.encode(source.encoding)), format_number(value)))
    shown = ", ".join(edit.text for edit in edits)
    return Fix(title=f"change the numbers to {shown}", edits=tuple(edits), keeps_model=keeps_model)
