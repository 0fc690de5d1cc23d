"""A log of the files that were opened or searched, so that a result is known to be valid as long as they do not change."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import PurePath


@dataclass(slots=True)
class FileAccessLog:
    """The files on which a result depends.

    Attributes:
        found: For each path that was searched the path of the file without links, or None if there is no file.
        digests: For each path that was read the digest of its content, or None if it could not be read or changed meanwhile.
    """

    found: dict[str, str | None] = field(default_factory=dict)
    digests: dict[str, str | None] = field(default_factory=dict)


_LOG: ContextVar[FileAccessLog | None] = ContextVar("log", default=None)


@contextmanager
def logged_file_access() -> Iterator[FileAccessLog]:
    """Log which files are searched and read inside the block."""
    log = FileAccessLog()
    token = _LOG.set(log)
    try:
        yield log
    finally:
        _LOG.reset(token)


def current_log() -> FileAccessLog | None:
    """Return the log of the present context, or None."""
    return _LOG.get()


def log_search(path: PurePath, is_file: bool) -> None:
    """Log whether there is a file at a path."""
    log = _LOG.get()
    if log is not None and str(path) not in log.found:
        log.found[str(path)] = real_path(path) if is_file else None


def log_content(path: str | PurePath, content: bytes | None) -> None:
    """Log the content of a file, or that it could not be read."""
    log = _LOG.get()
    if log is not None:
        digest = None if content is None else content_digest(content)
        if log.digests.setdefault(str(path), digest) != digest:
            log.digests[str(path)] = None


def real_path(path: str | PurePath) -> str:
    """Return the path of a file without links, as ``os.path.realpath`` does, which asks for each folder of the path."""
    if not hasattr(os, "O_PATH"):
        return os.path.realpath(path)
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return os.path.realpath(path)
    try:
        return os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115  # by Linux
    except OSError:
        return os.path.realpath(path)
    finally:
        os.close(handle)


def content_digest(content: bytes) -> str:
    """Return the digest of the content of a file."""
    return hashlib.sha256(content).hexdigest()  # twice as fast as BLAKE2 on processors with instructions for it
