"""How long MJCF files take to load, compile, write and step, beside MuJoCo on the same files.

MuJoCo keeps the meshes that it has compiled in a cache, which only its own reader of files uses. So files are loaded first
with an empty cache, as by a program that starts, and then again.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import mujoco
from rich.table import Table

import ossature
from benchmarks.loading import silence
from benchmarks.timing import PROJECT, corpus, interleaved
from ossature.assets import MeshStore
from ossature.diagnostics import Report
from ossature.formats import WriteContext
from ossature.formats.mjcf.write import write
from ossature.model import World
from ossature.simulation import Simulation
from ossature.simulation.compiled_model import CompiledModel

TITLE = "MJCF, beside MuJoCo on the same files: ours / theirs"
ROUNDS = 3
STEPS = 200


def run() -> Iterator[Table]:
    """Time every robot of the corpus."""
    columns = ("load with an empty cache", "load again", "compile", "write", "step")
    table = Table("file", *columns, "ours: load", "MuJoCo: load", box=None)
    ratios: dict[str, list[float]] = {column: [] for column in columns}
    for path in files():
        with silence(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            world = ossature.load(path, allow=[folder()])
            times = [
                interleaved(*_readers(path, _empty_cache), ROUNDS),
                interleaved(*_readers(path, None), ROUNDS),
                interleaved(partial(CompiledModel.from_world, world), partial(mujoco.MjSpec.compile, _spec(path)), ROUNDS),
                interleaved(partial(_write, world), partial(mujoco.MjSpec.to_xml, _compiled_spec(path)), ROUNDS),
                interleaved(*_steppers(world, path), ROUNDS),
            ]
        found = [ours / theirs for ours, theirs in times]
        for column, ratio in zip(columns, found, strict=True):
            ratios[column].append(ratio)
        name = f"{path.parent.name}/{path.name}"
        table.add_row(name, *(f"{ratio:.2f}" for ratio in found), *(f"{1e3 * one:.1f} ms" for one in times[0]))
    means = [f"{math.exp(sum(map(math.log, found)) / len(found)):.2f}" for found in ratios.values() if found]
    table.add_row("geometric mean", *means)
    yield table


def folder() -> Path:
    """Return the folder of MJCF files: that of real robots, or that of the tests."""
    robots = corpus().parent / "mjcf"
    return robots if robots.is_dir() else PROJECT / "tests" / "mjcf" / "files"


def files() -> list[Path]:
    """Return the first complete model of each folder."""
    found = [path for path in sorted(folder().rglob("*.xml")) if _is_model(path)]
    return list({path.parent: path for path in reversed(found)}.values())[::-1]


def _is_model(path: Path) -> bool:
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        return False
    return True


def _empty_cache() -> None:
    mujoco.mj_clearCache(mujoco.mj_getCache())


def _readers(path: Path, prepare: Callable[[], None] | None) -> tuple[Callable[[], object], Callable[[], object]]:
    def ours() -> object:
        return ossature.load(path, allow=[folder()])

    def theirs() -> object:
        if prepare is not None:
            prepare()
        return mujoco.MjModel.from_xml_path(str(path))

    return ours, theirs


def _spec(path: Path) -> mujoco.MjSpec:
    return mujoco.MjSpec.from_file(str(path))


def _compiled_spec(path: Path) -> mujoco.MjSpec:
    spec = _spec(path)
    spec.compile()
    return spec


def _write(world: World) -> object:
    return write(world, WriteContext(path=Path("model.xml"), report=Report(), meshes=MeshStore.of(world)))


def _steppers(world: World, path: Path) -> tuple[Callable[[], object], Callable[[], object]]:
    simulation, model = Simulation(world), mujoco.MjModel.from_xml_path(str(path))
    simulation.stop_energy_balance()
    data = mujoco.MjData(model)
    return partial(simulation.step, STEPS), partial(mujoco.mj_step, model, data, nstep=STEPS)
