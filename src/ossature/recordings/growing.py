"""Files that grow and are whole at any time."""

from __future__ import annotations

import os
from pathlib import Path


class GrowingFile:
    """A file to which pieces are appended, each whole or not at all, with an end that makes the file complete.

    A new piece takes the place of the end and is followed by it, in one write; so the file can be read between any two
    pieces, and a program that is killed leaves all pieces that it has appended.

    Args:
        path: The file; one that is there is written over.
        head: What it begins with.
        tail: What it ends with.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: Path, head: bytes, tail: bytes = b"") -> None:
        self._tail, self._end = tail, 0
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
        try:
            self.append(head)
        except OSError:
            self.close()
            raise

    def append(self, piece: bytes) -> None:
        """Append a piece.

        Raises:
            OSError: There is no room for it; the file is as it was before.
        """
        content = piece + self._tail
        try:
            self._write(content)
        except OSError:
            # What the end needs was there before, so there is room for it.
            os.ftruncate(self._handle, self._end)
            if self._end:
                self._write(self._tail)
            raise
        self._end += len(piece)

    def _write(self, content: bytes) -> None:
        os.lseek(self._handle, self._end, os.SEEK_SET)
        written = os.write(self._handle, content)
        while written < len(content):  # a full disk takes a part first, and refuses the next
            written += os.write(self._handle, content[written:])

    def close(self) -> None:
        """Close it."""
        os.close(self._handle)
