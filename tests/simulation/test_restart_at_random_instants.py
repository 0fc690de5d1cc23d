"""Runs that are interrupted at random instants continue bit-exactly in a new process."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

import ossature
from conftest import corpus_folder, example_models
from ossature.diagnostics import Report
from ossature.io import save_state
from ossature.simulation import Simulation, SimulationError

EXAMPLES = example_models(".skel", ".yaml", ".dae", ".urdf", ".xml", ".sdf")
QUICK = ("arm", "slider_crank", "pick_and_place", "contact")
FOLDERS = ("skel", "chrono", "chrono-elements", "openrave", "openrave-elements", "urdf")

GO_ON = """if True:
    import sys, ossature
    from ossature.diagnostics import Report
    from ossature.io import load_state
    from ossature.formats.usdf import write_usdf
    from ossature.simulation import Simulation
    report = Report()
    simulation = Simulation(ossature.load(sys.argv[1]), report=report)
    whole = open(sys.argv[2]).read()
    for argument in sys.argv[3:]:
        steps, file = argument.split("=", 1)
        simulation.restore(load_state(file))
        assert not report.take("approximate-restart"), file
        simulation.step(int(steps))
        assert write_usdf(simulation.state()) == whole, file
"""


def corpus_files() -> list[Path]:
    folder = corpus_folder()
    if folder is None:
        return []
    suffixes = (".skel", ".yaml", ".dae", ".zae", ".urdf")
    return sorted(p for name in FOLDERS for p in (folder / "corpus" / name).rglob("*") if p.suffix in suffixes)


def check_restarts(path: Path, duration: float, cuts: int, folder: Path) -> None:
    world, report = ossature.read(path)
    if world is None or report.has_errors or not world.models:
        pytest.skip("it holds no world")
    try:
        simulation = Simulation(world, report=Report())
        total = round(duration / simulation.time_step)
        chance, arguments, done = random.Random(path.name), [], 0
        for number, step in enumerate(sorted(chance.randrange(total + 1) for _ in range(cuts))):
            simulation.step(step - done)
            done = step
            save_state(simulation.state(), folder / f"{number}.usdf")
            arguments.append(f"{total - step}={folder / f'{number}.usdf'}")
        simulation.step(total - done)
    except SimulationError as error:
        pytest.skip(f"it cannot be simulated: {str(error)[:80]}")
    save_state(simulation.state(), folder / "whole.usdf")
    command = [sys.executable, "-c", GO_ON, str(path), str(folder / "whole.usdf"), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.one_in(2)
@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem in QUICK], ids=lambda path: path.name)
def test_short_runs_of_the_examples(path: Path, tmp_path: Path) -> None:
    check_restarts(path, 0.5, 4, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_runs_of_ten_seconds(path: Path, tmp_path: Path) -> None:
    check_restarts(path, 10.0, 20, tmp_path)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_runs_of_ten_seconds_of_real_files(path: Path, tmp_path: Path) -> None:
    check_restarts(path, 10.0, 20, tmp_path)
