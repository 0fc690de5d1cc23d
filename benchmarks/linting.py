"""How long ``ossature check`` takes for 300 robots: first, and again with the results of the first call."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

from benchmarks.timing import PROJECT, corpus

TITLE = "checking 300 URDF files"
FILES = 300


def write_robots(folder: Path, count: int) -> None:
    """Write robots of the corpus, or the example, with other names of the robots, into folders of their own."""
    robots = sorted((corpus().parent / "urdf").rglob("*.urdf"))
    sources = robots or [PROJECT / "tests" / "urdf" / "files" / "arm.urdf"]
    for number in range(count):
        source = sources[number % len(sources)]
        target = folder / f"robot{number}" / "urdf" / source.name
        target.parent.mkdir(parents=True)
        target.write_bytes(source.read_bytes().replace(b"<robot", f"<!-- {number} --><robot".encode(), 1))
        meshes = source.parent.parent / "meshes"
        if meshes.is_dir():
            (target.parent.parent / "meshes").symlink_to(meshes)


def run() -> Iterator[Table]:
    """Time both calls in new processes, on two processors as far as they are idle."""
    table = Table("files", "first call [s]", "target [s]", "from the cache [s]", "target [s]", box=None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_robots(folder / "robots", FILES)
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            options = ("--jobs", "2", "--exit-zero", "--cache-dir", str(folder / "cache"), "--format", "json")
            command = [sys.executable, "-m", "ossature", "check", *options, str(folder / "robots")]
            subprocess.run(command, check=True, capture_output=True)
            seconds.append(time.perf_counter() - start)
    table.add_row(str(FILES), f"{seconds[0]:.1f}", "10", f"{seconds[1]:.1f}", "2")
    yield table
