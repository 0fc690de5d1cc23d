"""What recording costs, and how long it takes to read recordings back."""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

from benchmarks.timing import seconds
from ossature.diagnostics import Report
from ossature.model import Body, Coordinate, DartStepping, Inertial, Joint, Model, NamedList, Revolute, World
from ossature.recordings import SUFFIXES, open_recording
from ossature.simulation import Simulation
from ossature.spatial import Pose

TITLE = "recording and reading states"
JOINTS = 40
STEPS = 5000
READ_BACK = 100_000
TARGET = 0.1
"""Largest share of a run at 1 kHz that recording may cost."""


def run() -> Iterator[Table]:
    """Record every step of a robot of many joints, and read long recordings of a small one."""
    with tempfile.TemporaryDirectory() as folder:
        yield _recording(Path(folder))
        yield _reading(Path(folder))


def chain(joints: int) -> World:
    """Return an arm that swings under gravity."""
    moment = ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01))
    inertial = Inertial(mass=1.0, center_of_mass=(0.05, 0.0, 0.0), moment=moment)
    bodies = [Body(name=f"body {n}", pose=Pose((0.1 * n, 0.0, 0.0)), inertial=inertial) for n in range(joints)]
    turn = (Revolute(axis=(0.0, 1.0, 0.0)), Revolute(axis=(0.0, 0.0, 1.0)))
    hinges = [
        Joint(
            name=f"joint {n}",
            type=turn[n % 2],
            parent=f"body {n - 1}" if n else None,
            child=f"body {n}",
            coordinates=(Coordinate(damping=0.1),),
        )
        for n in range(joints)
    ]
    return World(
        hints=(DartStepping(),), models=NamedList([Model(name="arm", bodies=NamedList(bodies), joints=NamedList(hinges))])
    )


def _recording(folder: Path) -> Table:
    simulation = Simulation(chain(JOINTS))
    simulation.step(100)
    alone = min(seconds(lambda: simulation.step(STEPS)) for _ in range(3)) / STEPS
    duration = STEPS * simulation.time_step
    table = Table(
        f"every step of {JOINTS} joints", "step [µs]", "a sample more [µs]", "of 1 ms", "target", "bytes a sample", box=None
    )
    for suffix in SUFFIXES:
        file = folder / f"cost{suffix}"
        once = min(seconds(lambda file=file: _record(simulation, duration, file)) for _ in range(2)) / STEPS
        size = file.stat().st_size / (STEPS + 1)
        more = once - alone
        table.add_row(suffix, f"{alone * 1e6:.0f}", f"{more * 1e6:.0f}", f"{more * 1e3:.0%}", f"{TARGET:.0%}", f"{size:,.0f}")
    return table


def _record(simulation: Simulation, duration: float, file: Path) -> None:
    simulation.run(duration, sample=simulation.time_step, record=file, keep=False)


def _reading(folder: Path) -> Table:
    table = Table("reading back", "states", "to an array [s]", "to states [s]", "memory of the array [MB]", box=None)
    simulation = Simulation(chain(2))
    for suffix in (".parquet", ".npz", ".usdf"):
        file = folder / f"long{suffix}"
        _record(simulation, (READ_BACK - 1) * simulation.time_step, file)
        as_array = seconds(lambda file=file: open_recording(file, Report()).table())
        as_states = seconds(lambda file=file: [None for _ in open_recording(file, Report()).states()])
        tracemalloc.start()
        count = len(open_recording(file, Report()).table())
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        table.add_row(suffix, f"{count:,}", f"{as_array:.2f}", f"{as_states:.1f}", f"{most / 1e6:.0f}")
    return table
