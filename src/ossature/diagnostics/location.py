"""Where in a file something stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

_DECLARED_ENCODING = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


@dataclass(frozen=True)
class Source:
    """The bytes of one file, and the name by which people know it.

    Attributes:
        name: The file's path as the caller gave it, or ``<string>`` and the like.
        data: Its bytes, kept so that lines can be counted and shown only when a finding needs them.
    """

    name: str
    data: bytes = field(repr=False, default=b"")

    @cached_property
    def encoding(self) -> str:
        """The text encoding, by byte order mark, else by XML declaration, else UTF-8."""
        for mark, encoding in _BYTE_ORDER_MARKS:
            if self.data.startswith(mark):
                return encoding
        declared = _DECLARED_ENCODING.match(self.data[:200])
        return declared[1].decode("ascii") if declared else "utf-8"

    @cached_property
    def _newline(self) -> bytes:
        return {"utf-16-le": b"\n\0", "utf-16-be": b"\0\n"}.get(self.encoding, b"\n")

    @cached_property
    def _line_starts(self) -> list[int]:
        newline = self._newline
        width = len(newline)
        starts, position = [0], self.data.find(newline)
        while position >= 0:
            if position % width:  # the end of one character and the beginning of the next
                position = self.data.find(newline, position + 1)
                continue
            starts.append(position + width)
            position = self.data.find(newline, position + width)
        return starts

    def line_of(self, offset: int) -> int:
        """Return the line, counted from one, of a byte offset."""
        return bisect_right(self._line_starts, offset)

    def column_of(self, offset: int) -> int:
        """Return the column, counted in characters from one, of a byte offset."""
        start = self._line_starts[self.line_of(offset) - 1]
        return len(self._decode(self.data[start:offset])) + 1

    def offset_of(self, line: int, column: int = 1) -> int:
        """Return the byte offset of a line and column, both counted from one; the inverse of the two above."""
        start = self._line_starts[min(max(line, 1), len(self._line_starts)) - 1]
        return start + len(self.line_text(line)[: column - 1].encode(self.encoding, "replace"))

    def line_text(self, line: int) -> str:
        """Return the text of a line without its end; empty for a line that the file does not have."""
        starts = self._line_starts
        if not 1 <= line <= len(starts):
            return ""
        stop = starts[line] if line < len(starts) else len(self.data)
        return self._decode(self.data[starts[line - 1] : stop]).rstrip("\r\n")

    def _decode(self, data: bytes) -> str:
        try:
            return data.decode(self.encoding, "replace").removeprefix("\ufeff")
        except LookupError:
            return data.decode("latin-1")


class Location(NamedTuple):
    """A place in a file; line and column are worked out only when somebody asks.

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

    def __str__(self) -> str:
        return self.file if self.offset is None else f"{self.file}:{self.line}:{self.column}"
