"""What a format's declarations say, as data: for the documentation, the schema command and the coverage table."""

from __future__ import annotations

from typing import Any

from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings, walk


def as_data(root: type[Element], tag: str, *, syntax: str = "xml") -> list[dict[str, Any]]:
    """Return every element below a root: its path, what it is, and its attributes and children.

    Args:
        root: The declaration of the root.
        tag: What the root is called.
        syntax: ``xml`` or ``yaml``: how names are spelled.
    """
    return [
        {
            "path": path,
            "doc": (declared.__doc__ or "").strip(),
            "fields": [_field(spelling, syntax) for spelling in spellings(declared).values()],
        }
        for path, declared in walk(root, tag)
    ]


def _field(spelling: FieldSpec, syntax: str) -> dict[str, Any]:
    return {
        "spelled": _spelled(spelling) if syntax == "xml" else spelling.name,
        "type": _type(spelling, syntax),
        "unit": spelling.unit,
        "occurrence": "any number" if spelling.repeated else "required" if spelling.required else "optional",
        "default": _default(spelling),
        "aliases": dict(spelling.aliases),
        "source": spelling.source,
        "doc": spelling.doc,
    }


def _type(spelling: FieldSpec, syntax: str) -> str:
    if not spelling.elements:
        return spelling.value.name
    if syntax == "xml":
        return " | ".join(f"<{tag}>" for tag in spelling.elements)
    return "list of mappings" if spelling.repeated else "mapping"


def _spelled(spelling: FieldSpec) -> str:
    if spelling.kind is FieldKind.ATTRIBUTE:
        return f"@{spelling.name}"
    return " | ".join(f"<{tag}>" for tag in spelling.elements) or f"<{spelling.name}>"


def _default(spelling: FieldSpec) -> str | None:
    if spelling.default is None or spelling.elements:
        return None
    return str(spelling.default if isinstance(spelling.default, str) else spelling.value.format(spelling.default))
