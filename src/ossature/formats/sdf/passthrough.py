"""Content that does not describe the mechanism, as extensions of the model."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ossature.formats.sdf.schema_common import PassedThroughElement
from ossature.model import Extension
from ossature.syntax import xml
from ossature.syntax.schema import Element, spellings
from ossature.syntax.xml import XmlNode

FORMAT = "sdf"


NAMESPACE = "@xmlns:"
"""What precedes the prefix in the key of a declaration of a namespace."""


def namespaces_of(root: XmlNode) -> tuple[Extension, ...]:
    """Return the namespaces that a file declares, of which the elements and attributes of other programs are."""
    found: dict[str, str] = {}
    for node in xml.elements_of(root):
        for name, value in node.attributes.items():
            if f"@{name}".startswith(NAMESPACE):
                found.setdefault(name, value)
    return tuple([Extension(format=FORMAT, key=f"@{name}", value=value) for name, value in found.items()])


def extensions_of(element: Element | None, prefix: str = "") -> tuple[Extension, ...]:
    """Return the content of an element, at any depth, that the model does not represent, with tags as keys.

    Args:
        prefix: What precedes the keys.
    """
    return tuple([extension_of(node, prefix) for node in _passed_through(element)]) if element is not None else ()


def extension_of(node: XmlNode, prefix: str = "") -> Extension:
    """Return an element of a file as an extension; one with a name has it in its key."""
    name = node.attributes.get("name")
    return Extension(format=FORMAT, key=f"{prefix}{node.tag}{f' {name}' if name else ''}", value=xml.compact(node))


def unrepresented(element: Element | None, fields: Collection[str], prefix: str = "") -> tuple[Extension, ...]:
    """Return an element as text if it states one of some fields that the reader does not represent."""
    node = element.node if element is not None else None
    if element is None or not isinstance(node, XmlNode) or not any(name in vars(element) for name in fields):
        return ()
    return (extension_of(node, prefix),)


def _passed_through(element: Element) -> Iterator[XmlNode]:
    if isinstance(element.node, XmlNode):
        known = {tag for spec in spellings(type(element)).values() for tag in spec.elements or (spec.name,)}
        yield from (child for child in element.node.children if ":" in child.tag and child.tag not in known)
    for value in getattr(element, "other", ()):
        if isinstance(value, PassedThroughElement) and isinstance(value.node, XmlNode):
            yield value.node
