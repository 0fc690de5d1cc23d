"""Native extensions: differences that COLLADA and OpenRAVE cannot represent, in elements that other programs ignore."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada import rules
from ossature.formats.collada.native_extension.codec import fields_node, fields_of
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import NamedList, TorquePoint
from ossature.model.element_fields import compared_fields
from ossature.model.program_hints import Hint
from ossature.model.serialized_names import serialized_class
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

T = TypeVar("T")

_ROUNDING = 1e-15
"""Relative rounding error of numbers that are converted to the unit of a document and back."""
OWN_PROFILE = "Ossature"
BODY_EXTRA = "body"
"""Type of the extensions of rigid bodies."""
STORED_IN_EXTENSION = "in an Ossature extension, which other programs ignore"


def technique_node(profile: str, nodes: Iterable[XmlNode]) -> XmlNode:
    """Return a technique with the content for one program."""
    node = xml.element("technique", {"profile": profile})
    node.children = list(nodes)
    return node


def make_extra(kind: str, techniques: Sequence[XmlNode], name: str | None = None) -> ExtraElement:
    """Return an extension of a type with its techniques."""
    content = xml.element("extra")
    content.children = list(techniques)
    return ExtraElement(type=kind, name=name, node=content)


def own_extras(kind: str, nodes: Iterable[XmlNode | None]) -> tuple[ExtraElement, ...]:
    """Return a native extension with these elements, or an empty tuple if all are None."""
    specified = [node for node in nodes if node is not None]
    return (make_extra(kind, [technique_node(OWN_PROFILE, specified)]),) if specified else ()


def own_nodes(extras: Iterable[ExtraElement], kind: str) -> list[XmlNode]:
    """Return the content of the native extensions of a type."""
    return [node for extra in extras if extra.type == kind for node in own_content(extra)]


def own_content(extra: ExtraElement) -> list[XmlNode]:
    """Return the content of the Ossature techniques of an extension."""
    node = extra.node
    assert isinstance(node, XmlNode)  # noqa: S101  # extensions are read from XML
    return [
        child
        for specified in node.children
        if specified.tag == "technique" and specified.attributes.get("profile") == OWN_PROFILE
        for child in specified.children
    ]


def encode_difference(
    path: str, specified: T, read: T, ledger: Ledger, *, among: Sequence[str] | None = None
) -> XmlNode | None:
    """Return an element with the fields that differ from those read from the document, or None; reports them to the ledger.

    Args:
        path: Path in the model.
        read: The value that is read from the rest of the document.
        ledger: Collects what other programs ignore.
        among: The fields to compare; all by default.
    """
    compared = [item.name for item in compared_fields(type(specified))] if among is None else among
    names = [name for name in compared if getattr(specified, name) != getattr(read, name)]
    if not names:
        return None
    for name in names:
        _report_stored(f"{path}.{name}" if path else name, path, getattr(specified, name), ledger)
    return fields_node(serialized_class(type(specified)), specified, names, read)


def _report_stored(path: str, parent: str, value: Any, ledger: Ledger) -> None:
    if isinstance(value, NamedList):
        for element in value:
            ledger.extension(f"{parent}/{element.name}" if parent else element.name, STORED_IN_EXTENSION)
    elif value is not None:  # None has no effect in other programs
        ledger.extension(path, STORED_IN_EXTENSION)


def with_exact_values(read: T, specified: T) -> T:
    """Return what is read from the document, with the values of the model from which it differs by rounding only."""
    values = [(item.name, getattr(read, item.name), getattr(specified, item.name)) for item in compared_fields(type(read))]
    return replace(read, **{name: exact for name, found, exact in values if _is_rounded(found, exact)})  # type: ignore[type-var]  # only data classes come here


def _is_rounded(value: Any, exact: Any) -> bool:
    if isinstance(value, float) and isinstance(exact, float):
        return math.isclose(value, exact, rel_tol=_ROUNDING)
    if isinstance(value, tuple) and isinstance(exact, tuple):
        return len(value) == len(exact) and all(map(_is_rounded, value, exact))
    if isinstance(value, TorquePoint) and isinstance(exact, TorquePoint):
        return value.torque == exact.torque and _is_rounded(value.speed, exact.speed)
    return bool(value == exact)


def apply_difference(value: T, nodes: Iterable[XmlNode], report: Report) -> T:
    """Return a data class with the fields that native extensions override; invalid ones are reported."""
    for node in nodes:
        if node.tag == serialized_class(type(value)):
            value = replace(value, **own_fields(type(value), node, report, getattr(value, "hints", ())))  # type: ignore[type-var]  # only data classes come here
    return value


def own_fields(kind: type, node: XmlNode, report: Report, hints: tuple[Hint, ...] = ()) -> dict[str, Any]:
    """Return the fields that an element states; none, with a finding, if one of them is invalid."""
    try:
        return fields_of(kind, node, hints)
    except ValueError as error:
        report_unreadable(error, node, report)
        return {}


def report_unreadable(error: ValueError, node: XmlNode, report: Report) -> None:
    """Report that an element cannot be read."""
    report.add(
        rules.INVALID_EXTENSION,
        f"<{node.tag[:40]}> is ignored: {error}",
        node.location,
        hint="convert the file again with Ossature, or remove this extension",
    )
