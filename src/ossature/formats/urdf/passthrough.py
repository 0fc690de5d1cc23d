"""Passthrough of elements and attributes for other programs, as extensions of the model."""

from __future__ import annotations

from collections.abc import Collection

from ossature.model import Extension
from ossature.syntax import xml, xml_parser
from ossature.syntax.xml import XmlNode

FORMAT = "urdf"
ATTRIBUTE_MARK = "@"
"""First character of the key of an attribute of the root, such as a namespace declaration."""


def passthrough_elements(node: XmlNode, interpreted: Collection[str], prefix: str = "") -> tuple[Extension, ...]:
    """Return the children of a node that the reader does not interpret, each with its tag as key.

    Args:
        interpreted: Tags that the reader interprets.
        prefix: Prefix of the keys, which distinguishes the elements of several shapes of a body.
    """
    return tuple([passthrough_element(child, prefix) for child in node.children if child.tag not in interpreted])


def passthrough_element(node: XmlNode, prefix: str = "") -> Extension:
    """Return an element as an extension."""
    return Extension(format=FORMAT, key=f"{prefix}{node.tag}", value=xml.compact(node))


def passthrough_attributes(root: XmlNode) -> tuple[Extension, ...]:
    """Return the namespace declarations of the root, its attributes of other namespaces, and a version other than 1.0."""
    return tuple(
        Extension(format=FORMAT, key=f"{ATTRIBUTE_MARK}{name}", value=value)
        for name, value in root.attributes.items()
        if _is_passed_through(name) and (name, value.strip()) != ("version", "1.0")
    )


def _is_passed_through(attribute: str) -> bool:
    return attribute.startswith("xmlns") or ":" in attribute or attribute == "version"


def element_in(extension: Extension, prefix: str = "") -> XmlNode | None:
    """Return the element of an extension, or None if it is not an element or has another key prefix."""
    tag = extension.key.removeprefix(prefix)
    if extension.format != FORMAT or not extension.key.startswith(prefix) or not extension.value.startswith(f"<{tag}"):
        return None
    node = xml_parser.parse_text(extension.value)
    return node if node is not None and node.tag == tag and xml.compact(node) == extension.value else None


def attribute_in(extension: Extension) -> tuple[str, str] | None:
    """Return the name and value of the root attribute of an extension, or None if it is not an attribute."""
    name = extension.key.removeprefix(ATTRIBUTE_MARK)
    is_attribute = extension.format == FORMAT and extension.key.startswith(ATTRIBUTE_MARK)
    if not is_attribute or not _is_passed_through(name):
        return None
    written = xml.element("robot", {name: extension.value})
    node = xml_parser.parse_text(xml.compact(written))
    return (name, extension.value) if node is not None and node.attributes == written.attributes else None
