"""Journals: a header line, followed by rows of numbers.

Table formats such as Parquet are readable only when they are complete. During a simulation samples are appended to a journal
next to the table, which is readable at any time; it is converted to the table at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ossature.array_types import Array
from ossature.recordings.append_only_file import AppendOnlyFile
from ossature.recordings.header import Header, header_from_json

MAGIC = b"ossature-journal 1 "
SUFFIX = ".part"
"""Suffix that is appended to the name of a table for its journal."""
_NUMBER = np.dtype("<f8")
_BLOCK_BYTES = 1 << 22
_MAX_HEADER_BYTES = 1 << 26


class JournalWriter:
    """Appends samples to a journal.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._file = AppendOnlyFile(path, MAGIC + header.to_json().encode() + b"\n")

    def write(self, rows: Array) -> None:
        """Append samples, shape (samples, columns).

        Raises:
            OSError: It cannot be written.
        """
        self._file.append(rows.astype(_NUMBER, copy=False).tobytes())

    def close(self) -> None:
        """Close the journal."""
        self._file.close()


class Journal:
    """A journal, complete or still growing; an incomplete last sample is ignored.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not a journal.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            line = file.readline(_MAX_HEADER_BYTES)
            if not line.startswith(MAGIC) or not line.endswith(b"\n"):
                raise ValueError("the file is not a journal of an Ossature recording")
            self.header = header_from_json(line.removeprefix(MAGIC))
            size = file.seek(0, os.SEEK_END)
        self._width, self._start = self.header.columns.count, len(line)
        self.count = max(0, size - self._start) // (self._width * _NUMBER.itemsize)
        """Number of complete samples."""

    def blocks(self, size: int = _BLOCK_BYTES) -> Iterator[Array]:
        """Yield the samples in blocks, each of shape (samples, columns).

        Args:
            size: Largest size of a block [bytes], unless one sample is larger.

        Raises:
            OSError: It cannot be read.
            ValueError: It has been truncated since it was opened.
        """
        length = max(1, size // (self._width * _NUMBER.itemsize))
        with self._path.open("rb") as file:
            file.seek(self._start)
            for start in range(0, self.count, length):
                count = min(length, self.count - start)
                # Not memory-mapped: truncation of a mapped file would kill the process.
                data = file.read(count * self._width * _NUMBER.itemsize)
                if len(data) != count * self._width * _NUMBER.itemsize:
                    raise ValueError("the journal was truncated while it was read")
                yield np.frombuffer(data, _NUMBER).reshape(count, self._width)
