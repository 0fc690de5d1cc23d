"""How the CPU time of reading grows with the number of elements of each kind in a file."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator

from rich.table import Table

from benchmarks.timing import PROJECT

TITLE = "Reading files of many elements (CPU time in seconds)"
COUNTS = (1_000, 10_000, 100_000)
_LIMIT = 10**8


def run() -> Iterator[Table]:
    """Yield a table for each kind of element: a row for ordinary names and lines, and one for each misuse of these."""
    sys.path.insert(0, str(PROJECT / "tests"))
    from scaling_files import KINDS

    for kind in KINDS:
        table = Table(
            "file",
            *(f"{count:,}" for count in COUNTS),
            f"{COUNTS[-1]:,} / {COUNTS[-2]:,}",
            title=f"{kind}: ten times the elements, ten times the time",
        )
        for style, times in measured(kind):
            table.add_row(style, *(f"{seconds:.3f}" for seconds in times), f"{times[-1] / times[-2]:.1f}")
        yield table


def measured(name: str) -> Iterator[tuple[str, list[float]]]:
    """Yield how names and lines are used, and the CPU times of reading files of each number of elements [s]."""
    from scaling_files import KINDS, Style, read_generated

    kind = KINDS[name]
    read_generated(kind, kind.text(10, Style.PLAIN).encode(), _LIMIT)  # imports what is needed
    for style in Style:
        times = []
        for count in COUNTS:
            data = kind.text(count, style).encode()
            gc.collect()
            started = time.process_time()
            read_generated(kind, data, _LIMIT)
            times.append(time.process_time() - started)
        yield style, times
