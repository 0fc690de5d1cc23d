"""XML documents as trees of nodes with source locations, and their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import cast

from ossature.diagnostics import Location, Source

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class XmlNode:
    """One element.

    Attributes:
        tag: Its name, including a prefix.
        text: Its text, without that of its children.
        offset: Byte offset of its start tag.
        span: Byte offsets of the start and end of its text if that is not parsed, else None.
    """

    __slots__ = ("attributes", "children", "offset", "source", "span", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], source: Source, offset: int = 0) -> None:
        self.tag = tag
        self.attributes = attributes
        self.source = source
        self.offset = offset
        self.children: list[XmlNode] = []
        self.text = ""
        self.span: tuple[int, int] | None = None

    @property
    def local_tag(self) -> str:
        """Its name without a prefix."""
        return self.tag.rpartition(":")[2]

    @property
    def data(self) -> bytes:
        """Its text as bytes, parsed or not."""
        return self.source.data[slice(*self.span)] if self.span is not None else self.text.encode()

    @property
    def location(self) -> Location:
        """Location of its start tag."""
        return _new_location((self.source, self.offset))

    def attribute_location(self, name: str) -> Location:
        """Return the location of an attribute, or of the element if it has no such attribute."""
        offset = _attribute_offsets(self.source, self.offset).get(name.encode(self.source.encoding, "replace"))
        return self.location if offset is None else Location(self.source, offset)

    def field_location(self, *names: str) -> Location | None:
        """Return the location of the first child with one of the tags, else of an attribute with one of the names."""
        child = self.find(*names)
        if child is not None:
            return child.location
        return next((self.attribute_location(name) for name in names if name in self.attributes), None)

    def find(self, *tags: str) -> XmlNode | None:
        """Return the first child with one of the tags."""
        return next((child for child in self.children if child.tag in tags), None)

    def __iter__(self) -> Iterator[XmlNode]:
        return iter(self.children)


_new_location = cast("Callable[[tuple[Source, int]], Location]", partial(tuple.__new__, Location))
"""Makes a Location as its class does, in half of the time."""


@lru_cache(maxsize=1)
def _attribute_offsets(source: Source, start: int) -> dict[bytes, int]:
    """Return the byte offsets of the attributes of the start tag at an offset.

    Cached for the next attribute of the same element, so that many findings in one tag are fast.
    """
    found: dict[bytes, int] = {}
    position = start
    while (attribute := _ATTRIBUTE.match(source.data, position)) is not None:
        found.setdefault(attribute[1], attribute.start(1))
        position = attribute.end()
    return found


_ATTRIBUTE = re.compile(rb"""(?:<[^\s<>/]*)?\s+([^\s<>=/"']+)\s*=\s*(?:"[^"]*"|'[^']*')""")


def elements_of(root: XmlNode) -> Iterator[XmlNode]:
    """Yield an element and all elements inside it, in the order of the document."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.children)


def element(tag: str, attributes: dict[str, str] | None = None, text: str = "") -> XmlNode:
    """Return a new element."""
    node = XmlNode(tag, attributes or {}, _NEW_SOURCE)
    node.text = text
    return node


_NEW_SOURCE = Source("<new>")


COMMENT_TAG = "!--"
"""Tag of a node that is written as a comment."""


def comment(text: str) -> XmlNode:
    """Return a comment, as a node to be written."""
    return element(COMMENT_TAG, text=printable(text).replace("--", "- -").rstrip("-"))


def printable(text: str) -> str:
    """Return the text without surrounding whitespace, and with characters replaced that XML does not allow."""
    return _NOT_XML.sub("\ufffd", text).strip()


def serialize(root: XmlNode) -> str:
    """Return a document as indented text with an XML declaration."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    _append_lines(lines, root, "")
    lines.append("")
    return "\n".join(lines)


def fragment(node: XmlNode) -> str:
    """Return an element as text, indented as a child of the root."""
    lines: list[str] = []
    _append_lines(lines, node, "  ")
    return "".join([f"{line}\n" for line in lines])


def compact(node: XmlNode) -> str:
    """Return an element as text on one line, without whitespace between elements."""
    tag = node.tag
    if node.attributes:
        if _SPECIAL.search("".join(node.attributes.values())) is None:  # which is usual
            tag += "".join([f' {name}="{value}"' for name, value in node.attributes.items()])
        else:
            tag += "".join([f" {name}={quoted(value)}" for name, value in node.attributes.items()])
    text = node.text if node.span is None else node.data.decode("utf-8", "replace")
    inner = escaped(text.strip()) if text else ""
    if node.children:
        inner += "".join([compact(child) for child in node.children])
    return f"<{tag}>{inner}</{node.tag}>" if inner else f"<{tag}/>"


def _append_lines(lines: list[str], node: XmlNode, indent: str) -> None:
    """Append the lines of an element to a list."""
    tag, text = node.tag, node.text
    if tag == COMMENT_TAG:
        lines.append(f"{indent}<!-- {text} -->")
        return
    attributes = "".join([f" {name}={quoted(value)}" for name, value in node.attributes.items()]) if node.attributes else ""
    if node.children and text.strip():
        lines.append(indent + compact(node))  # indentation would become part of its text
    elif node.children:
        lines.append(f"{indent}<{tag}{attributes}>")
        for child in node.children:
            _append_lines(lines, child, f"{indent}  ")
        lines.append(f"{indent}</{tag}>")
    elif text:
        lines.append(f"{indent}<{tag}{attributes}>{escaped(text)}</{tag}>")
    else:
        lines.append(f"{indent}<{tag}{attributes}/>")


def quoted(value: str) -> str:
    """Return text as a quoted and escaped attribute value."""
    if _SPECIAL.search(value) is not None:  # which is rare
        value = _NOT_XML.sub("\ufffd", value).translate(_IN_ATTRIBUTES)
    return f'"{value}"'


_IN_ATTRIBUTES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
_SPECIAL = re.compile('[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[&<>"]')
"""Characters that must be escaped in an attribute."""


def escaped(text: str) -> str:
    """Return text with the special characters of XML escaped."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
