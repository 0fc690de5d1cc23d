"""Reading files: the file system, and a twin in memory for tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Protocol


class Files(Protocol):
    """Reads files by absolute path."""

    def is_file(self, path: Path) -> bool:
        """Whether there is a regular file."""

    def size(self, path: Path) -> int:
        """Return how many bytes a file has.

        Raises:
            OSError: It cannot be asked.
        """

    def read(self, path: Path) -> bytes:
        """Return a file's bytes.

        Raises:
            OSError: It cannot be read.
        """


@dataclass(frozen=True, slots=True)
class DiskFiles:
    """The file system."""

    def is_file(self, path: Path) -> bool:
        """Whether there is a regular file."""
        try:
            return path.is_file()
        except (OSError, ValueError):  # a name too long or with a null character names no file
            return False

    def size(self, path: Path) -> int:
        """Return how many bytes a file has."""
        return path.stat().st_size

    def read(self, path: Path) -> bytes:
        """Return a file's bytes."""
        return path.read_bytes()


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """Files in memory, by absolute path."""

    contents: Mapping[str, bytes] = field(default_factory=dict)

    def is_file(self, path: PurePath) -> bool:
        """Whether there is such a file."""
        return str(path) in self.contents

    def size(self, path: PurePath) -> int:
        """Return how many bytes a file has."""
        return len(self.read(path))

    def read(self, path: PurePath) -> bytes:
        """Return a file's bytes."""
        try:
            return self.contents[str(path)]
        except KeyError:
            raise FileNotFoundError(str(path)) from None
