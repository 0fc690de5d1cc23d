"""Files in the folder for caches of the user: entries by key, and whether what they depend on is unchanged.

Entries are written beside and renamed, so that several processes can use the cache at the same time.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
import time
import zlib
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from ossature.assets.atomic_write import write_file_unflushed
from ossature.assets.file_access_log import content_digest, real_path
from ossature.assets.read_regular_files import read_regular_file
from ossature.assets.uri_resolver import FOLDER_VARIABLES

_MOST_BYTES = 64 << 20
"""Size of all entries; beyond it the oldest are removed when they are searched."""
_SEARCHES = 16
"""How often entries are searched on average while as much is written, because a search of thousands takes 50 ms."""
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
        folder: The folder, which is created; nothing is cached if that is impossible, or if other users can write into it.
        suffix: The suffix of the files of the entries.
        most_entry_bytes: The size beyond which an entry is not read.

    Attributes:
        is_available: Whether anything is cached.
    """

    def __init__(self, folder: str | Path, suffix: str, most_entry_bytes: int) -> None:
        self._folder, self._suffix, self._most_entry_bytes = os.fspath(folder), suffix, most_entry_bytes
        self._is_search_due = False
        self.is_available = _make_private(self._folder)

    def read(self, key: str) -> bytes | None:
        """Return the entry of a key, or None if there is none, or if it is damaged."""
        if not self.is_available:
            return None
        try:
            content = read_regular_file(self._path(key), self._most_entry_bytes + _CHECKSUM_BYTES)
        except (OSError, ValueError):
            return None
        entry = content[_CHECKSUM_BYTES:]
        return entry if content[:_CHECKSUM_BYTES] == _checksum(entry) else None

    def write(self, key: str, entry: bytes) -> None:
        """Add the entry of a key; it is not added if that is impossible, for example because the disk is full."""
        if self.is_available and len(entry) <= self._most_entry_bytes:
            with suppress(OSError):
                write_file_unflushed(Path(self._path(key)), _checksum(entry) + entry)
                self._is_search_due |= _is_search_due(key, len(entry))

    def _path(self, key: str) -> str:
        return f"{self._folder}{os.sep}{key}{self._suffix}"

    def remove_oldest(self) -> None:
        """Remove the oldest entries beyond the largest size, if that is due after entries were added."""
        if not self._is_search_due:
            return
        self._is_search_due = False
        total = 0
        now = time.time()
        for written, size, path in sorted(_entries(self._folder, self._suffix), reverse=True):
            total += size
            is_abandoned = path.name.startswith(".") and now - written > _OLDEST_TEMPORARY
            if is_abandoned or total > _MOST_BYTES:
                with suppress(OSError):  # another process removes it at the same time
                    path.unlink()


def _is_search_due(key: str, size: int) -> bool:
    """Whether the entries are searched after one is written: in proportion to its size, by the digits of its key."""
    return int(key[:8], 16) * _MOST_BYTES < size * _SEARCHES << 32


_CHECKSUM_BYTES = 4


def _checksum(entry: bytes) -> bytes:
    """Return what precedes an entry: a file that is not flushed may have wrong bytes if the machine failed."""
    return zlib.crc32(entry).to_bytes(_CHECKSUM_BYTES, "little")


def _make_private(folder: str) -> bool:
    """Make a folder if it is not there, and return whether only this user can write into it, or users of a group of his."""
    try:
        facts = _folder_facts(folder)
    except (OSError, ValueError):
        return False
    return not hasattr(os, "geteuid") or (facts.st_uid == os.geteuid() and not facts.st_mode & stat.S_IWOTH)


def _folder_facts(folder: str) -> os.stat_result:
    try:
        return os.stat(f"{folder}{os.sep}")  # noqa: PTH116  # a third of the time of a Path
    except FileNotFoundError:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.stat(folder)  # noqa: PTH116


def _entries(folder: str, suffix: str) -> Iterator[tuple[float, int, Path]]:
    """Yield when each file of the cache was written, and its size [bytes]; a folder of the user may have other files too."""
    own = re.compile(rf"[0-9a-f]{{40}}{re.escape(suffix)}|\.[0-9a-f]{{40}}\.[0-9a-f]+{re.escape(suffix)}")
    with suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if own.fullmatch(entry.name):
                with suppress(OSError):
                    facts = entry.stat(follow_symlinks=False)
                    yield facts.st_mtime, facts.st_size, Path(entry.path)


def is_unchanged(found: Mapping[str, str | None], digests: Mapping[str, str]) -> bool:
    """Return whether the files that were searched and read are still the same, and can be read; see :class:`FileAccessLog`."""
    return unchanged_contents(found, digests) is not None


def unchanged_contents(
    found: Mapping[str, str | None], digests: Mapping[str, str], wanted: Container[str] = ()
) -> dict[str, bytes] | None:
    """Return the contents of some files if all that were searched and read are unchanged, or None; see :func:`is_unchanged`.

    Args:
        wanted: The paths of the files whose contents are returned.
    """
    for path, real in found.items():
        is_file = os.path.isfile(path)  # noqa: PTH113  # a third of the time of a Path, for thousands of meshes
        if (real_path(path) if is_file else None) != real:
            return None
    contents = {}
    try:
        for path, digest in digests.items():
            content = read_regular_file(path, 1 << 30)
            if content_digest(content) != digest:
                return None
            if path in wanted:
                contents[path] = content
    except (OSError, ValueError):
        return None
    return contents


def reading_environment(path: str | Path) -> dict[str, list[str]]:
    """Return what the reading of a file depends on besides options and files: its place, and folders of the environment."""
    variables = [os.environ.get(name, "") for name in ("HOME", *FOLDER_VARIABLES)]
    return {"places": [str(path), real_path(path), _working_folder()], "variables": variables}


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  # a quarter of the time of a Path
    except OSError:  # it was removed
        return ""


def cache_key(options: Mapping[str, Any], content: bytes) -> str:
    """Return the key of a file with some content, read with some options, by this version of the program.

    Args:
        options: Values that differ if their ``repr`` does.
    """
    specified = repr((_program_digest(), sorted(options.items()), content_digest(content)))
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
                if name.endswith((".py", *EXTENSION_SUFFIXES)):
                    specified = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118  # hundreds of files
                    facts.append(f"{folder}/{name} {specified.st_size} {specified.st_mtime_ns}")
        _PROGRAM.append(content_digest("\n".join(facts).encode("utf-8", "surrogateescape")))
    return _PROGRAM[0]
