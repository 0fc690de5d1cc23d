"""Files that grow and are complete after each write."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from ossature.assets.atomic_write import (
    create_temporary_sibling,
    is_stream,
    open_stream,
    output_target,
    replace_file,
    write_all,
)

_FLAGS = os.O_WRONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class AppendOnlyFile:
    """A file with a head, appended pieces and a tail that completes it; each piece is appended atomically.

    A piece overwrites the tail and is followed by it, in one write. So the file can be read between any two pieces, and a
    killed process leaves all pieces that it has appended. Devices and FIFOs receive the tail when the file is closed.

    Args:
        path: The file; an existing file is replaced when the head of the new one has been written.

    Raises:
        OSError: It cannot be written; an existing file is unchanged.
    """

    def __init__(self, path: Path, head: bytes, tail: bytes = b"") -> None:
        self._tail, self._end = tail, 0
        self._is_stream = is_stream(path)
        self._handle = open_stream(path) if self._is_stream else _create(path, head + tail)
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
            OSError: It cannot be written, because the disk is full, for example; the file is unchanged.
        """
        if self._is_stream:
            write_all(self._handle, piece)
            return
        try:
            self._write(piece + self._tail)
        except BaseException:
            # The tail was in the file before, so there is space for it.
            os.ftruncate(self._handle, self._end)
            self._write(self._tail)
            raise
        self._end += len(piece)

    def _write(self, content: bytes) -> None:
        os.lseek(self._handle, self._end, os.SEEK_SET)
        write_all(self._handle, content)

    def close(self) -> None:
        """Complete the file, flush it to the disk and close it.

        Raises:
            OSError: It cannot be written.
        """
        try:
            if self._is_stream:
                write_all(self._handle, self._tail)
            else:
                os.fsync(self._handle)
        finally:
            os.close(self._handle)


def _create(path: Path, content: bytes) -> int:
    """Create a file with some content, which replaces an existing file; return its descriptor."""
    target = output_target(path)
    temporary = create_temporary_sibling(target)
    try:
        handle = os.open(temporary, _FLAGS)
        try:
            write_all(handle, content)
            if os.name == "nt":  # Windows cannot rename an open file
                os.close(handle)
            replace_file(temporary, target)
            return handle if os.name != "nt" else os.open(target, _FLAGS)
        except BaseException:
            if os.name != "nt":
                os.close(handle)
            raise
    except BaseException:
        with suppress(OSError):  # it has been renamed already, or the first error is more important
            os.unlink(temporary)
        raise
