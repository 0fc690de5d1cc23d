"""Reading files: the file system, and a twin in memory for tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Protocol

from ossature.assets.file_access_log import log_content, log_search
from ossature.assets.read_regular_files import FileSizeLimitError, read_descriptor, read_regular_file


class Files(Protocol):
    """Reads files by absolute path."""

    def is_file(self, path: Path) -> bool:
        """Whether there is a regular file."""

    def read(self, path: Path, most_bytes: int) -> bytes:
        """Return the bytes of a regular file.

        Raises:
            FileSizeLimitError: It has more bytes.
            OSError: It cannot be read, or is not a regular file.
        """

    def read_beneath(self, root: Path, inside: PurePath, most_bytes: int) -> bytes:
        """Return the bytes of a regular file in a folder, safe against links created meanwhile.

        Args:
            root: The folder, without links in its path.
            inside: The file's path from there, without links.
            most_bytes: The largest size that is read [bytes].

        Raises:
            FileSizeLimitError: It has more bytes.
            OSError: It cannot be read, is not a regular file, or its path contains a link.
        """


@dataclass(frozen=True, slots=True)
class DiskFiles:
    """The file system."""

    def is_file(self, path: Path) -> bool:
        """Whether there is a regular file."""
        found = os.path.isfile(path)  # noqa: PTH113  # in half of the time; a name too long or with a null character is none
        log_search(path, found)
        return found

    def read(self, path: Path, most_bytes: int) -> bytes:
        """Return the bytes of a regular file."""
        return read_regular_file(path, most_bytes)

    def read_beneath(self, root: Path, inside: PurePath, most_bytes: int) -> bytes:
        """Return the bytes of a regular file in a folder: each part of the path is opened relative to the one before.

        The opened file is checked, so it cannot be exchanged in between. Windows opens the whole path at once.
        """
        try:
            descriptor = _open_inside_folder(root, inside)
        except OSError:
            log_content(root / inside, None)
            raise
        return read_descriptor(descriptor, root / inside, most_bytes)


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """Files in memory, by absolute path."""

    contents: Mapping[str, bytes] = field(default_factory=dict)

    def is_file(self, path: PurePath) -> bool:
        """Whether there is such a file."""
        return str(path) in self.contents

    def read(self, path: PurePath, most_bytes: int) -> bytes:
        """Return a file's bytes."""
        try:
            data = self.contents[str(path)]
        except KeyError:
            raise FileNotFoundError(str(path)) from None
        if len(data) > most_bytes:
            raise FileSizeLimitError(path, len(data), most_bytes)
        return data

    def read_beneath(self, root: PurePath, inside: PurePath, most_bytes: int) -> bytes:
        """Return the bytes of a file in a folder."""
        return self.read(root / inside, most_bytes)


@dataclass(frozen=True, slots=True)
class OverlayFiles:
    """Files in memory, by absolute path, and all other files of the file system."""

    memory: MemoryFiles
    disk: DiskFiles = field(default_factory=DiskFiles)

    def is_file(self, path: Path) -> bool:
        """Whether there is such a file."""
        return self.memory.is_file(path) or self.disk.is_file(path)

    def read(self, path: Path, most_bytes: int) -> bytes:
        """Return a file's bytes."""
        return self._source(path).read(path, most_bytes)

    def read_beneath(self, root: Path, inside: PurePath, most_bytes: int) -> bytes:
        """Return the bytes of a file in a folder."""
        return self._source(root / inside).read_beneath(root, inside, most_bytes)

    def _source(self, path: Path) -> Files:
        return self.memory if self.memory.is_file(path) else self.disk


_TO_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# A pipe would wait for its writer, and a terminal could become that of this process.
_FILE_TO_READ = _TO_READ | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FOLDER = _TO_READ | getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def _open_inside_folder(root: Path, inside: PurePath) -> int:
    """Open a file in a folder, without following links if the platform can open parts of a path one by one."""
    if os.open not in os.supports_dir_fd:
        return os.open(root / inside, _FILE_TO_READ)
    with ExitStack() as folders:
        folder = os.open(root, _FOLDER & ~getattr(os, "O_NOFOLLOW", 0))
        folders.callback(os.close, folder)
        for part in inside.parts[:-1]:
            folder = os.open(part, _FOLDER, dir_fd=folder)
            folders.callback(os.close, folder)
        return os.open(inside.name, _FILE_TO_READ, dir_fd=folder)
