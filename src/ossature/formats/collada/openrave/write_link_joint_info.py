"""Writes extensions of links and joints as link_info and joint_info."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ossature.formats.collada.native_extension.difference_encoding import make_extra, technique_node
from ossature.formats.collada.openrave.schema import (
    PROFILE,
    FloatInfoElement,
    InfoArrayElement,
    InfoElement,
    IntInfoElement,
    StringInfoElement,
)
from ossature.formats.collada.read_context import FORMAT
from ossature.formats.collada.schema_common import ExtraElement
from ossature.formats.collada.write_context import one_line
from ossature.model import Extension
from ossature.syntax.xml_binding import unbind

_KINDS: dict[str, type[InfoArrayElement]] = {"float": FloatInfoElement, "int": IntInfoElement, "string": StringInfoElement}


def _is_float(word: str) -> bool:
    try:
        return math.isfinite(float(word)) and "_" not in word
    except ValueError:
        return False


def _is_int(word: str) -> bool:
    return word.removeprefix("-").isdecimal() and word.isascii()


_IS_VALID: dict[str, Callable[[str], bool]] = {"float": _is_float, "int": _is_int, "string": lambda word: True}


def representable_infos(extensions: Sequence[Extension]) -> tuple[Extension, ...]:
    """Return the extensions of a body or a joint that link_info and joint_info can represent."""
    return tuple([extension for extension in extensions if _is_representable(extension)])


def _is_representable(extension: Extension) -> bool:
    kind, _, name = extension.key.partition(" ")
    return (
        extension.format == FORMAT
        and kind in _KINDS
        and bool(name)
        and name == one_line(name)
        and extension.value == one_line(extension.value)
        and all(map(_IS_VALID[kind], extension.value.split()))
    )


def info_extra(kind: str, sid: str, extensions: Sequence[Extension]) -> list[ExtraElement]:
    """Return the link_info or joint_info extension of a link or a joint, if it has representable extensions."""
    arrays: list[Any] = []
    for extension in representable_infos(extensions):
        word, _, name = extension.key.partition(" ")
        arrays.append(_KINDS[word](name=name, value=extension.value))
    if not arrays:
        return []
    content = unbind("technique", InfoElement(arrays=tuple(arrays)))
    return [make_extra(kind, [technique_node(PROFILE, content.children)], name=sid)]
