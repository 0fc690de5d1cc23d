"""The folder of the cache: which entries are kept, and how often they are searched."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ossature.assets import user_cache
from ossature.assets.atomic_write import create_temporary_sibling
from ossature.assets.user_cache import UserCache

_SIZE = 1000
_MOST_BYTES = 100 * _SIZE


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list with the size of all entries at each search."""

    def search(folder: str, suffix: str) -> Iterator[tuple[float, int, Path]]:
        entries = list(found(folder, suffix))
        totals.append(sum(size for _, size, _ in entries))
        return iter(entries)

    found, totals = user_cache._entries, list[int]()
    monkeypatch.setattr(user_cache, "_MOST_BYTES", _MOST_BYTES)
    monkeypatch.setattr(user_cache, "_entries", search)
    return totals


def write(folder: Path, number: int, size: int = _SIZE) -> str:
    """Write an entry as a process of its own, and return its key."""
    cache, key = UserCache(folder, ".world", 1 << 20), hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()
    cache.write(key, b"x" * size)
    cache.remove_oldest()
    return key


def test_entries_are_searched_in_proportion_to_what_is_written(tmp_path: Path, searches: list[int]) -> None:
    count = 2000
    keys = [write(tmp_path, number) for number in range(count)]
    expected = 16 * count * _SIZE / _MOST_BYTES
    assert abs(len(searches) - expected) < 4 * expected**0.5  # as of independent events
    assert max(searches) < 2 * _MOST_BYTES
    assert UserCache(tmp_path, ".world", 1 << 20).read(keys[-1]) == b"x" * _SIZE


def test_a_large_entry_has_entries_searched_at_once(tmp_path: Path, searches: list[int]) -> None:
    for number in range(9):
        write(tmp_path, number, _MOST_BYTES // 4)
    assert len(searches) == 9
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= _MOST_BYTES


@pytest.mark.usefixtures("searches")
def test_temporary_files_of_processes_that_were_killed_are_removed(tmp_path: Path) -> None:
    entry = tmp_path / f"{write(tmp_path, 1)}.world"
    old, new = create_temporary_sibling(entry), create_temporary_sibling(entry)
    make_older(old)
    write(tmp_path, 0, _MOST_BYTES // 4)
    assert new.exists() and not old.exists()


@pytest.mark.usefixtures("searches")
def test_other_files_in_the_folder_are_kept(tmp_path: Path) -> None:
    others = [
        ".gitignore",
        ".bashrc",
        "warehouse.world",
        ".hidden.world",
        "robot.urdf",
        f"{'a' * 40}.findings",
        f".{'a' * 40}.txt",
    ]
    for name in others:
        (tmp_path / name).write_bytes(b"x" * _MOST_BYTES)
        make_older(tmp_path / name)
    for number in range(9):
        write(tmp_path, number, _MOST_BYTES // 4)
    assert all((tmp_path / name).exists() for name in others)
    assert len(list(tmp_path.iterdir())) < len(others) + 9


def make_older(path: Path) -> None:
    os.utime(path, (time.time() - 7200, time.time() - 7200))
