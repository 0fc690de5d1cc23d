"""How long files take to load, against DART's C++ reader."""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

import ossature
from benchmarks.timing import corpus, interleaved

TITLE = "loading, against DART on the same files"
ROUNDS = 7


def run() -> Iterator[Table]:
    """Time every file that DART loads."""
    import dartpy

    ratios: dict[str, float] = {}
    for path in sorted(corpus().rglob("*.skel")):
        if not dart_loads(path):
            continue
        with silence():
            ours, theirs = interleaved(
                lambda path=path: ossature.read(path),
                lambda path=path: dartpy.utils.SkelParser.readWorld(str(path.resolve())),
                ROUNDS,
            )
        ratios[path.stem] = ours / theirs
    table = Table("files", "geometric mean of ours / DART's", "best", "worst", "target", box=None)
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    best, worst = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    table.add_row(str(len(ratios)), f"{mean:.2f}", f"{ratios[best]:.3f} {best}", f"{ratios[worst]:.2f} {worst}", "1")
    yield table


def dart_loads(path: Path) -> bool:
    """Whether DART loads a file; it ends its process on some."""
    code = "import sys, dartpy; sys.exit(dartpy.utils.SkelParser.readWorld(sys.argv[1]) is None)"
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run([sys.executable, "-c", code, str(path.resolve())], capture_output=True, timeout=20)
        return done.returncode == 0
    return False


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep DART's messages off the terminal."""
    saved = os.dup(1), os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(saved[0], 1)
            os.dup2(saved[1], 2)
            os.close(saved[0])
            os.close(saved[1])
