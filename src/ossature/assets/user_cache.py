"""Files in the folder for caches of the user: entries by key, and whether what they depend on is unchanged.

Entries are written beside and renamed, so that several processes can use the cache at the same time.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ossature.assets.atomic_write import write_file_unflushed
from ossature.assets.file_access_log import content_digest
from ossature.assets.read_regular_files import read_regular_file
from ossature.assets.uri_resolver import data_path_from_environment, search_path_from_environment

_MOST_BYTES = 64 << 20
"""Size of all entries; beyond it the oldest are removed."""
_OLDEST_TEMPORARY = 3600.0
"""Age at which a temporary file is one of a process that was killed [s]."""


def default_cache_folder(environment: Mapping[str, str]) -> Path | None:
    """Return the folder for caches of the user, as the platform defines it; None if there is none."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = environment.get("LOCALAPPDATA")
        return Path(base) / "ossature" / "Cache" if base else None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "ossature"
    specified = environment.get("XDG_CACHE_HOME", "")
    return (Path(specified) if specified.startswith("/") else home / ".cache") / "ossature"


class UserCache:
    """Entries of one kind.

    Args:
        folder: The folder, which is created; nothing is cached if that is impossible, or if it belongs to another user.
        suffix: The suffix of the files of the entries.
        most_entry_bytes: The size beyond which an entry is not read.

    Attributes:
        is_available: Whether anything is cached.
    """

    def __init__(self, folder: Path, suffix: str, most_entry_bytes: int) -> None:
        self._folder, self._suffix, self._most_entry_bytes = folder, suffix, most_entry_bytes
        self._has_new_entries = False
        self.is_available = _make_private(folder)

    def read(self, key: str) -> bytes | None:
        """Return the entry of a key, or None if there is none."""
        if not self.is_available:
            return None
        try:
            return read_regular_file(self._folder / f"{key}{self._suffix}", self._most_entry_bytes)
        except (OSError, ValueError):
            return None

    def write(self, key: str, entry: bytes) -> None:
        """Add the entry of a key; it is not added if that is impossible, for example because the disk is full."""
        if self.is_available and len(entry) <= self._most_entry_bytes:
            with suppress(OSError):
                write_file_unflushed(self._folder / f"{key}{self._suffix}", entry)
                self._has_new_entries = True

    def remove_oldest(self) -> None:
        """Remove the oldest entries beyond the largest size, if entries were added."""
        if not self._has_new_entries:
            return
        total = 0
        now = time.time()
        for written, size, path in sorted(_entries(self._folder, self._suffix), reverse=True):
            total += size
            is_abandoned = path.suffix != self._suffix and now - written > _OLDEST_TEMPORARY
            if is_abandoned or total > _MOST_BYTES:
                with suppress(OSError):  # another process removes it at the same time
                    path.unlink()


def _make_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return not hasattr(os, "geteuid") or folder.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _entries(folder: Path, suffix: str) -> Iterator[tuple[float, int, Path]]:
    """Yield when each file of the cache was written, and its size [bytes]."""
    for entry in os.scandir(folder):
        if entry.name.endswith(suffix) or entry.name.startswith("."):
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                yield facts.st_mtime, facts.st_size, Path(entry.path)


def is_unchanged(found: Mapping[str, str | None], digests: Mapping[str, str]) -> bool:
    """Return whether the files that were searched and read are still the same, and can be read; see :class:`FileAccessLog`."""
    for path, real in found.items():
        is_file = os.path.isfile(path)  # noqa: PTH113  # a third of the time of a Path, for thousands of meshes
        if (os.path.realpath(path) if is_file else None) != real:
            return False
    try:
        return all(content_digest(read_regular_file(Path(path), 1 << 30)) == digest for path, digest in digests.items())
    except (OSError, ValueError):
        return False


def reading_environment(path: Path) -> dict[str, list[str]]:
    """Return what the reading of a file depends on besides options and files: its place, and folders of the environment."""
    folders = [*map(str, search_path_from_environment()), "", *map(str, data_path_from_environment())]
    return {"places": [str(path), os.path.realpath(path), os.environ.get("HOME", ""), str(Path.cwd())], "folders": folders}


def cache_key(options: Mapping[str, Any], content: bytes) -> str:
    """Return the key of a file with some content, read with some options, by this version of the program."""
    # The standard library's JSON, because names of files need not be Unicode.
    specified = json.dumps([_program_digest(), dict(options), content_digest(content)], sort_keys=True)
    return hashlib.blake2b(specified.encode(), digest_size=20).hexdigest()


_PROGRAM: list[str] = []


def _program_digest() -> str:
    """Return a digest of the program's files by name, size and time, so that no edited program uses results of another one."""
    if not _PROGRAM:
        root = Path(__file__).parent.parent
        facts = [sys.version]
        for folder, folders, files in os.walk(root):
            folders.sort()
            for name in sorted(files):
                if name.endswith(".py"):
                    specified = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118  # hundreds of files
                    facts.append(f"{folder}/{name} {specified.st_size} {specified.st_mtime_ns}")
        _PROGRAM.append(content_digest("\n".join(facts).encode("utf-8", "surrogateescape")))
    return _PROGRAM[0]
