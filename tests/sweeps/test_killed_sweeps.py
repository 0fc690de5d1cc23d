"""Sweeps whose driver or workers are killed: no finished run is lost or repeated, and the numbers are the same."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli.app import app
from ossature.simulation import Recording
from ossature.sweeps import Design, Parameter, ResultFolder, Run, Values, make_executor, sweep
from sweeps.pendulums import OUTPUTS, PARAMETERS, pendulum

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

SPEC = """
ossature-sweep: 1
model: {model}
simulation: {{duration: 0.5, time_step: 0.002, sample_interval: 0.1}}
design: {{method: random, count: {count}, seed: 7}}
parameters:
  - {{name: stiffness, path: slider crank/spring.stiffness, distribution: uniform, low: 60, high: 240}}
outputs:
  - {{name: torque, quantity: slider crank/drive.torque, statistic: rms}}
"""


def write_spec(folder: Path, count: int) -> Path:
    path = folder / "sweep.yaml"
    path.write_text(SPEC.format(model=PROJECT / "examples" / "slider_crank.yaml", count=count))
    return path


def start(spec: Path, output: Path, *options: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "ossature", "sweep", str(spec), "--output", str(output), *options]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def complete(spec: Path, output: Path, *options: str) -> None:
    """Run a sweep to its end, in this process."""
    result = CliRunner().invoke(app, ["sweep", str(spec), "--output", str(output), *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output


def parts(output: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in ResultFolder(output).parts()}


def kill_when_it_writes(process: subprocess.Popen[bytes], output: Path, delay: float) -> None:
    """Kill a sweep at a random instant after it has written a part more."""
    before = len(ResultFolder(output).parts())
    while process.poll() is None and len(ResultFolder(output).parts()) <= before:
        time.sleep(0.02)
    time.sleep(delay)
    process.kill()
    process.wait()


def check_killed_driver(tmp_path: Path, count: int, kills: int, *options: str) -> None:
    spec, output = write_spec(tmp_path, count), tmp_path / "out"
    chance = random.Random(count)
    written: dict[str, bytes] = {}
    for _ in range(kills):
        kill_when_it_writes(start(spec, output, *options), output, chance.uniform(0.0, 0.5))
        now = parts(output)
        assert written.items() <= now.items()  # none is lost or written again
        written = now
    complete(spec, output, *options)
    table = ResultFolder(output).table()
    assert written.items() <= parts(output).items()
    assert table.column("index").to_pylist() == list(range(count))
    complete(spec, tmp_path / "undisturbed")
    assert ResultFolder(tmp_path / "undisturbed").table().equals(table)


def test_a_killed_driver(tmp_path: Path) -> None:
    check_killed_driver(tmp_path, 24, 1)


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_ten_killed_drivers(executor: str, tmp_path: Path) -> None:
    check_killed_driver(tmp_path, 1000, 10, "--executor", executor)


def end_process_at_first(recording: object) -> float:
    """End this process, unless the file that the environment names is there."""
    marker = Path(os.environ["OSSATURE_TEST_MARKER"])
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return 1.0
    os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


def end_process_of_heavy_runs(recording: Recording) -> float:
    """End this process if the pendulum is heavy."""
    if abs(recording.energy[0, 0]) > 30.0:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


@pytest.mark.parametrize(
    ("executor", "workers"),
    [("processes", 1), *(pytest.param(name, 2, marks=pytest.mark.slow) for name in ("processes", "ray"))],
)
def test_runs_of_a_lost_worker_are_repeated(
    executor: str, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OSSATURE_TEST_MARKER", str(tmp_path / "marker"))
    if executor == "ray":
        pytest.importorskip("ray")
    run = Run(duration=0.02, outputs=OUTPUTS[:1], functions={"one": end_process_at_first})
    masses = [Parameter(name="mass", paths=("pendulum/link.mass",), source=Values((1.0, 2.0, 3.0, 4.0)))]
    table = sweep(pendulum(), masses, run, executor=make_executor(executor, workers)).table
    assert table.column("one").to_pylist() == [1.0] * 4 and (tmp_path / "marker").exists()


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["processes", "ray"])
def test_a_run_that_ends_its_process_is_a_failed_row(executor: str) -> None:
    if executor == "ray":
        pytest.importorskip("ray")
    run = Run(duration=0.02, outputs=OUTPUTS[:1], functions={"zero": end_process_of_heavy_runs})
    masses = [Parameter(name="mass", paths=("pendulum/link.mass",), source=Values((1.0, 50.0, 3.0, 4.0)))]
    table = sweep(pendulum(), masses, run, executor=make_executor(executor, 2)).table
    assert table.column("status").to_pylist() == ["finished", "failed", "finished", "finished"]
    assert table.column("rule").to_pylist()[1] == "lost-worker"


@pytest.mark.slow
def test_the_memory_of_the_driver_is_flat(tmp_path: Path) -> None:
    import resource

    design = Design(method="random", count=100_000, seed=1)
    run = Run(duration=0.0, time_step=0.002, outputs=OUTPUTS[:1])
    used: list[int] = []
    sweep(
        pendulum(),
        PARAMETERS,
        run,
        design=design,
        executor=make_executor("processes", 2),
        output=tmp_path / "out",
        progress=lambda progress: used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss),
    )
    assert len(used) > 20
    assert used[-1] - used[len(used) // 10] < 50_000  # kB; peaks, which do not fall
