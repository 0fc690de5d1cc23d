"""How long URDF files take to load, beside Pinocchio, which reads them with ROS's own parser in C++."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

import ossature
from benchmarks.common import PROJECT, corpus, interleaved
from benchmarks.loading import silence

TITLE = "loading URDF, beside Pinocchio on the same files"
ROUNDS = 7


def run() -> Iterator[Table]:
    """Time every file that Pinocchio loads."""
    import pinocchio

    ratios: dict[str, float] = {}
    times: list[float] = []
    for path in files():
        with silence():
            if not _loads(path):
                continue
            ours, theirs = interleaved(
                lambda path=path: ossature.read(path),
                lambda path=path: pinocchio.buildModelFromUrdf(str(path)),
                ROUNDS,
            )
        ratios[path.stem] = ours / theirs
        times.append(ours)
    table = Table("files", "geometric mean of ours / Pinocchio's", "best", "worst", "ours, median", box=None)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    best, worst = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    median = f"{1e3 * sorted(times)[len(times) // 2]:.1f} ms"
    table.add_row(str(len(ratios)), f"{mean:.2f}", f"{ratios[best]:.2f} {best}", f"{ratios[worst]:.2f} {worst}", median)
    yield table


def files() -> list[Path]:
    """Return the real URDF files, or those of the examples."""
    folder = corpus().parent / "urdf"
    return sorted((folder if folder.is_dir() else PROJECT / "examples").rglob("*.urdf"))


def _loads(path: Path) -> bool:
    import pinocchio

    try:
        pinocchio.buildModelFromUrdf(str(path))
    except ValueError:
        return False
    return True
