"""Steps per second: against DART with its bodies kept awake, and our loop against a bare one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
from rich.table import Table

import ossature
from benchmarks.loading import silence
from benchmarks.timing import corpus, interleaved
from ossature.simulation import Simulation

TITLE = "stepping"
FILES = ("cubes", "test/box_stacking", "fullbody1", "vehicle", "test/serial_chain_ball_joint_40")
STEPS, ROUNDS = 500, 7


def run() -> Iterator[Table]:
    """Time the files at their own step, and what our loop adds."""
    files = [path for name in FILES if (path := corpus() / f"{name}.skel").is_file()]
    files = files or sorted(corpus().glob("*.skel"))
    yield against_dart(files)
    yield overhead(files)


def against_dart(files: list[Path]) -> Table:
    """Return steps per second of both."""
    table = Table("file", "ours [µs/step]", "DART [µs/step]", "times faster", box=None)
    for path in files:
        mine, dart = both(path)
        table.add_row(path.stem, f"{mine / STEPS * 1e6:.1f}", f"{dart / STEPS * 1e6:.1f}", f"{dart / mine:.1f}")
    return table


def both(path: Path) -> tuple[float, float]:
    """Return how long our steps and DART's take on one file, the start left out: bodies fall, and contacts appear."""
    ours = Simulation(ossature.load(path), enforce_limits=False)
    with silence():
        theirs = dart_world(path)

        def dart_steps() -> None:
            for _ in range(STEPS):
                theirs.step()

        ours.step(STEPS)
        dart_steps()
        return interleaved(lambda: ours.step(STEPS), dart_steps, ROUNDS)


def dart_world(path: Path) -> Any:
    """Return DART's world with sleeping switched off, as ours is."""
    import dartpy

    world = dartpy.utils.SkelParser.readWorld(str(path.resolve()))
    options = world.getDeactivationOptions() if hasattr(world, "getDeactivationOptions") else None
    if options is not None:
        options.mEnabled = False
        world.setDeactivationOptions(options)
    return world


def overhead(files: list[Path]) -> Table:
    """Return what our loop costs over a loop of the engine's own steps."""
    table = Table("file", "ours [µs/step]", "mj_step loop [µs/step]", "overhead", "target", box=None)
    for path in files:
        ours, bare = Simulation(ossature.load(path)), Simulation(ossature.load(path))
        model, data = bare.compiled.model, bare.data

        def loop(model: mujoco.MjModel = model, data: mujoco.MjData = data) -> None:
            for _ in range(STEPS):
                mujoco.mj_step(model, data)

        mine, plain = interleaved(lambda ours=ours: ours.step(STEPS), loop, 2 * ROUNDS)
        percent = (mine / plain - 1.0) * 100.0
        table.add_row(path.stem, f"{mine / STEPS * 1e6:.2f}", f"{plain / STEPS * 1e6:.2f}", f"{percent:+.1f}%", "+5%")
        assert math.isclose(ours.time, bare.time, rel_tol=1e-9)
    return table
