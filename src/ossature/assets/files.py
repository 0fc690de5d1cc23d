"""The one small door to the file system: reading, with a twin in memory for tests, and writing whole files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there whole, or as it was before.

    Raises:
        OSError: It cannot be written.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Let a file of the same suffix be written beside another one, and take its place when it is whole.

    Raises:
        OSError: It cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=path.suffix)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from error  # not the name beside it that was tried
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
