"""Edits of the text of XML elements at their positions in the file, which leave all other bytes as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ossature.diagnostics.fix import Edit
from ossature.diagnostics.location import Location, Source
from ossature.syntax.fix_duplicate_xml_attributes import ATTRIBUTE, START_TAG
from ossature.syntax.xml import XmlNode

_MARKUP = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?P<closing>/)?(?P<name>[^\s<>/!?=\"']+)[^<>\"']*(?:\"[^\"]*\"[^<>\"']*|'[^']*'[^<>\"']*)*>",
    re.DOTALL,
)
_INDENTATION = re.compile(r"(\r?\n)([ \t]*)$")


@dataclass(frozen=True, slots=True)
class _Attribute:
    """An attribute: where it starts with the blanks before it, its name, its value, and its end."""

    start: int
    name: tuple[int, int]
    value: tuple[int, int]
    stop: int
    quote: str


class _ElementText:
    """The text of an element and of all that follows, with the positions of its parts as indices of this text."""

    def __init__(self, node: XmlNode) -> None:
        self._source: Source = node.source
        self._offset = node.offset
        self.text = self._source.text_from(node.offset, len(self._source.data))
        tag = START_TAG.match(self.text)
        if tag is None or tag["name"] != node.tag:
            raise ValueError("the tag is not at the position of its element")
        self.name = tag.span("name")
        self.is_empty = tag["empty"] is not None
        self.end_of_attributes = tag.end("attributes")
        self.start_of_content = tag.end()
        self.attributes: dict[str, _Attribute] = {}
        for found in ATTRIBUTE.finditer(self.text, tag.start("attributes"), tag.end("attributes")):
            attribute = _Attribute(found.start(), found.span("name"), found.span("value"), found.end(), found["quote"])
            self.attributes.setdefault(found["name"], attribute)

    def edit(self, start: int, stop: int, text: str) -> Edit:
        return Edit(self._byte_offset(start), self._byte_offset(stop), text)

    def _byte_offset(self, index: int) -> int:
        return self._offset + len(self.text[:index].encode(self._source.encoding))

    def end_tag(self) -> tuple[int, int, int]:
        """Return the start of the end tag, the end of its name, and the end of the element."""
        if self.is_empty:
            raise ValueError("an empty element has no end tag")
        depth = 1
        for markup in _MARKUP.finditer(self.text, self.start_of_content):
            if markup["name"] is None or markup[0].endswith("/>"):
                continue
            depth += -1 if markup["closing"] else 1
            if depth == 0:
                return markup.start(), markup.end("name"), markup.end()
        raise ValueError("the element is not closed")

    @property
    def end(self) -> int:
        return self.start_of_content if self.is_empty else self.end_tag()[2]

    def line_before(self) -> str:
        """Return the text before the element on its line, with the line break before it."""
        found = _INDENTATION.search(self._source.text_before(self._offset))
        return found[0] if found is not None else ""


def rename_element(node: XmlNode, name: str) -> tuple[Edit, ...]:
    """Return the edits that rename an element.

    Raises:
        ValueError: The text of the element cannot be located.
    """
    text = _ElementText(node)
    edits = [text.edit(*text.name, name)]
    if not text.is_empty:
        start, stop, _ = text.end_tag()
        edits.append(text.edit(start + 2, stop, name))
    return tuple(edits)


def rename_attribute(node: XmlNode, old: str, new: str) -> tuple[Edit, ...]:
    """Return the edit that renames an attribute; see :func:`rename_element`."""
    text = _ElementText(node)
    return (text.edit(*_attribute(text, old).name, new),)


def replace_attribute(node: XmlNode, name: str, values: Mapping[str, str]) -> tuple[Edit, ...]:
    """Return the edit that replaces an attribute by others, or removes it; see :func:`rename_element`."""
    text = _ElementText(node)
    old = _attribute(text, name)
    new = "".join([f' {other}="{_escaped(value, chr(34))}"' for other, value in values.items()])
    return (text.edit(old.start, old.stop, new),)


def set_attributes(node: XmlNode, values: Mapping[str, str]) -> tuple[Edit, ...]:
    """Return the edits that give attributes values, and add those that do not exist; see :func:`rename_element`."""
    text = _ElementText(node)
    edits = []
    added = ""
    for name, value in values.items():
        known = text.attributes.get(name)
        if known is not None:
            edits.append(text.edit(*known.value, _escaped(value, known.quote)))
        else:
            added += f' {name}="{_escaped(value, chr(34))}"'
    if added:
        edits.append(text.edit(text.end_of_attributes, text.end_of_attributes, added))
    return tuple(edits)


def remove_element(node: XmlNode) -> tuple[Edit, ...]:
    """Return the edit that removes an element, with its line if there is nothing else on it; see :func:`rename_element`."""
    text = _ElementText(node)
    before, end = text.line_before(), text.end
    is_alone = bool(before) and re.match(r"[ \t]*\r?\n", text.text[end:]) is not None
    edit = text.edit(0, end, "")
    width = len(before.encode(node.source.encoding)) if is_alone else 0
    return (Edit(edit.start - width, edit.stop, ""),)


def set_text(node: XmlNode, value: str) -> tuple[Edit, ...]:
    """Return the edit that replaces the text of an element without children; blanks around it stay."""
    text = _ElementText(node)
    start, _, _ = text.end_tag()
    content = text.text[text.start_of_content : start]
    if "<" in content or not content.strip():
        raise ValueError("the element has children, comments or no text")
    left = text.start_of_content + len(content) - len(content.lstrip())
    return (text.edit(left, left + len(content.strip()), _escaped(value, "")),)


def add_child(node: XmlNode, child: str) -> tuple[Edit, ...]:
    """Return the edits that add a child, given as text, after the last one, indented as its sisters are."""
    text = _ElementText(node)
    if text.is_empty:
        slash = text.text.rindex("/", 0, text.start_of_content)
        return (text.edit(slash, text.start_of_content, f">{child}</{node.tag}>"),)
    start, _, _ = text.end_tag()
    last = start - len(text.text[:start]) + len(text.text[:start].rstrip())
    blanks = _ElementText(node.children[0]).line_before() if node.children else ""
    return (text.edit(last, last, f"{blanks}{child}"),)


def _attribute(text: _ElementText, name: str) -> _Attribute:
    if name not in text.attributes:
        raise ValueError(f"there is no attribute '{name}'")
    return text.attributes[name]


def _escaped(value: str, quote: str) -> str:
    escapes = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
    escapes[quote] = "&quot;" if quote == '"' else "&apos;"
    return "".join([escapes.get(character, character) for character in value])


_STATED_ATTRIBUTE = re.compile(r"[^\s<>=/\"']+\s*=\s*(?P<quote>[\"'])(?P<value>.*?)(?P=quote)", re.DOTALL)
_STATED_TEXT = re.compile(
    r"<[^\s<>/\"'=]+(?:\s+[^\s<>=/\"']+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*>\s*(?P<value>[^<>]*?)\s*</", re.DOTALL
)


def value_at(location: Location) -> str:
    """Return the value of the attribute, or the text of the element, at a location, as the file has it.

    Raises:
        ValueError: There is none.
    """
    return _find_value(location)[0]


def replace_value_at(location: Location, value: str) -> Edit:
    """Return the edit that replaces the value of the attribute, or the text of the element, at a location.

    Raises:
        ValueError: There is none.
    """
    _, start, stop, quote = _find_value(location)
    return Edit(start, stop, _escaped(value, quote))


def _find_value(location: Location) -> tuple[str, int, int, str]:
    """Return the value at a location, its byte offsets, and its quote."""
    source, offset = location
    text = source.text_from(offset, 1 << 16) if offset is not None else ""
    found = _STATED_TEXT.match(text) or _STATED_ATTRIBUTE.match(text)
    if found is None or offset is None or not found["value"]:
        raise ValueError("there is no value")
    start, stop = [offset + len(text[:index].encode(source.encoding)) for index in found.span("value")]
    return found["value"], start, stop, found.groupdict().get("quote") or ""
