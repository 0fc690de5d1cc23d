"""How long COLLADA robots take to load, against the times that OpenRAVE's C++ reader was once measured to take."""

from __future__ import annotations

import gc
import math
import os
import statistics
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

import ossature
from benchmarks.timing import PROJECT, seconds
from ossature.model import TriangleMesh, World

TITLE = "loading COLLADA robots"
ROUNDS = 7
OPENRAVE_MS = {
    "pumaarm": 13.8,
    "pumagripper": 8.8,
    "schunk-lwa3": 66.4,
    "rotation_stage": 79.9,
    "kuka-youbot": 86.2,
    "mitsubishi-pa10": 118.4,
    "kawada-hironx": 128.1,
    "man1": 148.5,
    "barrett-wam-sensors": 163.4,
    "neuronics-katana": 199.9,
}
"""Wall time of OpenRAVE 0.149 with meshes [ms]: medians of five loads on an idle machine like the one this was written on."""
TARGET = 0.25
LARGEST_MEMORY = 5.0


def run() -> Iterator[Table]:
    """Time every robot that OpenRAVE was timed on."""
    folder = Path(os.environ.get("OSSATURE_CORPUS", PROJECT.parent / "shared")) / "corpus" / "openrave"
    table = Table("robot", "XML", "without meshes", "with meshes", "of OpenRAVE's", "peak memory / XML", box=None)
    ratios = []
    for name, theirs in OPENRAVE_MS.items():
        path = folder / f"{name}.zae"
        if not path.is_file():
            continue
        plain = statistics.median(seconds(lambda path=path: load(path)) for _ in range(ROUNDS))
        full = statistics.median(seconds(lambda path=path: load_with_meshes(path)) for _ in range(ROUNDS))
        ratios.append(1e3 * full / theirs)
        size = xml_size(path)
        table.add_row(
            name,
            f"{size / 1e6:.2f} MB",
            f"{1e3 * plain:.1f} ms",
            f"{1e3 * full:.1f} ms",
            f"{ratios[-1]:.2f}",
            f"{peak_memory(path) / size:.1f}",
        )
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        table.add_row("geometric mean", "", "", "", f"{mean:.2f} (target {TARGET})", f"(target {LARGEST_MEMORY:g})")
    yield table


def load(path: Path) -> World:
    """Load a robot without looking at its triangles."""
    world, _ = ossature.read(path)
    assert world is not None
    return world


def load_with_meshes(path: Path) -> World:
    """Load a robot with all its triangles."""
    world = load(path)
    for model in world.models:
        for body in model.bodies:
            for visual in body.visuals:
                if isinstance(visual.geometry, TriangleMesh):
                    assert len(visual.geometry.surface.triangles.faces)
    return world


def xml_size(path: Path) -> int:
    """Return how many bytes of XML an archive holds."""
    with zipfile.ZipFile(path) as archive:
        return max(entry.file_size for entry in archive.infolist())


def peak_memory(path: Path) -> int:
    """Return how many bytes loading takes at its height."""
    gc.collect()
    tracemalloc.start()
    load_with_meshes(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak
