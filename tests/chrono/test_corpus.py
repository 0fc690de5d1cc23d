"""Every Chrono file of the corpus: what is found in it, and that it survives reading, checking, writing and running."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from conftest import corpus_folder
from ossature.checks import check
from ossature.comparison import compare
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.chrono import read_chrono, write_chrono
from ossature.model import ChronoContact, World
from ossature.simulation import Simulation

FOLDERS = ("chrono", "chrono-elements")
MASSIVE = {"implausible-inertia": 2}
EXPECTED: dict[str, dict[str, int]] = {
    "chrono/mbs.yaml": {"unsupported-solver-settings": 1},
    "chrono/mbs_controller.yaml": MASSIVE | {"unsupported-solver-settings": 1},
    "chrono/model_bushing.yaml": {"unknown-key": 2},
    "chrono/model_inverted_pendulum_load.yaml": MASSIVE,
    "chrono/model_inverted_pendulum_motor.yaml": MASSIVE,
    "chrono/model_motors.yaml": {},
    "chrono/model_slider_crank.yaml": {},
    "chrono/model_slider_crank_reduced.yaml": {},
    "chrono/solver_mbs.yaml": {"wrong-root-element": 1},
    "chrono/solver_mbs_stiff.yaml": {"wrong-root-element": 1},
    "chrono-elements/bushings.yaml": {},
    "chrono-elements/four_bar_speed_motor.yaml": {},
    "chrono-elements/linear_force_motors.yaml": {},
    "chrono-elements/linear_speed_motors.yaml": {},
    "chrono-elements/loads_and_frames.yaml": {
        "missing-collision-shape": 2,
        "orientation-about-z-y-x": 1,
        "products-of-inertia-xy-xz-yz": 1,
    },
    "chrono-elements/rotation_position_motors.yaml": {},
    "chrono-elements/rotation_torque_motors.yaml": {},
    "chrono-elements/spring_dampers.yaml": {},
    "chrono-elements/universal_shafts.yaml": {"assumed-axis": 1},
}
"""Which findings reading and checking each file makes, and how many."""
SIMULATED = {
    "chrono/mbs.yaml": {"smaller-restitution-used": 1, "unsupported-penalty-contact": 1},
    "chrono/model_slider_crank.yaml": {"smaller-restitution-used": 1},
    "chrono/model_slider_crank_reduced.yaml": {"smaller-restitution-used": 1},
    "chrono-elements/four_bar_speed_motor.yaml": {"reactions-not-unique": 1},
    "chrono-elements/rotation_position_motors.yaml": {"initial-assembly-adjusted": 1},
}
"""Which findings a short simulation makes besides."""
READ = [name for name, found in EXPECTED.items() if "wrong-root-element" not in found]


def files() -> list[str]:
    folder = corpus_folder()
    if folder is None:
        return []
    return sorted(
        str(path.relative_to(folder / "corpus")) for name in FOLDERS for path in (folder / "corpus" / name).glob("*.yaml")
    )


def read(corpus: Path, name: str, report: Report) -> World | None:
    path = corpus / "corpus" / name
    return read_chrono(Source(str(path), path.read_bytes()), report, folder=path.parent)


def world_of(corpus: Path, name: str) -> World:
    world = read(corpus, name, Report())
    assert world is not None
    return world


def counts(report: Report) -> dict[str, int]:
    return dict(Counter(finding.rule.name for finding in report))


def test_every_file_is_in_the_table(corpus: Path) -> None:
    assert set(files()) == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_findings(name: str, corpus: Path) -> None:
    report = Report()
    world = read(corpus, name, report)
    if world is not None:
        report.extend(check(world))
    assert counts(report) == EXPECTED[name], str(report)


@pytest.mark.parametrize("name", READ)
def test_written_and_read_again_it_is_the_same(name: str, corpus: Path) -> None:
    world, ledger = world_of(corpus, name), Ledger()
    is_run = bool(world.hints)
    folder = (corpus / "corpus" / name).parent
    text = write_chrono(world, ledger, folder=folder)
    again = read_chrono(Source("again.yaml", text.encode()), Report(), folder=folder)
    differing = {difference.path for difference in compare(world, again, tolerance=1e-12)}
    # A model file does not say what belongs into a simulation file, and the ledger tells.
    assert all(ledger.covers(path) for path in differing)
    assert is_run or (not differing and not len(ledger)), ledger.lines()


@pytest.mark.parametrize("name", READ)
def test_it_runs(name: str, corpus: Path) -> None:
    report = Report()
    simulation = Simulation(world_of(corpus, name), report=report, time_step=1e-3)
    recording = simulation.run(0.1, sample=0.01)
    assert counts(report) == SIMULATED.get(name, {}), str(report)
    assert recording.violation.max() < 2e-5


def test_a_simulation_file_says_how_to_run(corpus: Path) -> None:
    world = world_of(corpus, "chrono/mbs_controller.yaml")
    assert world.name == "Invertedd_pendulum_LOAD"
    assert (world.end_time, world.time_step, world.gravity) == (100.0, 1e-4, (0.0, 0.0, -9.8))
    assert world.hints == (ChronoContact(method="SMC"),)
