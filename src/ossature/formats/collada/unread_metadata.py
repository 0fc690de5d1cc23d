"""Metadata and shader fields of COLLADA files that the reader ignores and no writer keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ossature.diagnostics import Ledger, Location, Source
from ossature.formats.collada.write_asset import AUTHORING_TOOL, DEFAULT_DATE

_METADATA = re.compile(
    rb"<(authoring_tool|author|author_email|author_website|comments|copyright|created|keywords|modified|revision"
    rb"|source_data|subject|title)>([^<]*)</"
)
_SHADER = re.compile(
    rb"<(emission|ambient|diffuse|specular|shininess|reflective|reflectivity|index_of_refraction)>\s*"
    rb"<(?:color|float)[^<>]*>([^<]*)</|</(?:phong|lambert|blinn|constant)>"
)


def record_unread_metadata(source: Source, ledger: Ledger) -> None:
    """Record the metadata of a file, and the colours and numbers of shaders that are not read, with their lines."""
    for match in (*_metadata(source.data), *_unread_shader_fields(source.data)):
        location = Location(source, match.start())
        ledger.omitted(f"line {location.line}", match[1].decode().replace("_", " "), before=_value(match), location=location)


def _metadata(data: bytes) -> Iterator[re.Match[bytes]]:
    yield from (match for match in _METADATA.finditer(data) if _value(match) not in ("", AUTHORING_TOOL, DEFAULT_DATE))


def _unread_shader_fields(data: bytes) -> Iterator[re.Match[bytes]]:
    fields: dict[bytes, re.Match[bytes]] = {}
    for match in _SHADER.finditer(data):
        if match[1] is not None:
            fields[match[1]] = match
            continue
        shown = fields.pop(b"diffuse", None) or fields.pop(b"emission", None)
        ambient = fields.get(b"ambient")
        if shown is not None and ambient is not None and _value(ambient) == _value(shown):
            del fields[b"ambient"]  # as writers state it that know no ambient colour
        yield from fields.values()
        fields = {}


def _value(match: re.Match[bytes]) -> str:
    return " ".join(match[2].decode("utf-8", "replace").split())
