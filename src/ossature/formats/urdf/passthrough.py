"""What a file holds for other programs: kept as it stands, and written again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ossature.diagnostics import Report, Source
from ossature.model import Extension
from ossature.syntax import xml
from ossature.syntax.xml import XmlNode

FORMAT = "urdf"
ATTRIBUTE_MARK = "@"
"""First letter of the key of an attribute of the root that is kept: a namespace."""


def passthrough_elements(node: XmlNode, understood: Collection[str], place: str = "") -> tuple[Extension, ...]:
    """Return the elements inside a node that are not understood, each with its tag as key.

    Args:
        node: The element around them.
        understood: Tags that somebody else reads.
        place: What comes before the tag in the key, where one body or joint has several such elements.
    """
    return tuple([passthrough_element(child, place) for child in node.children if child.tag not in understood])


def passthrough_element(node: XmlNode, place: str = "") -> Extension:
    """Return an element as an extension."""
    return Extension(format=FORMAT, key=f"{place}{node.tag}", value=xml.compact(node))


def passthrough_attributes(root: XmlNode) -> tuple[Extension, ...]:
    """Return the namespaces that the root declares, and its attributes of other namespaces."""
    return tuple(
        [
            Extension(format=FORMAT, key=f"{ATTRIBUTE_MARK}{name}", value=value)
            for name, value in root.attributes.items()
            if name.startswith("xmlns") or ":" in name
        ]
    )


def element_in(extension: Extension, place: str = "") -> XmlNode | None:
    """Return the element that an extension holds, or None where it holds none, or not at that place."""
    tag = extension.key.removeprefix(place)
    if extension.format != FORMAT or not extension.key.startswith(place) or not extension.value.startswith(f"<{tag}"):
        return None
    node = xml.parse(Source("<extension>", extension.value.encode("utf-8", "replace")), Report())
    return node if node is not None and node.tag == tag and xml.compact(node) == extension.value else None


def attribute_in(extension: Extension) -> tuple[str, str] | None:
    """Return the name and value of the root's attribute that an extension holds, or None where it holds none."""
    name = extension.key.removeprefix(ATTRIBUTE_MARK)
    is_attribute = extension.format == FORMAT and extension.key.startswith(ATTRIBUTE_MARK)
    if not is_attribute or not (name.startswith("xmlns") or ":" in name):
        return None
    probe = xml.element("robot", {name: extension.value})
    node = xml.parse(Source("<extension>", xml.compact(probe).encode("utf-8", "replace")), Report())
    return (name, extension.value) if node is not None and node.attributes == probe.attributes else None


def elements_in(extensions: Sequence[Extension], place: str = "") -> Iterator[tuple[Extension, XmlNode]]:
    """Yield the extensions that hold elements of a place, with these."""
    for extension in extensions:
        node = element_in(extension, place)
        if node is not None:
            yield extension, node
