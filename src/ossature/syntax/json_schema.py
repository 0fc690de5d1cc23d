"""JSON Schemas of YAML formats from their declarations, for editors and validators."""

from __future__ import annotations

import re
from typing import Any

from ossature.syntax.schema import Element, FieldSpec, spellings, walk
from ossature.syntax.xml_values import ValueType

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER: dict[str, Any] = {"type": "number"}
_COUNTS = re.compile(r"(\d+(?: or \d+)*) numbers\Z")
_ROWS = re.compile(r"\[\[(.*)\], …\]\Z")


def json_schema(title: str, roots: tuple[tuple[str, type[Element]], ...]) -> dict[str, Any]:
    """Return the JSON Schema of a YAML format; a file has one of its roots.

    Args:
        roots: The name and declaration of each root.
    """
    declared = list(dict.fromkeys(one for tag, root in roots for _, one in walk(root, tag)))
    names = {one: f"{one.__name__}.{number}" for number, one in enumerate(declared)}
    references = [{"$ref": f"#/$defs/{names[root]}"} for _, root in roots]
    return {
        "$schema": DIALECT,
        "title": title,
        **(references[0] if len(references) == 1 else {"anyOf": references}),
        "$defs": {names[one]: _mapping(one, names) for one in declared},
    }


def _mapping(declared: type[Element], names: dict[type[Element], str]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[Any] = []
    for spec in spellings(declared).values():
        keys = list(spec.elements) or [spec.name or ""]
        for key in keys:
            properties[key] = {**_described(spec), **_content(spec, key, names)}
        for alias, reason in spec.aliases.items():
            properties[alias] = {**_content(spec, keys[0], names), "description": reason, "deprecated": True}
        if spec.required:
            required.append([*keys, *spec.aliases])
    for key, reason in declared.ignored.items():
        properties.setdefault(key, {"description": reason})
    if declared.opaque:
        return {"type": "object", "description": _doc(declared)}
    schema: dict[str, Any] = {"type": "object", "description": _doc(declared), "properties": properties}
    if not declared.has_passthrough:
        schema["additionalProperties"] = False
    schema["required"] = [keys[0] for keys in required if len(keys) == 1]
    choices = [{"anyOf": [{"required": [key]} for key in keys]} for keys in required if len(keys) > 1]
    return {**schema, **({"allOf": choices} if choices else {})}


def _doc(declared: type[Element]) -> str:
    return (declared.__doc__ or "").strip()


def _described(spec: FieldSpec) -> dict[str, Any]:
    unit = f" [{spec.unit}]" if spec.unit else ""
    described: dict[str, Any] = {"description": f"{spec.doc}{unit}"}
    if spec.default is not None and isinstance(spec.default, int | float | str):
        described["default"] = spec.default
    return described


def _content(spec: FieldSpec, key: str, names: dict[type[Element], str]) -> dict[str, Any]:
    content = {"$ref": f"#/$defs/{names[spec.elements[key]]}"} if spec.elements else _value(spec.value)
    return {"type": "array", "items": content} if spec.repeated else content


def _value(value: ValueType[Any]) -> dict[str, Any]:
    if value.words:
        # Words are case-insensitive; the list is what editors complete.
        pattern = "|".join("".join(_any_case(letter) for letter in word) for word in value.words)
        return {"anyOf": [{"enum": list(value.words)}, {"type": "string", "pattern": f"^({pattern})$"}]}
    counts = _COUNTS.match(value.name)
    if counts is not None:
        return {"anyOf": [_numbers(int(count)) for count in counts[1].split(" or ")]}
    if value.name in _TYPES:
        return _TYPES[value.name]
    rows = _ROWS.match(value.name)
    return {"type": "array", "items": {"type": "array", "items": _NUMBER}} if rows is not None else {}


def _numbers(count: int) -> dict[str, Any]:
    return {"type": "array", "items": _NUMBER, "minItems": count, "maxItems": count}


def _any_case(letter: str) -> str:
    return f"[{letter.lower()}{letter.upper()}]" if letter.isalpha() else re.escape(letter)


_TYPES: dict[str, dict[str, Any]] = {
    "number": _NUMBER,
    "integer": {"type": "integer"},
    "true | false": {"type": "boolean"},
    "text": {"type": ["string", "number", "boolean"]},
    "[number, …]": {"type": "array", "items": _NUMBER},
    "[text, …]": {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
}
