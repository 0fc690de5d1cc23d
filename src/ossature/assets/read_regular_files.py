"""Reading whole regular files: never a device, pipe or folder, and never more bytes than are allowed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path, PurePath

from ossature.assets.file_access_log import log_content
from ossature.assets.similar_files import file_with_similar_name
from ossature.diagnostics import LimitError, Location, Report, Rule, Source
from ossature.syntax.rules import UNREADABLE_FILE


class UnsuitableFileError(OSError):
    """A path is not a regular file; ``strerror`` describes what it is."""


class FileSizeLimitError(OSError):
    """A file has more bytes than are allowed.

    Attributes:
        size: How many it has [bytes], or one more than allowed if it grew while it was read.
    """

    def __init__(self, path: str | PurePath, size: int, most_bytes: int) -> None:
        self.size = size
        super().__init__(None, f"{size} bytes are more than the {most_bytes} that are read", str(path))


def read_regular_file(path: str | Path, most_bytes: int) -> bytes:
    """Return the bytes of a regular file.

    The descriptor that is checked is the one that is read, so that the file cannot be exchanged in between. Opening never
    waits for a writer of a pipe.

    Args:
        path: The file, or a link to it.
        most_bytes: The largest size that is read [bytes].

    Raises:
        UnsuitableFileError: It is a folder, a device, a pipe or a socket.
        FileSizeLimitError: It has more bytes.
        OSError: It cannot be opened or read.
        ValueError: The path contains a null character.
    """
    try:
        require_regular(path)  # opening a device can have effects of its own
        descriptor = os.open(path, _TO_READ)
    except (OSError, ValueError):
        log_content(path, None)
        raise
    return read_descriptor(descriptor, path, most_bytes)


_TO_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_descriptor(descriptor: int, path: str | Path, most_bytes: int) -> bytes:
    """Return the bytes of a regular file that is open, and close it; see :func:`read_regular_file`."""
    try:
        content = _read_and_close(descriptor, path, most_bytes)
    except OSError:
        log_content(path, None)
        raise
    log_content(path, content)
    return content


def _read_and_close(descriptor: int, path: str | Path, most_bytes: int) -> bytes:
    """Return the bytes of a regular file that is open, and close it.

    A growing file, or one without a size (as in /proc), is read up to the limit.

    Args:
        path: The file, for messages.
        most_bytes: The largest size that is read [bytes].
    """
    try:
        facts = os.fstat(descriptor)
        _require_regular(path, facts)
        if facts.st_size > most_bytes:
            raise FileSizeLimitError(path, facts.st_size, most_bytes)
        parts, total = [os.read(descriptor, facts.st_size + 1)], 0
        while parts[-1]:
            total += len(parts[-1])
            if total > most_bytes:
                raise FileSizeLimitError(path, total, most_bytes)
            parts.append(os.read(descriptor, _PORTION))
        parts.pop()  # the empty one; a single other part is not copied
        return b"".join(parts)
    finally:
        os.close(descriptor)


_PORTION = 1 << 20


def require_regular(path: str | Path) -> None:
    """Raise an error for anything else than a regular file, before it is opened.

    Raises:
        UnsuitableFileError: It is a folder, a device, a pipe or a socket.
        OSError: There is no such file.
    """
    _require_regular(path, os.stat(path))  # noqa: PTH116  # a text or a Path


def _require_regular(path: str | Path, facts: os.stat_result) -> None:
    if not stat.S_ISREG(facts.st_mode):
        raise UnsuitableFileError(None, f"this is {_file_type_text(facts.st_mode)}, not a regular file", str(path))


def _file_type_text(mode: int) -> str:
    kinds = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a pipe",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "something else")


def file_bytes(
    path: Path,
    report: Report,
    *,
    rule: Rule = UNREADABLE_FILE,
    location: Location | None = None,
    subject: str = "",
    read: Callable[[Path, int], bytes] = read_regular_file,
) -> bytes | None:
    """Return the bytes of a regular file, or None with a finding if it cannot be read or is larger than the limit.

    Args:
        report: Report to add the finding to; its limits bound the number of bytes.
        rule: The kind of finding if it cannot be read.
        location: Location of the reference; the file itself if None.
        subject: Start of the message, for a file that another one references.
        read: Returns the bytes of the file, at most as many as stated, or raises an ``OSError``.
    """
    location = location if location is not None else Location(Source(str(path)))
    try:
        return read(path, report.limits.file_bytes)
    except FileSizeLimitError as error:
        try:
            report.budget.require_file(error.size, location)
        except LimitError as refusal:
            report.refuse(refusal)
    except (OSError, ValueError) as error:
        message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        near = file_with_similar_name(path) if isinstance(error, FileNotFoundError) else None
        report.add(rule, f"{subject}{message.lower()}", location, hint=f"did you mean '{near}'?" if near else "check the path")
    return None
