"""How long a second load takes with the cache of Worlds, beside the readers of DART, Drake and OpenRAVE in C++."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rich.table import Table

import ossature
from benchmarks.collada_loading import OPENRAVE_MS
from benchmarks.loading import dart_loads, silence
from benchmarks.timing import corpus, interleaved, seconds
from benchmarks.urdf_loading import drake, files, reads

TITLE = "a second load, from the cache"
ROUNDS = 7


def run() -> Iterator[Table]:
    """Time each file that the other program reads."""
    table = Table(
        "beside", "files", "geometric mean of cached / theirs", "of cached / read", "worst of cached / theirs", box=None
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, ratios in (("DART", _beside_dart), ("Drake", _beside_drake), ("OpenRAVE's recorded times", _beside_openrave)):
            found = {path.stem: both for path, both in ratios(Path(folder))}
            if found:
                theirs, own = zip(*found.values(), strict=True)
                worst = max(found, key=lambda stem: found[stem][0])
                means = (f"{_geometric_mean(theirs):.2f}", f"{_geometric_mean(own):.2f}")
                table.add_row(name, str(len(found)), *means, f"{found[worst][0]:.2f} {worst}")
    yield table


def _geometric_mean(values: tuple[float, ...]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


_Ratios = Iterator[tuple[Path, tuple[float, float]]]


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
    for name, theirs in OPENRAVE_MS.items():
        path = corpus().parent / "openrave" / f"{name}.zae"
        if path.is_file():
            ossature.read(path, cache=folder)
            cached = min(seconds(partial(ossature.read, path, cache=folder)) for _ in range(ROUNDS))
            uncached = min(seconds(partial(ossature.read, path)) for _ in range(ROUNDS))
            yield path, (1e3 * cached / theirs, cached / uncached)


def _compare(path: Path, read: Callable[[], object], folder: Path) -> tuple[float, float]:
    """Return the time of a load from the cache over that of another reader, and over that of our reader."""
    ossature.read(path, cache=folder)
    with silence():
        cached, theirs = interleaved(partial(ossature.read, path, cache=folder), read, ROUNDS)
        again, uncached = interleaved(partial(ossature.read, path, cache=folder), partial(ossature.read, path), ROUNDS)
    return cached / theirs, again / uncached
