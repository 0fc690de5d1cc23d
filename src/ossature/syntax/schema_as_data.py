"""The schema of a format as plain data, for the documentation, the schema command and the coverage table."""

from __future__ import annotations

from typing import Any

from ossature.syntax.schema import Element, FieldKind, FieldSpec, spellings, walk


def as_data(root: type[Element], tag: str, *, syntax: str = "xml") -> list[dict[str, Any]]:
    """Return every element of a schema: its path, documentation, attributes and children.

    Args:
        syntax: ``xml`` or ``yaml``: the notation of names.
    """
    return [
        {
            "path": path,
            "doc": (declared.__doc__ or "").strip(),
            "fields": [_field_data(spec, syntax) for spec in spellings(declared).values()],
        }
        for path, declared in walk(root, tag)
    ]


def _field_data(spec: FieldSpec, syntax: str) -> dict[str, Any]:
    return {
        "spelled": _xml_notation(spec) if syntax == "xml" else spec.name,
        "type": _type_name(spec, syntax),
        "unit": spec.unit,
        "occurrence": "any number" if spec.repeated else "required" if spec.required else "optional",
        "default": _default_text(spec),
        "aliases": dict(spec.aliases),
        "source": spec.source,
        "doc": spec.doc,
    }


def _type_name(spec: FieldSpec, syntax: str) -> str:
    if not spec.elements:
        return spec.value.name
    if syntax == "xml":
        return " | ".join(f"<{tag}>" for tag in spec.elements)
    return "list of mappings" if spec.repeated else "mapping"


def _xml_notation(spec: FieldSpec) -> str:
    if spec.kind is FieldKind.ATTRIBUTE:
        return f"@{spec.name}"
    return " | ".join(f"<{tag}>" for tag in spec.elements) or f"<{spec.name}>"


def _default_text(spec: FieldSpec) -> str | None:
    if spec.default is None or spec.elements:
        return None
    return str(spec.default if isinstance(spec.default, str) else spec.value.format(spec.default))
