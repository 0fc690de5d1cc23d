"""Writes extensions that were passed through as text as the same elements again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ossature.diagnostics import Report, Source
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.read_context import FORMAT
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import Extension
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml import XmlNode

_EXTRA = "extra"
SUBJECT = "subject"
"""Key of the subject of a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedExtensions:
    """Extensions of a model or a World, by how they are written.

    Attributes:
        extras: Elements that are written as they were read.
        subject: The subject of a model, or None.
        others: Extensions that are written to a native extension.
    """

    extras: tuple[ExtraElement, ...]
    subject: str | None
    others: tuple[Extension, ...]


def sorted_extensions(
    extensions: Sequence[Extension], known: Collection[str], path: str, ledger: Ledger, *, has_subject: bool
) -> SortedExtensions:
    """Sort extensions by how they are written; a change of their order is reported to the ledger.

    Args:
        known: Types of elements that the reader supports and that are therefore not passed through.
        path: Path of their owner in the model.
        has_subject: Whether a subject can be written.
    """
    extras: list[tuple[Extension, ExtraElement]] = []
    subjects: list[Extension] = []
    others: list[Extension] = []
    for extension in extensions:
        element = passthrough_element(extension, known)
        if element is not None:
            extras.append((extension, element))
        elif has_subject and not subjects and _is_subject(extension):
            subjects.append(extension)
        else:
            others.append(extension)
    if [*(extension for extension, _ in extras), *subjects, *others] != list(extensions):
        ledger.rewritten(path, "in another order")
    return SortedExtensions(
        extras=tuple([element for _, element in extras]),
        subject=subjects[0].value if subjects else None,
        others=tuple(others),
    )


def _is_subject(extension: Extension) -> bool:
    value = extension.value
    return (extension.format, extension.key) == (FORMAT, SUBJECT) and bool(value) and value == xml.printable(value)


def passthrough_element(extension: Extension, known: Collection[str]) -> ExtraElement | None:
    """Return the element that an extension was read from, or None if it was not an ``<extra>``."""
    if extension.format != FORMAT or extension.key.partition(" ")[0] != _EXTRA:
        return None
    node = element_of(extension.value, _EXTRA)
    if node is None or node.attributes.get("type", "") in known:
        return None
    kind = node.attributes.get("type")
    return extra_element(node) if extension.key == f"{_EXTRA} {kind or ''}".strip() else None


def extra_element(node: XmlNode) -> ExtraElement:
    """Return an ``<extra>`` with the attributes and content of an XML element."""
    return ExtraElement(node=node, **{name: node.attributes.get(name) for name in ("id", "sid", "name", "type")})


def element_of(text: str, tag: str) -> XmlNode | None:
    """Parse an element, or return None if the text has another tag or is not in compact form."""
    if not text.startswith(f"<{tag}"):
        return None
    node = xml_parser.parse(Source("<extension>", text.encode("utf-8", "replace")), Report())
    return node if node is not None and node.tag == tag and xml.compact(node) == text else None
