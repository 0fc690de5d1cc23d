"""XML text ⇄ a tree of nodes that know where they stand. No robot knowledge.

Expat builds the tree directly: it gives the byte offset of every element, lets every declaration be refused before it
can do harm, and a tree of small Python objects is read faster than one of proxies around C structures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from ossature.diagnostics import Location, Report, Source
from ossature.syntax import rules

MAXIMUM_DEPTH = 200
"""Deepest nesting of elements that is read."""

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Node:
    """One element.

    Attributes:
        tag: Its name, with a prefix if it has one.
        attributes: Its attributes in file order.
        children: The elements directly inside it.
        text: All text directly inside it.
        offset: Byte offset of its start tag.
        source: The file.
    """

    __slots__ = ("attributes", "children", "offset", "source", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], source: Source, offset: int = 0) -> None:
        self.tag = tag
        self.attributes = attributes
        self.source = source
        self.offset = offset
        self.children: list[Node] = []
        self.text = ""

    @property
    def location(self) -> Location:
        """Where its start tag stands."""
        return Location(self.source, self.offset)

    def attribute_location(self, name: str) -> Location:
        """Return where an attribute stands, or the element itself where it has none of that name."""
        tag = self.source.data[self.offset : self.offset + 65536]
        found = re.search(rb"\s(" + re.escape(name.encode(self.source.encoding)) + rb")\s*=", tag)
        return Location(self.source, self.offset + found.start(1)) if found else self.location

    def field_location(self, *names: str) -> Location | None:
        """Return where the first child with one of the tags stands, else an attribute with one of the names."""
        child = self.find(*names)
        if child is not None:
            return child.location
        return next((self.attribute_location(name) for name in names if name in self.attributes), None)

    def find(self, *tags: str) -> Node | None:
        """Return the first child with one of the tags."""
        return next((child for child in self.children if child.tag in tags), None)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.children)


class _RefusedError(Exception):
    """The document declares something that is not read from untrusted files."""


def parse(source: Source, report: Report) -> Node | None:
    """Return the root element of a document, or None with a finding where it cannot be read."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    document = Node("", {}, source)
    _install_handlers(parser, document, report)
    try:
        parser.Parse(source.data, True)
    except expat.ExpatError as error:
        report.add(
            rules.MALFORMED_XML,
            expat.ErrorString(error.code) or "not XML",
            _error_location(source, parser),
            hint=_advice(source, error.code),
        )
        return None
    except _RefusedError:
        return None
    except (
        LookupError,
        ValueError,
    ) as error:  # an encoding that Python does not know, or one of several bytes that expat cannot use
        report.add(rules.MALFORMED_XML, str(error), Location(source, 0), hint="save the file as UTF-8")
        return None
    return document.children[0]


def _install_handlers(parser: expat.XMLParserType, document: Node, report: Report) -> None:
    source = document.source
    stack = [document]
    push, pop = stack.append, stack.pop

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, source, parser.CurrentByteIndex)
        stack[-1].children.append(node)
        push(node)
        if len(stack) > MAXIMUM_DEPTH:
            report.add(rules.TOO_DEEP, f"more than {MAXIMUM_DEPTH} elements inside one another", node.location)
            raise _RefusedError

    def end(tag: str) -> None:
        pop()

    def text(data: str) -> None:
        node = stack[-1]
        # Blanks before anything else mean nothing, and most text of a document is that.
        if node.text or not data.isspace():
            node.text += data

    def entity(name: str, *_: object) -> None:
        location = Location(source, max(parser.CurrentByteIndex, 0))
        report.add(
            rules.FORBIDDEN_ENTITY,
            f"the file declares the entity '{name[:40]}'",
            location,
            hint="write out what it means",
        )
        raise _RefusedError

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = entity


def _error_location(source: Source, parser: expat.XMLParserType) -> Location:
    return Location(source, min(max(parser.ErrorByteIndex, 0), len(source.data)))


def _advice(source: Source, code: int) -> str | None:
    head = source.data[:1024].lstrip()
    if not head:
        return "the file is empty"
    if b"\0" in head and source.encoding == "utf-8":
        return "this looks like a binary file"
    if head[:1] != b"<" and source.encoding == "utf-8" and not head.startswith(b"\xef\xbb\xbf"):
        return "an XML file begins with <"
    if code in (expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH],):
        return "close every element with its own name before its parent ends"
    if code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]:
        return "a bare & or <, or a byte that is not in the file's encoding"
    if code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        return "only &amp; &lt; &gt; &quot; and &apos; exist here"
    return None


def element(tag: str, attributes: dict[str, str] | None = None, text: str = "") -> Node:
    """Return a new element that is about to be written."""
    node = Node(tag, attributes or {}, _NOWHERE)
    node.text = text
    return node


_NOWHERE = Source("<new>")


def printable(text: str) -> str:
    """Return the text with characters that XML cannot carry replaced, and blanks around it gone."""
    return _NOT_XML.sub("\ufffd", text).strip()


def serialize(root: Node) -> str:
    """Return a document as indented text with an XML declaration."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.extend(_lines(root, 0))
    lines.append("")
    return "\n".join(lines)


def _lines(node: Node, depth: int) -> Iterator[str]:
    indent = "  " * depth
    attributes = "".join(f" {name}={_quoted(value)}" for name, value in node.attributes.items())
    if node.children:
        yield f"{indent}<{node.tag}{attributes}>"
        for child in node.children:
            yield from _lines(child, depth + 1)
        yield f"{indent}</{node.tag}>"
    elif node.text:
        yield f"{indent}<{node.tag}{attributes}>{_escaped(node.text)}</{node.tag}>"
    else:
        yield f"{indent}<{node.tag}{attributes}/>"


def _quoted(value: str) -> str:
    return quoteattr(value, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
