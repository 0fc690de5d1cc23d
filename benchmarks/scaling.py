"""How the CPU time of reading grows with the number of elements of each kind in a file."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

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
            *_, few, many = times
            growth = "" if few is None or many is None else f"{many / few:.1f}"
            table.add_row(style, *("refused" if seconds is None else f"{seconds:.3f}" for seconds in times), growth)
        yield table


def measured(name: str) -> Iterator[tuple[str, list[float | None]]]:
    """Yield how names and lines are used, and the CPU times of reading files of each number of elements [s].

    A time is None if the file is refused because MuJoCo itself would take too long. Kinds of MJCF have a row for MuJoCo alone.
    """
    from scaling_files import KINDS, Style, read_generated

    kind = KINDS[name]
    read_generated(kind, kind.text(10, Style.PLAIN).encode(), _LIMIT)  # imports what is needed
    for style in Style:
        contents = [kind.text(count, style).encode() for count in COUNTS]
        times = [_cpu_seconds(partial(read_generated, kind, data, _LIMIT)) for data in contents]
        yield style, times
        if style is Style.PLAIN and kind.suffix == ".xml":
            read = [None if seconds is None else data for data, seconds in zip(contents, times, strict=True)]
            yield "plain, MuJoCo alone", [None if data is None else _cpu_seconds(partial(_compile, data)) for data in read]


def _cpu_seconds(use: Callable[[], bool]) -> float | None:
    gc.collect()
    started = time.process_time()
    is_read = use()
    seconds = time.process_time() - started
    return seconds if is_read else None


def _compile(data: bytes) -> bool:
    import mujoco

    with suppress(ValueError):
        mujoco.MjSpec.from_string(data.decode()).compile()
    return True
