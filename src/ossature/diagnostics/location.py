"""Locations in files."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ossature.diagnostics.password_redaction import may_contain_password

_DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_UNMARKED_UTF_16 = ((rb"[\t\n\r -~]\0[\t\n\r -~]\0", "utf-16-le"), (rb"\0[\t\n\r -~]\0[\t\n\r -~]", "utf-16-be"))
"""Two characters of ASCII, as at the start of XML without a byte order mark."""
_LINE_ENDS = rb"\r\n?|\n"
"""What ends a line in both XML and YAML: a line feed, a carriage return, or both."""
_UTF_16_LINE_ENDS = {"utf-16-le": rb"\r\0(?:\n\0)?|\n\0", "utf-16-be": rb"\0\r(?:\0\n)?|\0\n"}


_TOKEN = re.compile(
    r"""<!--.*?-->|</?[^\s<>/"']+(?:[^<>"']|"[^"<]*"|'[^'<]*')*/?>|"""  # a comment or a tag
    r"""[^\s<>=/"']+\s*=\s*(?:"[^"<]*"|'[^'<]*')|"""  # an attribute
    r""""[^"\n]*"|'[^'\n]*'|[^\s<>=:,"'{}\[\]#]+""",  # a string, key or word
    re.DOTALL,
)
"""What a finding may be about, from its start."""


class Excerpt(NamedTuple):
    """A line of a file as it is shown to people.

    Attributes:
        text: The line without its indentation, or a part of a long line.
        start: The number of characters before the location.
    """

    text: str
    start: int


@dataclass(frozen=True)
class Source:
    """The bytes of one file, and the name by which people know it.

    Attributes:
        name: The file's path as the caller gave it, or ``<string>`` and the like.
        data: Its bytes, from which lines are counted and shown when a finding needs them.
        search_path: The folders in which packages of files to which it refers are found.
        allowed: Folders outside its own from which files may be opened.
    """

    name: str
    data: bytes = field(repr=False, default=b"")
    search_path: tuple[Path, ...] = field(repr=False, compare=False, default=())
    allowed: tuple[Path, ...] = field(repr=False, compare=False, default=())

    @property
    def folder(self) -> Path | None:
        """The folder of the file, or None for one in memory, whose name is ``<string>`` and the like."""
        return None if self.name.startswith("<") else Path(self.name).absolute().parent

    @cached_property
    def encoding(self) -> str:
        """The text encoding, by byte order mark, else by zero bytes at the start, by XML declaration, else UTF-8.

        Other encodings with more than one byte per character are not supported; Latin-1 is used instead, to
        which every byte is a character.
        """
        for mark, encoding in _BYTE_ORDER_MARKS:
            if self.data.startswith(mark):
                return encoding
        for pattern, encoding in _UNMARKED_UTF_16:
            if re.match(pattern, self.data):
                return encoding
        declared = _DECLARED_ENCODING.match(self.data[:200])
        name = declared[1].decode("ascii") if declared else "utf-8"
        return name if _is_single_byte(name) else "latin-1"

    @cached_property
    def _mark_size(self) -> int:
        """Number of bytes of its byte order mark."""
        return next((len(mark) for mark, _ in _BYTE_ORDER_MARKS if self.data.startswith(mark)), 0)

    @cached_property
    def text(self) -> str:
        """All of its text, with a byte order mark; for the few that need it."""
        return self.data.decode(self.encoding, "replace")

    def byte_offset(self, index: int) -> int:
        """Return the byte offset of a character of :attr:`text`."""
        return len(self.text[:index].encode(self.encoding, "replace"))

    @cached_property
    def _unit(self) -> int:
        return 2 if self.encoding.startswith("utf-16") else 1

    @cached_property
    def _line_starts(self) -> list[int]:
        if self._unit == 2:  # without the end of one character and the start of the next
            ends = re.finditer(_UTF_16_LINE_ENDS[self.encoding], self.data)
            return [0, *[found.end() for found in ends if found.start() % 2 == 0]]
        has_other_ends = self.data.count(b"\r") > self.data.count(b"\r\n")
        return [0, *[found.end() for found in re.finditer(_LINE_ENDS if has_other_ends else b"\n", self.data)]]

    @cached_property
    def _portions(self) -> dict[int, tuple[list[int], list[int]]]:
        """Byte offsets and character numbers in long lines, by the lines' first offset; made on demand."""
        return {}

    def line_of(self, offset: int) -> int:
        """Return the line, counted from one, of a byte offset."""
        return bisect_right(self._line_starts, offset)

    def column_of(self, offset: int) -> int:
        """Return the column, counted in characters from one, of a byte offset."""
        start = self._line_starts[self.line_of(offset) - 1]
        offsets, characters = self._portions_of(start, self._end_of(start))
        portion = bisect_right(offsets, offset) - 1
        return characters[portion] + len(self._decode(self.data[offsets[portion] : offset])) + 1

    def offset_of(self, line: int, column: int = 1) -> int:
        """Return the byte offset of a line and column, both counted from one; the inverse of the two above."""
        start = self._line_starts[min(max(line, 1), len(self._line_starts)) - 1]
        stop = self._end_of(start)
        offsets, characters = self._portions_of(start, stop)
        portion = max(bisect_right(characters, column - 1) - 1, 0)
        end = offsets[portion + 1] if portion + 1 < len(offsets) else stop
        text = self._decode(self.data[offsets[portion] : end]).rstrip("\r\n")
        mark = 0 if offsets[portion] else self._mark_size
        return offsets[portion] + mark + len(text[: max(column - 1 - characters[portion], 0)].encode(self.encoding, "replace"))

    def end_of(self, offset: int) -> int:
        """Return the byte offset at which the tag, attribute, key or word ends that starts at an offset."""
        text = self.text_from(offset)
        found = _TOKEN.match(text)
        return offset + len(text[: found.end()].encode(self.encoding, "replace")) if found else offset

    def end_position(self, offset: int) -> tuple[int, int]:
        """Return line and column after the last character of what is at a byte offset; see :meth:`end_of`."""
        end = self.end_of(offset)
        return self.line_of(end), self.column_of(end)

    def text_from(self, offset: int, most_bytes: int = 1 << 12) -> str:
        """Return some text of the file from an offset on, at most as long as a number of bytes."""
        return self._decode(self.data[offset : self._character_start(min(offset + most_bytes, len(self.data)))])

    def text_before(self, offset: int, most_bytes: int = 1 << 12) -> str:
        """Return some text of the file before an offset, at most as long as a number of bytes."""
        start = max(offset - most_bytes, 0)
        return self._decode(self.data[self._character_start(start) if start else 0 : offset])

    @property
    def is_xml(self) -> bool:
        """Whether its text starts as that of XML does."""
        return self.text_from(0, 256).lstrip().startswith("<")

    def excerpt_at(self, offset: int) -> Excerpt | None:
        """Return the line of an offset as it is shown to people, or None if it cannot be shown."""
        column = self.column_of(offset)
        text, start, is_secret = self._line_to_show(self.line_of(offset))
        if column > start + _LONGEST_EXCERPT:
            start = column - 1 - _LONGEST_EXCERPT // 2
        shown = text[start : start + _LONGEST_EXCERPT].rstrip()
        if not shown or not shown.isprintable() or is_secret:
            return None
        return Excerpt(shown, max(column - 1 - start, 0))

    def _line_to_show(self, line: int) -> tuple[str, int, bool]:
        """Return the text of a line, the length of its indentation, and whether it may contain a password."""
        if line not in self._long_lines:
            text = self.line_text(line).replace("\t", " ")
            shown = text, len(text) - len(text.lstrip()), may_contain_password(text)
            if len(text) <= _PORTION:
                return shown
            self._long_lines[line] = shown
        return self._long_lines[line]

    @cached_property
    def _long_lines(self) -> dict[int, tuple[str, int, bool]]:
        """Long lines as they are shown, which take long to search; made on demand."""
        return {}

    def line_text(self, line: int) -> str:
        """Return the text of a line without its end; empty for a line that the file does not have."""
        starts = self._line_starts
        if not 1 <= line <= len(starts):
            return ""
        return self._decode(self.data[starts[line - 1] : self._end_of(starts[line - 1])]).rstrip("\r\n")

    def _end_of(self, start: int) -> int:
        """Return the end of the line that starts at an offset, including its newline."""
        following = bisect_right(self._line_starts, start)
        return self._line_starts[following] if following < len(self._line_starts) else len(self.data)

    def _portions_of(self, start: int, stop: int) -> tuple[list[int], list[int]]:
        """Return the starts of the portions of a line, in bytes and in characters of the line.

        Columns of a long line are counted from its nearest portion, so that many findings on one line stay fast.
        """
        if stop - start <= _PORTION:
            return [start], [0]
        if start not in self._portions:
            offsets, characters = [start], [0]
            while offsets[-1] + _PORTION < stop:
                end = self._character_start(offsets[-1] + _PORTION)
                characters.append(characters[-1] + len(self._decode(self.data[offsets[-1] : end])))
                offsets.append(end)
            self._portions[start] = (offsets, characters)
        return self._portions[start]

    def _character_start(self, offset: int) -> int:
        """Return the offset, or one shortly before it, at which a character starts."""
        if offset >= len(self.data):
            return len(self.data)
        if self._unit == 2:
            offset -= offset % 2
            high = self.data[offset + (1 if self.encoding == "utf-16-le" else 0)]
            return offset - 2 if 0xDC <= high < 0xE0 else offset
        if self.encoding.lower() in ("utf-8", "utf8"):
            for before in range(4):
                if self.data[offset - before] & 0xC0 != 0x80:
                    return offset - before
        return offset

    def _decode(self, data: bytes) -> str:
        return data.decode(self.encoding, "replace").removeprefix("\ufeff")


_PORTION = 4096
_LONGEST_EXCERPT = 160


def _is_single_byte(encoding: str) -> bool:
    """Whether an encoding is UTF-8, or one character for each byte: others are not read from XML."""
    if encoding.lower() in ("utf-8", "utf8"):
        return True
    try:
        return len(bytes(range(256)).decode(encoding, "replace")) == 256 and "<".encode(encoding) == b"<"
    except (LookupError, UnicodeError):
        return False


class Location(NamedTuple):
    """A location in a file; line and column are computed on demand.

    Attributes:
        source: The file.
        offset: Byte offset in it, or None for the file as a whole.
    """

    source: Source
    offset: int | None = None

    @property
    def file(self) -> str:
        """The file's name."""
        return self.source.name

    @property
    def line(self) -> int | None:
        """The line, counted from one."""
        return None if self.offset is None else self.source.line_of(self.offset)

    @property
    def column(self) -> int | None:
        """The column, counted in characters from one."""
        return None if self.offset is None else self.source.column_of(self.offset)

    @property
    def end(self) -> tuple[int, int] | None:
        """Line and column, counted from one, after the last character of what is at the location."""
        return None if self.offset is None else self.source.end_position(self.offset)

    @property
    def excerpt(self) -> Excerpt | None:
        """The line as it is shown to people."""
        return None if self.offset is None else self.source.excerpt_at(self.offset)

    def __str__(self) -> str:
        return self.file if self.offset is None else f"{self.file}:{self.line}:{self.column}"
