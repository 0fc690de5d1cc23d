"""The folder of the cache: which entries are kept, and how often they are searched."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ossature.assets import user_cache
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
    cache, key = UserCache(folder, ".world", 1 << 20), hashlib.sha256(str(number).encode()).hexdigest()
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
    old, new = tmp_path / ".old.world.1234", tmp_path / ".new.world.1234"
    for path in (old, new):
        path.write_bytes(b"")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    write(tmp_path, 0, _MOST_BYTES // 4)
    assert new.exists() and not old.exists()
