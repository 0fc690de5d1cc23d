"""Reading files: the file system, and a twin in memory for tests."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Protocol


class LargeFileError(OSError):
    """A file has more bytes than are read."""

    def __init__(self, path: PurePath, most_bytes: int) -> None:
        super().__init__(None, f"larger than {most_bytes >> 20} MiB", str(path))


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

    def read_beneath(self, root: Path, inside: PurePath, most_bytes: int) -> bytes:
        """Return the bytes of a regular file in a folder, safe against links created meanwhile.

        Args:
            root: The folder, without links in its path.
            inside: The file's path from there, without links.
            most_bytes: The largest size that is read [bytes].

        Raises:
            LargeFileError: It has more bytes.
            OSError: It cannot be read, is not a regular file, or its path contains a link.
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

    def read_beneath(self, root: Path, inside: PurePath, most_bytes: int) -> bytes:
        """Return the bytes of a regular file in a folder: each part of the path is opened relative to the one before.

        The opened file is checked, so it cannot be exchanged in between. Windows opens the whole path at once.
        """
        with _open_inside_folder(root, inside) as descriptor:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise OSError(errno.EINVAL, "this is no regular file", str(root / inside))
            if facts.st_size > most_bytes:
                raise LargeFileError(root / inside, most_bytes)
            data = os.read(descriptor, min(facts.st_size, _PORTION) + 1)
            parts = [data]
            while data and sum(map(len, parts)) <= most_bytes:  # it may grow meanwhile
                data = os.read(descriptor, _PORTION)
                parts.append(data)
        if sum(map(len, parts)) > most_bytes:
            raise LargeFileError(root / inside, most_bytes)
        return b"".join(parts)


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

    def read_beneath(self, root: PurePath, inside: PurePath, most_bytes: int) -> bytes:
        """Return the bytes of a file in a folder."""
        data = self.read(root / inside)
        if len(data) > most_bytes:
            raise LargeFileError(root / inside, most_bytes)
        return data


_PORTION = 1 << 24
_TO_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# A pipe would wait for its writer, and a terminal could become that of this process.
_FILE_TO_READ = _TO_READ | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = _TO_READ | getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


@contextmanager
def _open_inside_folder(root: Path, inside: PurePath) -> Iterator[int]:
    """Open a file in a folder, without following links where the platform can open parts of a path one by one."""
    if os.open not in os.supports_dir_fd:
        descriptor = os.open(root / inside, _FILE_TO_READ)
    else:
        folder = os.open(root, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        try:
            for part in inside.parts[:-1]:
                inner = os.open(part, _FOLDER, dir_fd=folder)
                os.close(folder)
                folder = inner
            descriptor = os.open(inside.name, _FILE_TO_READ, dir_fd=folder)
        finally:
            os.close(folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
