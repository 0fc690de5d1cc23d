"""A cache of the findings of files, by content, options, and the state of all other files on which they depend.

An entry is a JSON file; its content is validated and never executed. Entries are written beside and renamed, so that several
processes can use the cache at the same time; an incomplete or foreign file is no entry.
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

import orjson

from ossature.assets.atomic_write import write_file_unflushed
from ossature.assets.file_access_log import FileAccessLog, content_digest
from ossature.assets.read_regular_files import read_regular_file

_SUFFIX = ".findings"
_MOST_BYTES = 64 << 20
"""Size of all entries; beyond it the oldest are removed."""
_MOST_ENTRY_BYTES = 8 << 20
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


class ResultCache:
    """Findings of earlier runs.

    Args:
        folder: Its folder, which is created; nothing is cached if that is impossible, or if it belongs to another user.

    Attributes:
        is_available: Whether anything is cached.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._has_new_entries = False
        self.is_available = _make_private(folder)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the record of a key if the files on which it depends are unchanged, or None."""
        if not self.is_available:
            return None
        try:
            entry = orjson.loads(read_regular_file(self._folder / f"{key}{_SUFFIX}", _MOST_ENTRY_BYTES))
            if entry["key"] == key and _is_unchanged(entry["found"], entry["digests"]):
                return dict(entry["record"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # there is none, or it is not one of ours
            pass
        return None

    def put(self, key: str, record: dict[str, Any], log: FileAccessLog) -> None:
        """Add the record of a key; it is not added if that is impossible."""
        if not self.is_available or None in log.digests.values():
            return
        with suppress(OSError, orjson.JSONEncodeError):  # a full disk, or a file name that is no Unicode
            content = orjson.dumps({"key": key, "found": log.found, "digests": log.digests, "record": record})
            write_file_unflushed(self._folder / f"{key}{_SUFFIX}", content)
            self._has_new_entries = True

    def remove_oldest(self) -> None:
        """Remove the oldest entries beyond the largest size, if entries were added."""
        if not self._has_new_entries:
            return
        total = 0
        now = time.time()
        for written, size, path in sorted(_entries(self._folder), reverse=True):
            total += size
            is_abandoned = path.suffix != _SUFFIX and now - written > _OLDEST_TEMPORARY
            if is_abandoned or total > _MOST_BYTES:
                with suppress(OSError):  # another process removes it at the same time
                    path.unlink()


def _make_private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return not hasattr(os, "geteuid") or folder.stat().st_uid == os.geteuid()
    except OSError:
        return False


def _entries(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """Yield when each file of the cache was written, and its size [bytes]."""
    for entry in os.scandir(folder):
        if entry.name.endswith(_SUFFIX) or entry.name.startswith("."):
            with suppress(OSError):
                facts = entry.stat(follow_symlinks=False)
                yield facts.st_mtime, facts.st_size, Path(entry.path)


def _is_unchanged(found: Mapping[str, str | None], digests: Mapping[str, str]) -> bool:
    for path, real in found.items():
        is_file = os.path.isfile(path)  # noqa: PTH113  # a third of the time of a Path, for thousands of meshes
        if (os.path.realpath(path) if is_file else None) != real:
            return False
    return all(content_digest(read_regular_file(Path(path), 1 << 30)) == digest for path, digest in digests.items())


def cache_key(options: Mapping[str, Any], content: bytes) -> str:
    """Return the key of a file with some content, checked with some options, by this version of the program."""
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
