"""Atomic output files: an output is written completely, or the file at its path is unchanged.

Regular files are written to a temporary file beside them, flushed to disk, and renamed. Links are followed to their target,
which is replaced; the link stays. Devices, FIFOs and descriptors of this process (``/dev/stdout``) are written into, never
replaced.
"""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self))/fd/(\d+)")
_MOST_LINKS = 40
"""As many links as Linux follows."""
_MOST_NAMES = 100
"""Names that are tried for the file beside the output; a second try is already improbable."""
_UNSUPPORTED_BY_FILE_SYSTEM = (errno.EINVAL, errno.ENOTSUP)
"""Errors of file systems that cannot flush a folder to disk."""


def write_file_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there whole, or as it was before; see :func:`open_output`.

    Raises:
        OSError: It cannot be written.
        UnicodeEncodeError: The text contains a lone surrogate; nothing was written.
    """
    data = content.encode() if isinstance(content, str) else content
    with open_output(path) as file:
        file.write(data)


def write_file_unflushed(path: Path, content: bytes) -> None:
    """Write a file that may be lost or damaged if the machine fails, as those of caches; other processes see it complete.

    Raises:
        OSError: It cannot be written.
    """
    temporary = create_temporary_sibling(path)
    try:
        handle = os.open(temporary, os.O_WRONLY | _BINARY | _CLOSE_ON_EXEC)
        try:
            write_all(handle, content)
        finally:
            os.close(handle)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):  # the earlier error matters more
            os.unlink(temporary)
        raise


@contextmanager
def open_output(path: Path) -> Iterator[io.RawIOBase]:
    """Write a file in parts; it replaces the target when the block ends without an error.

    Of a device, a FIFO or a descriptor of this process the pieces are written at once, and it cannot be sought in.

    Raises:
        OSError: It cannot be written; its ``filename`` is the path.
    """
    stream = open_stream(path) if is_stream(path) else None
    if stream is not None:
        with _errors_naming_target(path), _Descriptor(stream) as file:
            yield file
        return
    flags = os.O_WRONLY | _BINARY | _CLOSE_ON_EXEC
    with replacing(path) as temporary, _errors_naming_target(path), _Descriptor(os.open(temporary, flags)) as file:
        yield file


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Write a temporary file of the same suffix beside another one, which it replaces when it is complete.

    It keeps the permissions of the file that it replaces. No temporary file remains after an error.

    Raises:
        OSError: It cannot be written, or the path is not a regular file, which cannot be replaced.
    """
    target = output_target(path)
    with _errors_naming_target(path):
        temporary = create_temporary_sibling(target)
    try:
        yield temporary
        with _errors_naming_target(path):
            replace_file(temporary, target)
    except BaseException:
        with suppress(OSError):  # it is renamed already, or the earlier error matters more
            os.unlink(temporary)
        raise


def output_target(path: Path) -> Path:
    """Return the regular file that is written for a path: that at the end of its links, which may not be there yet.

    Raises:
        OSError: The path is not a regular file, may not be written, or its links form a cycle.
    """
    with _errors_naming_target(path):
        target = Path(os.path.realpath(path))
        try:
            mode = os.stat(target).st_mode
        except FileNotFoundError:
            return target
        if not stat.S_ISREG(mode):
            code = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
            raise OSError(code, os.strerror(code) if stat.S_ISDIR(mode) else "this is no regular file")
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return target


def is_stream(path: Path) -> bool:
    """Whether a path is a device, a FIFO or a descriptor of this process: it is written into, in one direction.

    Raises:
        OSError: It cannot be found out.
    """
    if _own_descriptor(path) is not None:
        return True
    with _errors_naming_target(path):
        try:
            mode = os.stat(path).st_mode
        except FileNotFoundError:
            return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def open_stream(path: Path) -> int:
    """Return a descriptor that writes into a device, a FIFO (when it has a reader) or a descriptor of this process.

    Raises:
        OSError: It cannot be opened.
    """
    with _errors_naming_target(path):
        number = _own_descriptor(path)
        if number is None:
            return os.open(path, os.O_WRONLY | _BINARY | _CLOSE_ON_EXEC)
        for output in (sys.stdout, sys.stderr):
            if output is not None:
                output.flush()  # earlier output comes first
        return os.dup(number)


def create_temporary_sibling(target: Path) -> Path:
    """Create an empty file of the same suffix beside another one, with the permissions of that, or those of a new file.

    Raises:
        OSError: It cannot be created.
    """
    for _ in range(_MOST_NAMES):
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}{target.suffix[:40]}")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _CLOSE_ON_EXEC, 0o666)
        except FileExistsError:
            continue
        try:
            os.close(handle)
        except BaseException:
            os.unlink(temporary)
            raise
        return temporary
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


def replace_file(temporary: Path, target: Path) -> None:
    """Rename a file that was written beside another one to that, both flushed to the disk.

    Raises:
        OSError: It cannot be; the other one is as it was before, unless the flush of the folder alone has failed.
    """
    _keep_permissions(temporary, target)
    _flush_file(temporary)
    with _flushing_folder(target.parent):
        os.replace(temporary, target)


def _keep_permissions(temporary: Path, target: Path) -> None:
    try:
        before = os.stat(target)
    except FileNotFoundError:
        return
    os.chmod(temporary, stat.S_IMODE(before.st_mode))
    if hasattr(os, "chown") and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(PermissionError):  # users other than root own what they write
            os.chown(temporary, before.st_uid, before.st_gid)


def _flush_file(path: Path) -> None:
    handle = os.open(path, os.O_RDWR | _BINARY | _CLOSE_ON_EXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _flushing_folder(folder: Path) -> Iterator[None]:
    """Flush the names in a folder to the disk after they are changed, if the system can; it is opened before."""
    if _is_windows():  # folders cannot be opened there
        yield
        return
    handle = os.open(folder, os.O_RDONLY | _CLOSE_ON_EXEC)
    try:
        yield
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in _UNSUPPORTED_BY_FILE_SYSTEM:
                raise
    finally:
        os.close(handle)


def _is_windows() -> bool:
    return os.name == "nt"


def write_all(handle: int, content: bytes) -> None:
    """Write all bytes into a descriptor, also if it accepts only a few at once.

    Raises:
        OSError: It accepts no more.
    """
    rest = memoryview(content)
    while len(rest):  # a full disk accepts a part first, and refuses the next
        written = os.write(handle, rest)
        if written == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        rest = rest[written:]


class _Descriptor(io.RawIOBase):
    """A descriptor, closed with it, as a raw file that writes through :func:`write_all`."""

    def __init__(self, handle: int) -> None:
        self._handle, self._position = handle, 0
        try:
            self._is_seekable = stat.S_ISREG(os.fstat(handle).st_mode)
        except BaseException:
            self.close()  # not only the descriptor: the finalizer would close it again, whoever had it then
            raise

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._is_seekable

    def write(self, content: bytes) -> int:  # type: ignore[override]  # any buffer of bytes
        self._require_open()
        data = memoryview(content).cast("B")
        write_all(self._handle, bytes(data))
        self._position += len(data)
        return len(data)

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._require_open()
        if not self._is_seekable:
            raise io.UnsupportedOperation("this output cannot be sought in")
        self._position = os.lseek(self._handle, offset, whence)
        return self._position

    def _require_open(self) -> None:
        """Refuse use after closing: the system may have given the number of the descriptor to another file by then.

        Writers of libraries try again to complete their file when they are garbage-collected after an error.
        """
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def close(self) -> None:
        if not self.closed:
            super().close()
            os.close(self._handle)


@contextmanager
def _errors_naming_target(path: Path) -> Iterator[None]:
    """Replace the temporary file by the output in errors of the system."""
    try:
        yield
    except OSError as error:
        if error.filename == str(path):
            raise
        raise type(error)(error.errno, error.strerror or str(error), str(path)) from error


def _own_descriptor(path: Path) -> int | None:
    """Return the descriptor of this process that a path refers to, as ``/dev/stdout`` to 1, or None.

    Linux follows such a path to the file behind the descriptor: a shell's ``> file`` would be replaced, and all that is printed
    later would go into the file that was there before.
    """
    name = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        found = _DESCRIPTOR.fullmatch(name)
        if found is not None:
            return int(found[1])
        try:
            name = os.path.normpath(os.path.join(os.path.dirname(name), os.readlink(name)))
        except (OSError, ValueError):  # no link, or a name that no file can have
            return None
    return None


_BINARY = getattr(os, "O_BINARY", 0)
_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
