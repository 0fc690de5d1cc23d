"""Extensions of others that were kept as text → the same elements again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ossature.diagnostics import Report, Source
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.read_context import FORMAT
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import Extension
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

_EXTRA = "extra"
SUBJECT = "subject"
"""Key of what a model says about itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedExtensions:
    """Extensions of a model or a World, by how they are said.

    Attributes:
        extras: Elements as they stood in a document.
        subject: What a model says about itself, or None.
        others: What has no place of its own.
    """

    extras: tuple[ExtraElement, ...]
    subject: str | None
    others: tuple[Extension, ...]


def sorted_extensions(
    extensions: Sequence[Extension], known: Collection[str], path: str, ledger: Ledger, *, has_subject: bool
) -> SortedExtensions:
    """Return how extensions are said; their order is in the ledger where it changes.

    Args:
        extensions: The extensions.
        known: Types of elements that the reader understands, and that are therefore none that were kept.
        path: Where in the model they are.
        ledger: Where changes go.
        has_subject: Whether there is a place for a subject.
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
    """Return the element that an extension was, or None where it was none."""
    if extension.format != FORMAT or extension.key.partition(" ")[0] != _EXTRA:
        return None
    node = element_of(extension.value, _EXTRA)
    if node is None or node.attributes.get("type", "") in known:
        return None
    kind = node.attributes.get("type")
    if extension.key != f"{_EXTRA} {kind or ''}".strip():
        return None
    return extra_element(node)


def extra_element(node: XmlNode) -> ExtraElement:
    """Return an element for extensions as it stands."""
    return ExtraElement(node=node, **{name: node.attributes.get(name) for name in ("id", "sid", "name", "type")})


def element_of(text: str, tag: str) -> XmlNode | None:
    """Return the element that a text spells, or None where it spells none of that tag, or not in the usual way."""
    if not text.startswith(f"<{tag}"):
        return None
    node = xml.parse(Source("<extension>", text.encode("utf-8", "replace")), Report())
    return node if node is not None and node.tag == tag and xml.compact(node) == text else None
