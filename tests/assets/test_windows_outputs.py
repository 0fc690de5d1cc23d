"""The branches for Windows of locks and outputs, with a twin of its module ``msvcrt``: they run, and do what the others do."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from ossature.assets import atomic_write
from ossature.assets.atomic_write import write_file_atomically
from ossature.assets.file_lock import SUFFIX, FileInUseError, FileLock


class Msvcrt(SimpleNamespace):
    """Locks as those of Windows: of bytes of a file, by whoever opened it first."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.locked: dict[tuple[int, int], int] = {}

    def locking(self, handle: int, mode: int, count: int) -> None:
        assert (mode, count) == (self.LK_NBLCK, 1)
        facts = os.fstat(handle)
        owner = self.locked.setdefault((facts.st_dev, facts.st_ino), handle)
        if owner != handle:
            raise PermissionError(errno.EACCES, "Permission denied")


@pytest.fixture
def msvcrt(monkeypatch: pytest.MonkeyPatch) -> Msvcrt:
    module = Msvcrt()
    monkeypatch.setitem(sys.modules, "msvcrt", module)  # type: ignore[arg-type]  # a module's attributes are enough
    monkeypatch.setattr(sys, "platform", "win32")
    return module


def test_a_lock_excludes_others_until_it_is_released(msvcrt: Msvcrt, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    lock = FileLock(path)
    with pytest.raises(FileInUseError, match="another process"):
        FileLock(path)
    assert [each.name for each in tmp_path.iterdir()] == [f"run.csv{SUFFIX}"]
    lock.release()
    msvcrt.locked.clear()  # closing a file ends its locks
    assert not list(tmp_path.iterdir())
    FileLock(path).release()


def test_a_lock_file_that_cannot_be_removed_is_left(msvcrt: Msvcrt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = FileLock(tmp_path / "run.csv")

    def refused(path: str) -> None:
        raise PermissionError(errno.EACCES, "the file is open", path)

    monkeypatch.setattr(os, "unlink", refused)
    lock.release()
    lock.release()


def test_a_file_system_without_locks_is_an_error(msvcrt: Msvcrt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(msvcrt, "locking", refused)
    with pytest.raises(OSError, match="No locks"):
        FileLock(tmp_path / "run.csv")
    assert not list(tmp_path.iterdir())


def test_outputs_are_written_without_flushing_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.csv"
    path.write_text("before")
    opened: list[str] = []
    real = os.open

    def opening(name: str, *arguments: int, **options: int) -> int:
        opened.append(str(name))
        return real(name, *arguments, **options)

    monkeypatch.delattr(os, "chown", raising=False)
    monkeypatch.setattr(atomic_write.os, "open", opening)
    folder = tmp_path.parent / tmp_path.name
    monkeypatch.setattr(atomic_write, "_is_windows", lambda: True)
    write_file_atomically(path, "after")
    assert path.read_text() == "after"
    assert str(folder) not in opened
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]
