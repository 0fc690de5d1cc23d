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

# The bracket is outside of the alternatives: the search then passes over the numbers of a file at once.
_GEOMETRY_INFO = re.compile(
    rb"<(?:extra\b[^<>]*\btype\s*=\s*[\"']geometry_info[\"'][^<>]*(?P<opens>)(?<!/)>|(?P<closes>/extra>)"
    rb"|(?P<shape>box|sphere|cylinderz?|capsule|plane|container|cage|calibration_board)\b"
    rb"|(?P<transform>translate|rotate)\b[^<>]*>(?P<value>[^<]*)</)"
)


def record_unread_metadata(source: Source, ledger: Ledger) -> None:
    """Record what is not read, with its line: metadata, colours and numbers of shaders, and frames of meshes."""
    for match in (*_metadata(source.data), *_unread_shader_fields(source.data)):
        location = Location(source, match.start())
        ledger.omitted(f"line {location.line}", match[1].decode().replace("_", " "), before=_value(match), location=location)
    for match in _frames_of_meshes(source.data):
        location = Location(source, match.start())
        detail = f"{match['transform'].decode()} of a geometry_info without a shape: the mesh does not depend on it"
        before = " ".join(match["value"].decode("utf-8", "replace").split())
        ledger.omitted(f"line {location.line}", detail, before=before, location=location)


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


def _frames_of_meshes(data: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the transforms of extensions that give a mesh a frame, but no shape."""
    transforms: list[re.Match[bytes]] | None = None  # those of the extension, or None outside of one and beside a shape
    for match in _GEOMETRY_INFO.finditer(data):
        if match["opens"] is not None:
            transforms = []
        elif match["closes"] is not None:
            yield from transforms or ()
            transforms = None
        elif match["shape"] is not None:
            transforms = None
        elif transforms is not None and not _is_identity(match):
            transforms.append(match)


def _is_identity(transform: re.Match[bytes]) -> bool:
    numbers = transform["value"].split()
    return set(numbers[-1:] if transform["transform"] == b"rotate" else numbers) <= {b"0", b"0.0"}


def _value(match: re.Match[bytes]) -> str:
    return " ".join(match[2].decode("utf-8", "replace").split())
