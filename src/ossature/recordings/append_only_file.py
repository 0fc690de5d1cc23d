"""Files that grow and are whole at any time."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ossature.assets.output_files import (
    create_temporary_sibling,
    is_stream,
    open_stream,
    output_target,
    replace_file,
    write_all,
)

_FLAGS = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class AppendOnlyFile:
    """A file to which pieces are appended, each whole or not at all, with an end that makes the file complete.

    A new piece takes the place of the end and is followed by it, in one write; so the file can be read between any two
    pieces, and a program that is killed leaves all pieces that it has appended. Devices and FIFOs are written into; they get
    their end when the file is closed.

    Args:
        path: The file; one that is there is replaced when the beginning of the new one is on the disk.
        head: What it begins with.
        tail: What it ends with.

    Raises:
        OSError: It cannot be written; a file that was there is as it was before.
    """

    def __init__(self, path: Path, head: bytes, tail: bytes = b"") -> None:
        self._tail, self._end = tail, 0
        self._is_stream = is_stream(path)
        self._handle = open_stream(path) if self._is_stream else _created(path, head + tail)
        if not self._is_stream:
            self._end = len(head)
            return
        try:
            self.append(head)
        except BaseException:
            os.close(self._handle)
            raise

    def append(self, piece: bytes) -> None:
        """Append a piece.

        Raises:
            OSError: There is no room for it; the file is as it was before.
        """
        if self._is_stream:
            write_all(self._handle, piece)
            return
        try:
            self._write(piece + self._tail)
        except BaseException:
            # What the end needs was there before, so there is room for it.
            os.ftruncate(self._handle, self._end)
            self._write(self._tail)
            raise
        self._end += len(piece)

    def _write(self, content: bytes) -> None:
        os.lseek(self._handle, self._end, os.SEEK_SET)
        write_all(self._handle, content)

    def close(self) -> None:
        """Close it, when it is on the disk.

        Raises:
            OSError: The disk has failed.
        """
        try:
            if self._is_stream:
                write_all(self._handle, self._tail)
            else:
                os.fsync(self._handle)
        finally:
            os.close(self._handle)


def _created(path: Path, content: bytes) -> int:
    """Return the descriptor of a new file with some content, which has taken the place of one that was there."""
    target = output_target(path)
    temporary = create_temporary_sibling(target)
    try:
        handle = os.open(temporary, _FLAGS)
        try:
            write_all(handle, content)
            if os.name == "nt":  # an open file cannot be renamed there
                os.close(handle)
            replace_file(temporary, target)
            return handle if os.name != "nt" else os.open(target, _FLAGS)
        except BaseException:
            if os.name != "nt":
                os.close(handle)
            raise
    except BaseException:
        with suppress(OSError):  # it has its place already, or what went wrong before matters more
            os.unlink(temporary)
        raise
