"""Runs per second of sweeps on each executor, beside a loop over bare MuJoCo; what a run costs outside of its steps."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import mujoco
from rich.table import Table

import ossature
from benchmarks.timing import PROJECT, corpus, seconds
from ossature.diagnostics import Report
from ossature.simulation import CompiledModel, Simulation
from ossature.sweeps import Design, Method, Output, Parameter, Point, Run, Sweep, Uniform, make_executor, run_sweep
from ossature.sweeps.binding import bind_sweep

TITLE = "sweeps"
RUNS, WORKERS = 60, 2
DURATION = 4.0
"""How long a loop over bare MuJoCo takes, in whose runs the executors are compared [s]."""


@dataclass(frozen=True)
class Case:
    """A model, the path of a mass, an output, and the duration of a run [s]."""

    name: str
    file: Path
    mass: str
    quantity: str
    duration: float
    target: str = ""


def cases() -> list[Case]:
    """Return the models that are there."""
    puma, boxes = corpus().parent / "openrave" / "pumaarm.zae", corpus() / "test" / "box_stacking.skel"
    found = [
        Case(
            "slider-crank, 2 s at 1 ms",
            PROJECT / "examples" / "slider_crank.yaml",
            "slider crank/rod.mass",
            "slider crank/slider.position[0]",
            2.0,
            "1.45",
        ),
        Case(
            "contact scene, 0.25 s at 1 ms", PROJECT / "examples" / "contact.skel", "box/box body.mass", "energy.kinetic", 0.25
        ),
    ]
    found += [puma_case(puma)] if puma.is_file() else []
    return [*found, boxes_case(boxes)] if boxes.is_file() else found


def puma_case(path: Path) -> Case:
    """Return the PUMA, with the mass of its last body."""
    model = ossature.load(path).models[0]
    mass = f"{model.name}/{model.bodies[-1].name}.mass"
    return Case("PUMA, 1 s at 1 ms", path, mass, "energy.kinetic", 1.0, "1.3")


def boxes_case(path: Path) -> Case:
    """Return a stack of boxes, with the mass of the last one."""
    model = ossature.load(path).models[-1]
    mass = f"{model.name}/{model.bodies[-1].name}.mass"
    return Case("stack of boxes, 1 s at 1 ms", path, mass, "energy.kinetic", 1.0, "1.1")


def run() -> Iterator[Table]:
    """Time each model on each executor."""
    yield per_run()
    yield speeds()


def per_run() -> Table:
    """Return the CPU time of each part of one run, and that of all parts as a multiple of a run of bare MuJoCo."""
    parts_of_run = ("change numbers [ms]", "start [ms]", "steps [ms]", "rest [ms]")
    table = Table("model", *parts_of_run, "outside of steps", "bare MuJoCo [ms]", "ratio", "target", box=None)
    for case in cases():
        task = bind_sweep(defined(case), {"": ossature.load(case.file)}, Report())
        assert task is not None
        compiled, count = task.models[""], round(case.duration / 0.001)
        points = (Point(number, {"mass": 1.0 + 1e-6 * number}) for number in range(1, 99))
        change = cpu(lambda task=task, points=points: task.compiled(next(points)))
        start = cpu(lambda compiled=compiled: Simulation(compiled))
        steps = cpu(lambda compiled=compiled, count=count: Simulation(compiled).step(count)) - start
        bare_run = bare_runs(case)
        pairs = [(cpu(bare_run, 1), cpu(lambda task=task, points=points: task.row(next(points)), 1)) for _ in range(30)]
        bare, whole = map(min, zip(*pairs, strict=True))
        parts = (change, start, steps, whole - change - start - steps)
        ratio = statistics.median(row / one for one, row in pairs)
        times = [f"{one * 1e3:.2f}" for one in parts]
        table.add_row(case.name, *times, f"{1.0 - steps / whole:.0%}", f"{bare * 1e3:.2f}", f"{ratio:.2f}", case.target)
    table.caption = "shortest CPU times; the ratio is the median of those of runs that are taken in turn"
    return table


def cpu(function: Callable[[], object], repeats: int = 8) -> float:
    """Return the shortest CPU time of several calls."""

    def once() -> float:
        started = time.process_time()
        function()
        return time.process_time() - started

    return min(once() for _ in range(repeats))


def defined(case: Case, count: int = RUNS) -> Sweep:
    """Return a sweep over the mass."""
    output = Output(name="value", quantity=case.quantity)
    mass = Parameter(name="mass", paths=(case.mass,), source=Uniform(0.8, 1.2), is_relative=True)
    settings = Run(duration=case.duration, time_step=0.001, outputs=[output])
    return Sweep(parameters=(mass,), run=settings, design=Design(method=Method.RANDOM, count=count), text=case.name)


def speeds() -> Table:
    """Return runs per second of a loop over bare MuJoCo and of the executors, taken one after another for each model."""
    names = ["serial", "threads", "processes", *(["ray"] if find_spec("ray") else [])]
    table = Table("model", "runs", "bare MuJoCo", *names, "serial / bare", "threads / serial", box=None)
    for case in cases():
        count = round(DURATION * RUNS / seconds(lambda c=case: bare_loop(c, RUNS)))
        bare = count / seconds(lambda c=case, n=count: bare_loop(c, n))
        found = [count / one_sweep(case, name, count) for name in names]
        serial, threads = found[:2]
        ratios = (f"{serial / bare:.2f}", f"{threads / serial:.2f}")
        table.add_row(case.name, str(count), *(f"{one:.1f}" for one in (bare, *found)), *ratios)
    table.caption = f"runs per second; {WORKERS} workers on {os.cpu_count()} processors, with their start"
    return table


def one_sweep(case: Case, name: str, count: int) -> float:
    """Return how long a sweep takes, with the start of its workers and its results on disk."""
    world, executor = ossature.load(case.file), make_executor(name, None if name == "serial" else WORKERS)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        run_sweep(defined(case, count), {"": world}, executor, Path(folder), Report())
        return time.perf_counter() - started


def bare_loop(case: Case, count: int) -> None:
    """Do by hand what a sweep does; see :func:`bare_runs`."""
    bare_run = bare_runs(case)
    for _ in range(count):
        bare_run()


def bare_runs(case: Case) -> Callable[[], None]:
    """Return a function that sets a mass in MuJoCo's model, computes its constants, steps, and keeps a position.

    The numbers differ from those of the sweep: a body of a loop and moments of inertia have a share of the mass.
    """
    compiled = CompiledModel.from_world(ossature.load(case.file), time_step=0.001).compiled
    model, data = compiled.model, mujoco.MjData(compiled.model)
    name, _, _ = case.mass.partition("/")[2].rpartition(".")
    body = compiled.index.body(case.mass.partition("/")[0], name).number
    mass, steps, kept = float(model.body_mass[body]), round(case.duration / 0.001), list[float]()

    def run_once() -> None:
        model.body_mass[body] = mass * (0.8 + 0.4 * (len(kept) % RUNS) / RUNS)
        mujoco.mj_setConst(model, data)
        mujoco.mj_resetData(model, data)
        mujoco.mj_step(model, data, nstep=steps)
        kept.append(float(data.qpos[0]))

    return run_once
