"""How long ``ossature --version`` takes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from rich.table import Table

from benchmarks.timing import interleaved

TITLE = "start-up"


def run() -> Iterator[Table]:
    """Time the command against an interpreter that does nothing."""

    def command(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)

    version, bare = interleaved(lambda: command("-m", "ossature", "--version"), lambda: command("-c", ""), 15)
    table = Table("ossature --version [ms]", "python -c '' [ms]", "target [ms]", box=None)
    table.add_row(f"{version * 1e3:.0f}", f"{bare * 1e3:.0f}", "150")
    yield table
