"""XML text ⇄ a tree of nodes that know where they stand. No robot knowledge.

Expat builds the tree directly: it gives the byte offset of every element, lets every declaration be refused before it
can do harm, and a tree of small Python objects is read faster than one of proxies around C structures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import NamedTuple
from xml.parsers import expat

from ossature.diagnostics import LimitError, Location, Report, Rule, Source, within_limits
from ossature.syntax import rules

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class XmlNode:
    """One element.

    Attributes:
        tag: Its name, with a prefix if it has one.
        attributes: Its attributes in file order.
        children: The elements directly inside it.
        text: All text directly inside it.
        offset: Byte offset of its start tag.
        source: The file.
        span: Where its text begins and ends in the file's bytes if that was left unread, else None.
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
    def data(self) -> bytes:
        """Its text as bytes, whether it was left unread or not."""
        return self.source.data[slice(*self.span)] if self.span is not None else self.text.encode()

    @property
    def location(self) -> Location:
        """Where its start tag stands."""
        return Location(self.source, self.offset)

    def attribute_location(self, name: str) -> Location:
        """Return where an attribute stands, or the element itself where it has none of that name."""
        offset = _attribute_offsets(self.source, self.offset).get(name.encode(self.source.encoding, "replace"))
        return self.location if offset is None else Location(self.source, offset)

    def field_location(self, *names: str) -> Location | None:
        """Return where the first child with one of the tags stands, else an attribute with one of the names."""
        child = self.find(*names)
        if child is not None:
            return child.location
        return next((self.attribute_location(name) for name in names if name in self.attributes), None)

    def find(self, *tags: str) -> XmlNode | None:
        """Return the first child with one of the tags."""
        return next((child for child in self.children if child.tag in tags), None)

    def __iter__(self) -> Iterator[XmlNode]:
        return iter(self.children)


@lru_cache(maxsize=1)
def _attribute_offsets(source: Source, start: int) -> dict[bytes, int]:
    """Return the byte offsets of the attributes of the element whose start tag begins at an offset.

    Kept for the next attribute of the same element, so that many findings in one tag stay quick.
    """
    found: dict[bytes, int] = {}
    position = start
    while (attribute := _ATTRIBUTE.match(source.data, position)) is not None:
        found.setdefault(attribute[1], attribute.start(1))
        position = attribute.end()
    return found


_ATTRIBUTE = re.compile(rb"""(?:<[^\s<>/]*)?\s+([^\s<>=/"']+)\s*=\s*(?:"[^"]*"|'[^']*')""")


class _XmlRejectedError(Exception):
    """The document declares something that is not read from untrusted files."""


class _Cut(NamedTuple):
    """A long text that is not shown to the parser: byte offsets of its element, its beginning and its end."""

    tag: int
    start: int
    stop: int


class _Progress:
    """How a document is being read.

    Attributes:
        stack: The elements that are open, the document itself first.
        cuts: The long texts that are not shown to the parser, the next one last.
        skipped: How many bytes of them lie before the element that the parser is at.
        has_unclaimed_cuts: Whether a text was left out that belongs to no element, as one in a comment.
    """

    __slots__ = ("cuts", "has_unclaimed_cuts", "skipped", "stack")

    def __init__(self, document: XmlNode, cuts: Sequence[_Cut] = ()) -> None:
        self.stack = [document]
        self.cuts = list(reversed(cuts))
        self.skipped = 0
        self.has_unclaimed_cuts = False

    def claim(self, node: XmlNode) -> None:
        """Give an element the text that was cut out of it, and pass over those that belong to no element."""
        while self.cuts and self.cuts[-1].tag <= node.offset:
            cut = self.cuts.pop()
            if cut.tag == node.offset:
                node.span = (cut.start, cut.stop)
            else:  # the bytes before this element were counted without it
                self.has_unclaimed_cuts = True
            self.skipped += cut.stop - cut.start


@within_limits
def parse(source: Source, report: Report, *, long_texts: Sequence[str] = ()) -> XmlNode | None:
    """Return the root element of a document, or None with a finding where it cannot be read.

    Args:
        source: The document.
        report: Where findings go.
        long_texts: Tags of elements whose text may be long: it is not looked at but left in the file's bytes, where
            ``Node.data`` finds it.
    """
    cuts = _long_texts(source.data, long_texts) if long_texts and source.encoding.lower() in _ASCII_BASED else []
    root, has_unclaimed_cuts = _parsed(source, report, cuts)
    if has_unclaimed_cuts:  # an element in a comment, or one that is not closed where it seems to be
        root, _ = _parsed(source, report, [])
    return root


def _parsed(source: Source, report: Report, cuts: Sequence[_Cut]) -> tuple[XmlNode | None, bool]:
    """Return the root of a document that is parsed without some texts, and whether one of these belongs to no element."""
    parser = _new_parser()
    document = XmlNode("", {}, source)
    progress = _Progress(document, cuts)
    _install_handlers(parser, progress, report)
    try:
        parser.Parse(_without(source.data, cuts), True)
    except expat.ExpatError as error:
        if cuts:
            return None, True
        report.add(
            rules.MALFORMED_XML,
            expat.ErrorString(error.code) or "not XML",
            _error_location(source, parser),
            hint=_advice(source, error.code),
        )
        return None, False
    except _XmlRejectedError:
        return None, False
    except _UNKNOWN_ENCODING as error:
        _report_encoding(error, source, report)
        return None, False
    return document.children[0], progress.has_unclaimed_cuts or bool(progress.cuts)


def _new_parser() -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    return parser


_UNKNOWN_ENCODING = (LookupError, ValueError)
"""What is raised for an encoding that Python does not know, or one of several bytes that expat cannot use."""


def _report_encoding(error: Exception, source: Source, report: Report) -> None:
    report.add(rules.MALFORMED_XML, str(error), Location(source, 0), hint="save the file as UTF-8")


def stream(source: Source, report: Report, tag: str, torn: Rule) -> Iterator[XmlNode]:
    """Yield the root of a long document, with what stands in it before the first child of a tag; then each such child.

    Children are yielded when they are whole, and kept nowhere. What else stands among them is passed over.

    Args:
        source: The document.
        report: Where findings go.
        tag: The tag of the children that there are many of.
        torn: What is found where the document ends or breaks after its root has begun; before that it is no XML.
    """
    parser = _new_parser()
    document = XmlNode("", {}, source)
    progress = _Progress(document)
    _install_handlers(parser, progress, report)
    has_root = False
    try:
        for start in range(0, len(source.data) + 1, _PORTION):
            parser.Parse(source.data[start : start + _PORTION], start + _PORTION > len(source.data))
            for node in _whole_children(document, tag, progress, is_first=not has_root):
                has_root = True
                yield node
            report.budget.forget_elements()
    except expat.ExpatError as error:
        broken = _error_location(source, parser)
        for node in _whole_children(document, tag, progress, is_first=not has_root):
            has_root = True
            yield node
        message = expat.ErrorString(error.code) or "not XML"
        report.add(torn if has_root else rules.MALFORMED_XML, message, broken, hint=_advice(source, error.code))
        return
    except _UNKNOWN_ENCODING as error:
        _report_encoding(error, source, report)
        return
    except _XmlRejectedError:
        return
    except LimitError as refusal:
        report.refuse(refusal)
        return
    if not has_root and document.children:
        yield document.children[0]


_PORTION = 1 << 20


def _whole_children(document: XmlNode, tag: str, progress: _Progress, *, is_first: bool) -> Iterator[XmlNode]:
    """Yield the root where its first child of a tag has begun, and take whole ones out of it."""
    if not document.children:
        return
    root = document.children[0]
    open_child = progress.stack[2] if len(progress.stack) > 2 else None
    found = [child for child in root.children if child.tag == tag]
    if not found:
        return
    root.children[:] = [child for child in root.children if child.tag != tag and child is not open_child]
    if is_first:
        yield root
    yield from (child for child in found if child is not open_child)
    root.children[:] = [open_child] if open_child is not None else []


_ASCII_BASED = ("utf-8", "us-ascii", "ascii", "iso-8859-1")


def _long_texts(data: bytes, tags: Sequence[str]) -> list[_Cut]:
    """Return the texts of some elements that are long and hold no markup.

    The whole of it is found in one pass, and the document parsed in one: a parser that is given a document in pieces looks
    at a long comment or tag again with every piece.
    """
    opening = re.compile(rb"<(?:" + b"|".join(tag.encode() for tag in tags) + rb")(?:\s[^<>]*)?(?<!/)>([^<>&]{64,})(?=<)")
    return [_Cut(found.start(), found.start(1), found.end(1)) for found in opening.finditer(data)]


def _without(data: bytes, cuts: Sequence[_Cut]) -> bytes:
    if not cuts:
        return data
    starts = [0, *(cut.stop for cut in cuts)]
    stops = [*(cut.start for cut in cuts), len(data)]
    return b"".join([data[start:stop] for start, stop in zip(starts, stops, strict=True)])


def _install_handlers(parser: expat.XMLParserType, progress: _Progress, report: Report) -> None:
    stack = progress.stack
    source = stack[0].source
    push, pop = stack.append, stack.pop
    budget = report.budget
    most_open = budget.limits.depth + 1  # with the document itself
    count_elements = count(1).__next__

    texts: dict[XmlNode, list[str]] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        offset = parser.CurrentByteIndex + progress.skipped
        node = XmlNode(tag, attributes, source, offset)
        if progress.cuts and progress.cuts[-1].tag <= offset:
            progress.claim(node)
        stack[-1].children.append(node)
        push(node)
        if len(stack) > most_open:
            budget.require_depth(len(stack) - 1, node.location)
        if not count_elements() % _COUNTED_AT_ONCE:
            budget.add_elements(_COUNTED_AT_ONCE, node.location)

    def end(tag: str) -> None:
        node = pop()
        if node in texts:
            node.text = "".join(texts.pop(node))

    def text(data: str) -> None:
        node = stack[-1]
        parts = texts.get(node)
        if parts is not None:
            parts.append(data)
        elif not data.isspace():  # blanks before anything else mean nothing, and most text of a document is that
            texts[node] = [data]

    def entity(name: str, *_: object) -> None:
        location = Location(source, max(parser.CurrentByteIndex, 0) + progress.skipped)
        report.add(
            rules.FORBIDDEN_ENTITY,
            f"the file declares the entity '{name[:40]}'",
            location,
            hint="write out what it means",
        )
        raise _XmlRejectedError

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = entity


_COUNTED_AT_ONCE = 64


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
        return "a bare & or <, a quote that is not closed before it, or a byte that is not in the file's encoding"
    if code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        return "only &amp; &lt; &gt; &quot; and &apos; exist here"
    return None


def element(tag: str, attributes: dict[str, str] | None = None, text: str = "") -> XmlNode:
    """Return a new element that is about to be written."""
    node = XmlNode(tag, attributes or {}, _NOWHERE)
    node.text = text
    return node


_NOWHERE = Source("<new>")


def printable(text: str) -> str:
    """Return the text with characters that XML cannot carry replaced, and blanks around it gone."""
    return _NOT_XML.sub("\ufffd", text).strip()


def serialize(root: XmlNode) -> str:
    """Return a document as indented text with an XML declaration."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.extend(_lines(root, 0))
    lines.append("")
    return "\n".join(lines)


def fragment(node: XmlNode) -> str:
    """Return an element as indented text that stands directly inside a root."""
    return "".join([f"{line}\n" for line in _lines(node, 1)])


def compact(node: XmlNode) -> str:
    """Return an element as text on one line, without blanks between its elements."""
    attributes = "".join([f" {name}={quoted(value)}" for name, value in node.attributes.items()])
    text = node.text if node.span is None else node.data.decode("utf-8", "replace")
    inner = (escaped(text.strip()) if text else "") + "".join([compact(child) for child in node.children])
    return f"<{node.tag}{attributes}>{inner}</{node.tag}>" if inner else f"<{node.tag}{attributes}/>"


def _lines(node: XmlNode, depth: int) -> Iterator[str]:
    indent = "  " * depth
    attributes = "".join(f" {name}={quoted(value)}" for name, value in node.attributes.items())
    if node.children and node.text.strip():
        yield indent + compact(node)  # blanks between its elements would become part of its text
    elif node.children:
        yield f"{indent}<{node.tag}{attributes}>"
        for child in node.children:
            yield from _lines(child, depth + 1)
        yield f"{indent}</{node.tag}>"
    elif node.text:
        yield f"{indent}<{node.tag}{attributes}>{escaped(node.text)}</{node.tag}>"
    else:
        yield f"{indent}<{node.tag}{attributes}/>"


def quoted(value: str) -> str:
    """Return text as the value of an attribute, in quotes."""
    if _SPECIAL.search(value) is not None:  # as hardly ever
        value = _NOT_XML.sub("\ufffd", value).translate(_IN_ATTRIBUTES)
    return f'"{value}"'


_IN_ATTRIBUTES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)
_SPECIAL = re.compile('[^\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[&<>"]')
"""What cannot stand in an attribute as it is."""


def escaped(text: str) -> str:
    """Return text with what has a meaning in XML replaced."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")
