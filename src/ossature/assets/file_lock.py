"""Locks on outputs: a file that one process writes piece by piece is written by no other one meanwhile."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from ossature.assets.atomic_write import is_stream
from ossature.diagnostics import OssatureError

SUFFIX = ".lock"
"""Suffix of lock files."""


class FileInUseError(OssatureError):
    """Another process, or another part of this one, is writing a file."""


class FileLock:
    """A lock on a file that is being written: a file beside it, locked by the operating system as long as its owner lives.

    The system releases it when the process ends, also if it is killed: what remains is an unlocked file, which the
    next process locks again. Devices and FIFOs are not locked.

    Args:
        path: The file that is written; links are followed, so that two names of a file have one lock.

    Raises:
        FileInUseError: It is locked.
        OSError: There can be no lock beside the file.
    """

    def __init__(self, path: Path) -> None:
        self._handle: int | None = None
        if is_stream(path):
            return
        target = os.path.realpath(path)
        self._path = f"{target}{SUFFIX}"
        while self._handle is None:
            self._handle = _open_locked(self._path, path)

    def release(self) -> None:
        """Release the lock, and remove its file; a second call has no effect."""
        handle, self._handle = self._handle, None
        if handle is None:
            return
        if sys.platform == "win32":  # an open file cannot be removed there
            os.close(handle)
            with suppress(OSError):  # the next owner has opened it
                os.unlink(self._path)
            return
        try:
            os.unlink(self._path)
        finally:
            os.close(handle)


def _open_locked(name: str, path: Path) -> int | None:
    """Return the descriptor of a locked file, or None if its owner removed the file at the same time."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(name, flags, 0o666)
    try:
        _lock(handle)
    except BlockingIOError as error:
        os.close(handle)
        raise FileInUseError(f"{path}: another process is writing this file") from error
    except OSError:  # it cannot be locked
        _remove_lock_file(name, handle)
        raise
    try:
        if os.path.samestat(os.fstat(handle), os.stat(name)):
            return handle
    except FileNotFoundError:
        pass  # removed by its owner
    except BaseException:
        _remove_lock_file(name, handle)
        raise
    os.close(handle)
    return None


def _remove_lock_file(name: str, handle: int) -> None:
    with suppress(OSError):  # the earlier error matters more
        os.unlink(name)
    os.close(handle)


def _lock(handle: int) -> None:
    """Lock an open file, without waiting.

    Raises:
        BlockingIOError: It is locked.
        OSError: The file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(error.errno, error.strerror) from error
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
