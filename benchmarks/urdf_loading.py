"""How long URDF files take to load, beside three readers in C++ on the same files: Pinocchio's, Drake's and MuJoCo's.

Drake reads links and joints here, and no geometry: where meshes are missing it refuses files that are to have geometry.
MuJoCo compiles what it reads, too.
"""

from __future__ import annotations

import logging
import math
import multiprocessing
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rich.table import Table

import ossature
from benchmarks.loading import silence
from benchmarks.timing import PROJECT, corpus, interleaved

TITLE = "loading URDF, beside Pinocchio, Drake and MuJoCo on the same files"
ROUNDS = 7


def run() -> Iterator[Table]:
    """Time every file with every reader that reads it."""
    table = Table("beside", "files", "geometric mean of ours / theirs", "best", "worst", "ours, median", box=None)
    for name, reader in (("Pinocchio", _pinocchio), ("Drake", drake), ("MuJoCo", _mujoco)):
        ratios: dict[str, float] = {}
        times: list[float] = []
        for path in files():
            with silence():
                if not reads(reader, path):
                    continue
                ours, theirs = interleaved(partial(ossature.read, path), partial(reader, path), ROUNDS)
            ratios[path.stem] = ours / theirs
            times.append(ours)
        if not ratios:
            continue
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        best, worst = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
        median = f"{1e3 * sorted(times)[len(times) // 2]:.1f} ms"
        extremes = (f"{ratios[best]:.2f} {best}", f"{ratios[worst]:.2f} {worst}")
        table.add_row(name, str(len(ratios)), f"{mean:.2f}", *extremes, median)
    yield table


def files() -> list[Path]:
    """Return the real URDF files, or those of the examples."""
    folder = corpus().parent / "urdf"
    return sorted((folder if folder.is_dir() else PROJECT / "examples").rglob("*.urdf"))


def reads(reader: Callable[[Path], object], path: Path) -> bool:
    """Whether a reader reads a file; tried in a process of its own, because some files end the process."""
    trial = multiprocessing.get_context("fork").Process(target=reader, args=(path,))
    trial.start()
    trial.join()
    return trial.exitcode == 0


def _pinocchio(path: Path) -> object:
    import pinocchio

    return pinocchio.buildModelFromUrdf(str(path))


def drake(path: Path) -> object:
    """Read a file with Drake."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    logging.getLogger("drake").setLevel(logging.CRITICAL)
    plant = MultibodyPlant(0.0)
    return Parser(plant).AddModels(str(path))


def _mujoco(path: Path) -> object:
    import mujoco

    return mujoco.MjModel.from_xml_path(str(path))
