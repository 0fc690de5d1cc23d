"""Journals: a line that says what follows, and then rows of numbers, one appended after the other.

Tables such as Parquet can be read only when their last byte is written. While a simulation runs its samples go into a
journal beside the table, which can be read at any time; the table is made of it at the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ossature.recordings.append_only_file import AppendOnlyFile
from ossature.recordings.header import Header, header_from_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"ossature-journal 1 "
SUFFIX = ".part"
"""What is added to the name of a table to name its journal."""
_NUMBER = np.dtype("<f8")
_BLOCK_BYTES = 1 << 22
_LONGEST_HEADER = 1 << 26


class JournalWriter:
    """Appends samples to a journal.

    Args:
        path: The journal.
        header: What it says once.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._file = AppendOnlyFile(path, MAGIC + header.to_json().encode() + b"\n")

    def write(self, row: NDArray[np.float64]) -> None:
        """Append a sample.

        Raises:
            OSError: There is no room for it.
        """
        self._file.append(row.astype(_NUMBER, copy=False).tobytes())

    def close(self) -> None:
        """Close it."""
        self._file.close()


class Journal:
    """A journal, perhaps one that is still growing; a sample that is not whole is left out.

    Args:
        path: The journal.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no journal.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            line = file.readline(_LONGEST_HEADER)
            if not line.startswith(MAGIC) or not line.endswith(b"\n"):
                raise ValueError("this is no journal of a recording")
            self.header = header_from_json(line.removeprefix(MAGIC))
            size = file.seek(0, os.SEEK_END)
        self._width, self._start = self.header.columns.count, len(line)
        self.count = max(0, size - self._start) // (self._width * _NUMBER.itemsize)
        """How many whole samples it has."""

    def blocks(self) -> Iterator[NDArray[np.float64]]:
        """Yield the samples in blocks, each of shape (samples, columns).

        Raises:
            OSError: It cannot be read.
            ValueError: It has become shorter since it was opened.
        """
        length = max(1, _BLOCK_BYTES // (self._width * _NUMBER.itemsize))
        with self._path.open("rb") as file:
            file.seek(self._start)
            for start in range(0, self.count, length):
                count = min(length, self.count - start)
                # Read, not mapped: pages of a mapped file that is made shorter end the process.
                data = file.read(count * self._width * _NUMBER.itemsize)
                if len(data) != count * self._width * _NUMBER.itemsize:
                    raise ValueError("this journal was truncated while it was read")
                yield np.frombuffer(data, _NUMBER).reshape(count, self._width)
