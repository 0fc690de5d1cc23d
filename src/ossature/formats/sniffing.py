"""Recognises the content of files by their first bytes."""

from __future__ import annotations

import re
from collections.abc import Callable

SNIFFED_BYTES = 65536
"""Number of first bytes by which a format is recognised."""

_NAME = re.compile(rb"<(?:[\w.-]{1,80}:)?([A-Za-z_][\w.-]{0,80})")
_ENDS = ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!", b">"))


def xml_root(data: bytes) -> str:
    """Return the name of the root element of an XML document without its prefix; empty if there is none."""
    head = data[:SNIFFED_BYTES]
    start = head.find(b"<")
    while start >= 0:
        end = next((end for begin, end in _ENDS if head.startswith(begin, start)), None)
        if end is None:
            name = _NAME.match(head, start)
            return name[1].decode() if name else ""
        closed = head.find(end, start + 2)
        start = head.find(b"<", closed) if closed >= 0 else -1
    return ""


def has_root(*names: str) -> Callable[[bytes], bool]:
    """Return whether data are XML with one of these root elements, as a function."""
    return lambda data: xml_root(data) in names


def contains(text: bytes) -> Callable[[bytes], bool]:
    """Return whether the first bytes of a file contain a text, as a function."""
    return lambda data: text in data[:SNIFFED_BYTES]


def matches(pattern: bytes) -> Callable[[bytes], bool]:
    """Return whether data contain a match of a regular expression, in which ``^`` is the start of a line, as a function."""
    expression = re.compile(pattern, re.MULTILINE)
    return lambda data: expression.search(data) is not None


def description(data: bytes) -> str:
    """Return what a file of unknown format seems to be, for messages."""
    if not data:
        return "the file is empty"
    if data.startswith(b"PK\x03\x04"):
        return "the content is a ZIP archive"
    root = xml_root(data)
    if root and data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return f"the content is XML with the root element <{root}>"
    return "the content is binary" if b"\0" in data[:SNIFFED_BYTES] else "the content is not recognised"
