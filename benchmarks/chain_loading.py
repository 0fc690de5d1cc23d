"""How loading grows with the number of bodies: chains of 100, 1,000 and 10,000."""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table

import ossature
from benchmarks.timing import seconds
from ossature.kinematics import poses
from ossature.simulation import Simulation, SimulationError

TITLE = "chains"

_BODY = """<body name="b{0}"><transformation>0 0 {0} 0 0 0</transformation><inertia><mass>1</mass><moment_of_inertia>
<ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia></body>
<joint type="revolute" name="j{0}"><parent>{1}</parent><child>b{0}</child><axis><xyz>0 1 0</xyz></axis></joint>"""


def chain(count: int) -> str:
    """Return a SKEL file with one chain of bodies."""
    bodies = "".join(_BODY.format(number, f"b{number - 1}" if number else "world") for number in range(count))
    physics = "<physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>"
    return f'<skel version="1.0"><world name="w">{physics}<skeleton name="s">{bodies}</skeleton></world></skel>'


def run() -> Iterator[Table]:
    """Time reading, checking, placing and compiling."""
    table = Table("bodies", "load [ms]", "per body [µs]", "memory [MiB]", "check [ms]", "poses [ms]", "compile [ms]", box=None)
    with tempfile.TemporaryDirectory() as folder:
        for count in (100, 1_000, 10_000):
            path = Path(folder) / f"{count}.skel"
            path.write_text(chain(count))
            load = min(seconds(lambda path=path: ossature.load(path)) for _ in range(3))
            tracemalloc.start()
            world = ossature.load(path)
            memory = tracemalloc.get_traced_memory()[1] / 2**20
            tracemalloc.stop()
            table.add_row(
                f"{count:,}",
                f"{load * 1e3:.1f}",
                f"{load / count * 1e6:.1f}",
                f"{memory:.1f}",
                f"{seconds(lambda world=world: ossature.check(world)) * 1e3:.1f}",
                f"{seconds(lambda world=world: poses(world)) * 1e3:.1f}",
                compiled(world),
            )
    yield table


def compiled(world: ossature.World) -> str:
    """Return how long a World takes to compile, or the name of the finding that refuses it."""
    try:
        return f"{seconds(lambda: Simulation(world)) * 1e3:.0f}"
    except SimulationError as error:
        return error.report.errors[0].rule.name
