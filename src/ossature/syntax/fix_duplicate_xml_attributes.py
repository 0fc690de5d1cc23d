"""Start tags in which an attribute occurs more than once, which are not well-formed: the fix removes the further ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ossature.diagnostics.fix import Edit, Fix, Safety
from ossature.diagnostics.location import Source

START_TAG = re.compile(
    r"<(?P<name>[^\s<>/\"'=]+)(?P<attributes>(?:\s+[^\s<>=/\"']+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?P<empty>/)?>"
)
ATTRIBUTE = re.compile(r"\s+(?P<name>[^\s<>=/\"']+)\s*=\s*(?P<quote>[\"'])(?P<value>.*?)(?P=quote)", re.DOTALL)


def remove_duplicate_attributes(source: Source, offset: int) -> Fix | None:
    """Return the fix of a tag in which an attribute occurs more than once; safe if the values are equal."""
    found = list(_duplicate_attributes(source, offset))
    if not found:
        return None
    edits: tuple[Edit, ...] = tuple([edit for edit, _, _ in found])
    safety = Safety.SAFE if all(is_equal for _, _, is_equal in found) else Safety.UNSAFE
    names = ", ".join(f"'{name}'" for _, name, _ in found)
    return Fix(title=f"remove the further {names}", edits=edits, safety=safety)


def _duplicate_attributes(source: Source, offset: int) -> Iterator[tuple[Edit, str, bool]]:
    """Yield the edit that removes each further attribute of a name in a tag, with the name, and whether its value is equal.

    Args:
        source: The file, which is not well-formed.
        offset: Byte offset in the tag, or at its start.
    """
    before = source.text_before(offset + 1, 1 << 16)
    start = before.rfind("<")
    if start < 0:
        return
    first = offset + 1 - len(before[start:].encode(source.encoding)) if source.data[offset : offset + 1] != b"<" else offset
    text = source.text_from(first, 1 << 16)
    tag = START_TAG.match(text)
    if tag is None:
        return
    values: dict[str, str] = {}
    for found in ATTRIBUTE.finditer(text, tag.start("attributes"), tag.end("attributes")):
        if found["name"] in values:
            span = [first + len(text[:index].encode(source.encoding)) for index in found.span()]
            yield Edit(span[0], span[1], ""), found["name"], found["value"] == values[found["name"]]
        values.setdefault(found["name"], found["value"])
