"""What a format's declarations say, as data: for the documentation, the schema command and the coverage table."""

from __future__ import annotations

from typing import Any

from ossature.syntax.schema import Element, Kind, Spelling, spellings, walk


def as_data(root: type[Element], tag: str) -> list[dict[str, Any]]:
    """Return every element below a root: its path, what it is, and its attributes and children."""
    return [
        {
            "path": path,
            "doc": (declared.__doc__ or "").strip(),
            "fields": [_field(spelling) for spelling in spellings(declared).values()],
        }
        for path, declared in walk(root, tag)
    ]


def _field(spelling: Spelling) -> dict[str, Any]:
    return {
        "spelled": _spelled(spelling),
        "type": " | ".join(f"<{tag}>" for tag in spelling.elements) or spelling.value.name,
        "unit": spelling.unit,
        "occurrence": "any number" if spelling.repeated else "required" if spelling.required else "optional",
        "default": _default(spelling),
        "aliases": dict(spelling.aliases),
        "source": spelling.source,
        "doc": spelling.doc,
    }


def _spelled(spelling: Spelling) -> str:
    if spelling.kind is Kind.ATTRIBUTE:
        return f"@{spelling.name}"
    return " | ".join(f"<{tag}>" for tag in spelling.elements) or f"<{spelling.name}>"


def _default(spelling: Spelling) -> str | None:
    if spelling.default is None or spelling.elements:
        return None
    return str(spelling.default) if isinstance(spelling.default, str) else spelling.value.format(spelling.default)
