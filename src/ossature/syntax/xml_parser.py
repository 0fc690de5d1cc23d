"""Parser of XML, which returns a tree of nodes with source locations.

The tree is built from the events of Expat, which reports the byte offset of every element and allows to reject entity
declarations before they are expanded. A tree of small Python objects is faster to read than proxies of C structures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple
from xml.parsers import expat

from ossature.diagnostics import LimitError, Location, Report, Rule, Source, within_limits
from ossature.diagnostics.fix import MakeFix
from ossature.syntax import rules
from ossature.syntax.compiled_xml import compiled_xml_module
from ossature.syntax.fix_duplicate_xml_attributes import remove_duplicate_attributes
from ossature.syntax.xml import XmlNode


class _XmlRejectedError(Exception):
    """The document has a declaration that is not accepted from untrusted files."""


class _Cut(NamedTuple):
    """A long text that is not parsed: byte offsets of its element, its start and its end."""

    tag: int
    start: int
    stop: int


class _Progress:
    """The state of the parser of a document.

    Attributes:
        stack: The open elements, starting with the document.
        cuts: The long texts that are not parsed, in reverse order.
        skipped: The number of bytes of such texts before the current element.
        has_unclaimed_cuts: Whether such a text is not the text of an element, for example in a comment.
    """

    __slots__ = ("cuts", "has_unclaimed_cuts", "skipped", "stack")

    def __init__(self, document: XmlNode, cuts: Sequence[_Cut] = ()) -> None:
        self.stack = [document]
        self.cuts = list(reversed(cuts))
        self.skipped = 0
        self.has_unclaimed_cuts = False

    def claim(self, node: XmlNode) -> None:
        """Assign the unparsed text of an element, and skip texts that belong to no element."""
        while self.cuts and self.cuts[-1].tag <= node.offset:
            cut = self.cuts.pop()
            if cut.tag == node.offset:
                node.span = (cut.start, cut.stop)
            else:  # its bytes are missing in the offset of this element
                self.has_unclaimed_cuts = True
            self.skipped += cut.stop - cut.start


@within_limits
def parse(source: Source, report: Report, *, long_texts: Sequence[str] = ()) -> XmlNode | None:
    """Return the root element of a document, or None, with a finding, if it is not valid.

    Args:
        long_texts: Tags of elements with long text, which is not parsed but available as ``XmlNode.data``.
    """
    misplaced = _MISPLACED_DECLARATION.match(source.data)
    if misplaced is not None:
        report.add(
            rules.MISPLACED_XML_DECLARATION, "white space precedes the XML declaration", Location(source, misplaced.start(1))
        )
    cuts = _find_long_texts(source.data, long_texts) if long_texts and source.encoding.lower() in _ASCII_BASED else []
    document = _remove_cuts(_without_misplaced_declaration(source.data), cuts)
    root = _parse_compiled(document, cuts, source, report)
    if root is not None:
        return root
    root, has_unclaimed_cuts = _parse_without(source, report, cuts)
    if has_unclaimed_cuts:  # the apparent element is in a comment or not closed
        root, _ = _parse_without(source, report, [])
    return root


def parse_text(text: str, name: str = "<extension>") -> XmlNode | None:
    """Return the element of a text that :func:`.xml.compact` has written, or None if the text is not valid."""
    return parse(Source(name, text.encode("utf-8", "replace")), Report())


def _parse_compiled(document: bytes, cuts: list[_Cut], source: Source, report: Report) -> XmlNode | None:
    """Return the root of a document from the compiled module; None if it is not installed, or does not read this document.

    Expat decides then whether the document is well-formed. It is called last, because the module respects the limits of the
    report; a document above them, or of another encoding, is left to the handlers in Python, which report what is first.
    """
    module = compiled_xml_module()
    if module is None or b"\0" in document:  # as in UTF-16, which need not be declared
        return None
    budget = report.budget
    elements_before = budget.elements

    def require(node: XmlNode, depth: int, elements: int) -> None:
        budget.require_depth(depth, node.location)
        if elements:
            budget.add_elements(elements, node.location)

    try:
        root: XmlNode | None = module.build(XmlNode, document, cuts, source, budget.limits.depth, require)
    except (LimitError, UnicodeDecodeError):
        root = None
    if root is None or not _is_well_formed(document):
        budget.elements = elements_before
        return None
    return root


def _is_well_formed(document: bytes) -> bool:
    """Whether a document is well-formed UTF-8 without a document type."""
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _reject_doctype
    parser.XmlDeclHandler = _require_utf_8
    try:
        parser.Parse(document, True)
    except (expat.ExpatError, _XmlRejectedError, *_UNKNOWN_ENCODING):
        return False
    return True


def _reject_doctype(*_: object) -> None:
    raise _XmlRejectedError  # entities could expand to more than the document


def _require_utf_8(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and encoding.lower() != "utf-8":
        raise _XmlRejectedError


def _parse_without(source: Source, report: Report, cuts: Sequence[_Cut]) -> tuple[XmlNode | None, bool]:
    """Return the root of a document parsed without some texts, and whether one of these texts belongs to no element."""
    parser = _new_parser()
    document = XmlNode("", {}, source)
    progress = _Progress(document, cuts)
    _install_handlers(parser, progress, report)
    try:
        parser.Parse(_remove_cuts(_without_misplaced_declaration(source.data), cuts), True)
    except expat.ExpatError as error:
        if cuts:
            return None, True
        report.add(
            rules.MALFORMED_XML,
            expat.ErrorString(error.code) or "not XML",
            _error_location(source, parser),
            hint=_syntax_error_hint(source, error.code, parser.ErrorByteIndex),
            fix=_syntax_error_fix(source, error.code, parser.ErrorByteIndex),
        )
        return None, False
    except _XmlRejectedError:
        return None, False
    except _UNKNOWN_ENCODING as error:
        _report_encoding(error, source, report)
        return None, False
    finally:
        _remove_handlers(parser)
    return document.children[0], progress.has_unclaimed_cuts or bool(progress.cuts)


_MISPLACED_DECLARATION = re.compile(
    rb"\s{1,100}(<\?xml(?=\s)(?:(?!encoding)[^?>]|encoding\s*=\s*[\"'](?i:utf-8|us-ascii)[\"']){0,200}\?>)"
)
"""White space, and a declaration of UTF-8: of other encodings the bytes would be decoded otherwise."""


def _without_misplaced_declaration(data: bytes) -> bytes:
    """Return a document with blanks instead of a declaration that is not its beginning, so that offsets stay the same."""
    found = _MISPLACED_DECLARATION.match(data)
    return data if found is None else data[: found.start(1)] + b" " * len(found[1]) + data[found.end(1) :]


def _new_parser() -> expat.XMLParserType:
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.buffer_size = 1 << 16
    return parser


_UNKNOWN_ENCODING = (LookupError, ValueError)
"""Errors for encodings unknown to Python, and for multi-byte encodings that Expat does not support."""


def _report_encoding(error: Exception, source: Source, report: Report) -> None:
    report.add(rules.MALFORMED_XML, str(error), Location(source, 0), hint="save the file as UTF-8")


def stream(source: Source, report: Report, tag: str, torn: Rule) -> Iterator[XmlNode]:
    """Yield the root of a long document, with its content before the first child of a tag; then each such child.

    A child is yielded when it is complete, and not stored. Other children between them are ignored.

    Args:
        tag: The tag of the many children.
        torn: The rule for a document that is truncated or malformed after the start tag of its root.
    """
    parser = _new_parser()
    document = XmlNode("", {}, source)
    progress = _Progress(document)
    _install_handlers(parser, progress, report)
    has_root = False
    try:
        for start in range(0, len(source.data) + 1, _CHUNK_BYTES):
            parser.Parse(source.data[start : start + _CHUNK_BYTES], start + _CHUNK_BYTES > len(source.data))
            for node in _complete_children(document, tag, progress, is_first=not has_root):
                has_root = True
                yield node
            report.budget.forget_elements()
    except expat.ExpatError as error:
        location = _error_location(source, parser)
        for node in _complete_children(document, tag, progress, is_first=not has_root):
            has_root = True
            yield node
        message = expat.ErrorString(error.code) or "not XML"
        hint = _syntax_error_hint(source, error.code, parser.ErrorByteIndex)
        report.add(torn if has_root else rules.MALFORMED_XML, message, location, hint=hint)
        return
    except _UNKNOWN_ENCODING as error:
        _report_encoding(error, source, report)
        return
    except _XmlRejectedError:
        return
    except LimitError as error:
        report.refuse(error)
        return
    finally:
        _remove_handlers(parser)
    if not has_root and document.children:
        yield document.children[0]


_CHUNK_BYTES = 1 << 20


def _complete_children(document: XmlNode, tag: str, progress: _Progress, *, is_first: bool) -> Iterator[XmlNode]:
    """Yield the root at the first child of a tag; remove and yield the complete children."""
    if not document.children:
        return
    root = document.children[0]
    open_child = progress.stack[2] if len(progress.stack) > 2 else None
    matching = [child for child in root.children if child.tag == tag]
    if not matching:
        return
    root.children[:] = [child for child in root.children if child.tag != tag and child is not open_child]
    if is_first:
        yield root
    yield from (child for child in matching if child is not open_child)
    root.children[:] = [open_child] if open_child is not None else []


_ASCII_BASED = ("utf-8", "us-ascii", "ascii", "iso-8859-1")


class _CompleteError(Exception):
    """The element that is parsed by itself is complete."""


def element_at(location: Location) -> XmlNode | None:
    """Return the element whose start tag is at a location, or None if there is none that can be parsed by itself."""
    source, first = location
    if first is None or source.encoding.startswith("utf-16") or source.data[first : first + 1] != b"<":
        return None
    try:
        parser = expat.ParserCreate(source.encoding)
    except _UNKNOWN_ENCODING:
        return None
    stack = [XmlNode("", {}, source, first)]

    def start(tag: str, attributes: dict[str, str]) -> None:
        node = XmlNode(tag, attributes, source, first + parser.CurrentByteIndex)
        stack[-1].children.append(node)
        stack.append(node)

    def end(_tag: str) -> None:
        stack.pop()
        if len(stack) == 1:
            raise _CompleteError

    parser.StartElementHandler, parser.EndElementHandler = start, end
    try:
        for position in range(first, len(source.data), _PART):
            parser.Parse(source.data[position : position + _PART], False)
    except (_CompleteError, expat.ExpatError):
        pass
    finally:
        _remove_handlers(parser)
    return stack[0].children[0] if stack[0].children else None


_PART = 1 << 14


def _find_long_texts(data: bytes, tags: Sequence[str]) -> list[_Cut]:
    """Return the long texts without markup of some elements.

    All are found in one pass, and the document is parsed in one call: a parser that receives a document in chunks scans a
    long comment or tag again with every chunk.
    """
    opening = re.compile(rb"<(?:" + b"|".join(tag.encode() for tag in tags) + rb")(?:\s[^<>]*)?(?<!/)>")
    cuts: list[_Cut] = []
    stop = 0
    while (tag := opening.search(data, stop)) is not None:
        start = tag.end()
        stop = data.find(b"<", start)
        if stop < 0:
            break
        if stop - start >= _LONG_TEXT and data.find(b">", start, stop) < 0 and data.find(b"&", start, stop) < 0:
            cuts.append(_Cut(tag.start(), start, stop))
    return cuts


_LONG_TEXT = 64
"""Number of bytes from which a text is long."""


def _remove_cuts(data: bytes, cuts: Sequence[_Cut]) -> bytes:
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
    max_open = budget.limits.depth + 1  # including the document
    count_elements = count(1).__next__

    texts: dict[XmlNode, list[str]] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        offset = parser.CurrentByteIndex + progress.skipped
        node = XmlNode(tag, attributes, source, offset)
        if progress.cuts and progress.cuts[-1].tag <= offset:
            progress.claim(node)
        stack[-1].children.append(node)
        push(node)
        if len(stack) > max_open:
            budget.require_depth(len(stack) - 1, node.location)
        if not count_elements() % _COUNTING_INTERVAL:
            budget.add_elements(_COUNTING_INTERVAL, node.location)

    def end(tag: str) -> None:
        node = pop()
        if node in texts:
            node.text = "".join(texts.pop(node))

    def text(data: str) -> None:
        node = stack[-1]
        parts = texts.get(node)
        if parts is not None:
            parts.append(data)
        elif not data.isspace():  # leading whitespace, which is most text of a document, is ignored
            texts[node] = [data]

    def entity(name: str, *_: object) -> None:
        location = Location(source, max(parser.CurrentByteIndex, 0) + progress.skipped)
        report.add(
            rules.FORBIDDEN_ENTITY,
            f"the file declares the entity '{name[:40]}'",
            location,
            hint="replace it by its value",
        )
        raise _XmlRejectedError

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = entity


_COUNTING_INTERVAL = 64


def _remove_handlers(parser: expat.XMLParserType) -> None:
    """Remove the handlers of a parser: they refer to it, so that all elements would be kept until the next collection."""
    parser.StartElementHandler = parser.EndElementHandler = None
    parser.CharacterDataHandler = parser.EntityDeclHandler = None


def _error_location(source: Source, parser: expat.XMLParserType) -> Location:
    return Location(source, min(max(parser.ErrorByteIndex, 0), len(source.data)))


def _syntax_error_hint(source: Source, code: int, offset: int) -> str | None:
    head = source.data[:1024].lstrip()
    if not head:
        return "the file is empty"
    if head.startswith(_UTF_32_STARTS):
        return "the file is encoded in UTF-32: save it as UTF-8"
    if b"\0" in head and source.encoding == "utf-8":
        return "this looks like a binary file"
    if head[:1] != b"<" and source.encoding == "utf-8" and not head.startswith(b"\xef\xbb\xbf"):
        return "an XML file starts with <"
    if code == expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]:
        return "close every element with its own name before its parent"
    if code == expat.errors.codes[expat.errors.XML_ERROR_INCORRECT_ENCODING]:
        return "the XML declaration states another encoding than that of the file: remove it, or save the file as UTF-8"
    if _is_invalid_utf_8(source, offset):
        byte = f"the byte 0x{source.data[offset]:02x} is not UTF-8"
        return f"{byte}: save the file as UTF-8, or state its encoding in the XML declaration"
    if code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN]:
        return "a bare & or <, a quote that is not closed before it, or a byte that is invalid in the encoding of the file"
    if code == expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]:
        return "only &amp; &lt; &gt; &quot; and &apos; are defined"
    return None


_UTF_32_STARTS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"<\0\0\0", b"\0\0\0<")


def _is_invalid_utf_8(source: Source, offset: int) -> bool:
    """Whether a document that is to be UTF-8 has another byte at an offset."""
    if source.encoding.lower() != "utf-8":
        return False
    try:
        source.data.decode()
    except UnicodeDecodeError as error:
        return error.start == offset
    return False


def _syntax_error_fix(source: Source, code: int, offset: int) -> MakeFix | None:
    if code != expat.errors.codes[expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE]:
        return None
    return partial(remove_duplicate_attributes, source, offset)
