"""How the CPU time of reading grows with the number of elements of each kind in a file."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator

from rich.table import Table

from benchmarks.common import PROJECT

TITLE = "Reading files of many elements (CPU time in seconds)"
COUNTS = (1_000, 10_000)
LARGEST = 100_000
LARGE_KINDS = ("SKEL bodies", "URDF links", "COLLADA joints", "calibration")
"""Kinds of which plain files of :data:`LARGEST` elements are read as well: the others would take a quarter of an hour."""
_LIMIT = 10**8


def run() -> Iterator[Table]:
    """Yield a table: a row for each kind of element and each misuse of names and lines."""
    sys.path.insert(0, str(PROJECT / "tests"))
    from generated_files import KINDS, Style, read_generated

    table = Table(
        "elements",
        "file",
        *(f"{count:,}" for count in (*COUNTS, LARGEST)),
        "last / one before",
        title="ten times the elements: ten times the time",
    )
    for name, kind in KINDS.items():
        for style in Style:
            is_large = name in LARGE_KINDS and style is Style.PLAIN
            times = []
            for count in (10, *COUNTS, *([LARGEST] if is_large else [])):  # the first one imports what is needed
                data = kind.text(count, style).encode()
                gc.collect()
                started = time.process_time()
                read_generated(kind, data, _LIMIT)
                times.append(time.process_time() - started)
            shown = [f"{seconds:.3f}" for seconds in times[1:]] + ([] if is_large else [""])
            table.add_row(name, style, *shown, f"{times[-1] / times[-2]:.1f}")
    yield table
