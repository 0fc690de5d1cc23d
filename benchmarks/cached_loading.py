"""How long a second load takes with the cache of Worlds, beside the readers of DART, Drake and OpenRAVE in C++.

A process shares the last Worlds that it read; another process reads the files of the cache.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

from rich.table import Table

import ossature
from benchmarks.collada_loading import OPENRAVE_MS
from benchmarks.loading import dart_loads, silence
from benchmarks.timing import corpus, interleaved, seconds
from benchmarks.urdf_loading import drake, files, reads
from ossature import world_cache

TITLE = "a second load, from the cache"
ROUNDS = 7


def run() -> Iterator[Table]:
    """Time each file that the other program reads."""
    columns = ("from memory / theirs", "from files / theirs", "from files / read")
    table = Table("geometric means, beside", "files", *columns, "worst", box=None)
    with tempfile.TemporaryDirectory() as folder:
        for name, ratios in (("DART", _beside_dart), ("Drake", _beside_drake), ("OpenRAVE", _beside_openrave)):
            found = {path.stem: values for path, values in ratios(Path(folder))}
            if found:
                means = [f"{statistics.geometric_mean(column):.2f}" for column in zip(*found.values(), strict=True)]
                worst = max(found, key=lambda stem: found[stem][1])
                table.add_row(name, str(len(found)), *means, f"{found[worst][1]:.2f} {worst}")
    yield table


_Ratios: TypeAlias = "Iterator[tuple[Path, tuple[float, float, float]]]"


def _beside_dart(folder: Path) -> _Ratios:
    import dartpy

    for path in sorted(corpus().rglob("*.skel")):
        if dart_loads(path):
            yield path, _compare(path, partial(dartpy.utils.SkelParser.readWorld, str(path.resolve())), folder)


def _beside_drake(folder: Path) -> _Ratios:
    for path in files():
        with silence():
            is_read = reads(drake, path)
        if is_read:
            yield path, _compare(path, partial(drake, path), folder)


def _beside_openrave(folder: Path) -> _Ratios:
    for name, milliseconds in OPENRAVE_MS.items():
        path = corpus().parent / "openrave" / f"{name}.zae"
        if path.is_file():
            ossature.read(path, cache=folder)
            loads = (_from_memory, _from_files, _without_cache)
            memory, entry, uncached = (min(seconds(partial(load, path, folder)) for _ in range(ROUNDS)) for load in loads)
            yield path, (1e3 * memory / milliseconds, 1e3 * entry / milliseconds, entry / uncached)


def _compare(path: Path, read: Callable[[], object], folder: Path) -> tuple[float, float, float]:
    """Return the times of loads from memory and from files over that of another reader, and the latter over that of ours."""
    ossature.read(path, cache=folder)
    with silence():
        memory, theirs = interleaved(partial(_from_memory, path, folder), read, ROUNDS)
        entry, theirs_again = interleaved(partial(_from_files, path, folder), read, ROUNDS)
        entry_again, uncached = interleaved(partial(_from_files, path, folder), partial(_without_cache, path, folder), ROUNDS)
    return memory / theirs, entry / theirs_again, entry_again / uncached


def _from_memory(path: Path, folder: Path) -> object:
    return ossature.read(path, cache=folder)


def _from_files(path: Path, folder: Path) -> object:
    world_cache._RECENT.clear()  # as in another process
    return ossature.read(path, cache=folder)


def _without_cache(path: Path, _folder: Path) -> object:
    return ossature.read(path)
