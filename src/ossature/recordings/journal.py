"""Journals: a line that says what follows, and then rows of numbers, one appended after the other.

Tables such as Parquet can be read only when their last byte is written. While a simulation runs its samples go into a
journal beside the table, which can be read at any time; the table is made of it at the end.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ossature.recordings.growing import GrowingFile
from ossature.recordings.header import Header, header_from_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"ossature-journal 1 "
SUFFIX = ".part"
"""What is added to the name of a table to name its journal."""
_NUMBER = np.dtype("<f8")
_BLOCK_BYTES = 1 << 22


class JournalWriter:
    """Appends samples to a journal.

    Args:
        path: The journal.
        header: What it says once.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self._file = GrowingFile(path, MAGIC + header.to_json().encode() + b"\n")

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
        with path.open("rb") as file:
            line = file.readline(1 << 26)
            if not line.startswith(MAGIC) or not line.endswith(b"\n"):
                raise ValueError("this is no journal of a recording")
            self.header = header_from_json(line.removeprefix(MAGIC))
            self._width = self.header.columns.count
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.count = (len(content) - len(line)) // (self._width * _NUMBER.itemsize)
        """How many whole samples it has."""
        self._rows = np.frombuffer(content, _NUMBER, self.count * self._width, len(line)).reshape(self.count, self._width)

    def blocks(self) -> Iterator[NDArray[np.float64]]:
        """Yield the samples in blocks, each of shape (samples, columns)."""
        length = max(1, _BLOCK_BYTES // (self._width * _NUMBER.itemsize))
        for start in range(0, self.count, length):
            yield self._rows[start : start + length]

    def column(self, number: int) -> Iterator[NDArray[np.float64]]:
        """Yield one column in blocks."""
        for block in self.blocks():
            yield block[:, number]
