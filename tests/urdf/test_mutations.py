"""Seeded mutations of own files (bytes, tokens, subtrees): each results in a World or in findings, never in an exception.

The few of every test run are the first of the many of ``make fuzz``.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conftest import PROJECT
from format_conversion import written
from mutant_count import MANY
from ossature.checks import check
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.urdf import read_urdf
from ossature.kinematics import FormulaError, poses
from ossature.simulation import Simulation, SimulationError
from xml_mutations import ALL, mutate

FILES = sorted([*(PROJECT / "examples").glob("*.urdf"), *(PROJECT / "tests" / "urdf" / "files").glob("*.urdf")])
FEW, BATCH = 100, min(250, MANY)


def exercise(data: bytes) -> None:
    """Read, check, compute poses and write; only findings are allowed."""
    report = Report()
    world = read_urdf(Source("mutated.urdf", data), report, folder=Path("/nowhere"))
    for finding in report:
        str(finding)
    if world is None:
        assert report.has_errors
        return
    checked = check(world)
    try:
        poses(world)
    except FormulaError:
        assert checked.has_errors
    text = written(world, "urdf", Path("/nowhere/written.urdf"), Ledger()).decode()
    again = Report()
    assert read_urdf(Source("written.urdf", text.encode()), again) is not None
    assert report.has_errors or not again.has_errors, str(again)  # passthrough content may be invalid
    try:
        Simulation(world).step(2)
    except SimulationError as error:
        assert error.report.has_errors


def run(first: int, count: int) -> None:
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    for seed in range(first, first + count):
        rng = random.Random(seed)
        data = mutate(rng.choice(texts), rng, kinds=ALL)
        try:
            exercise(data)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def test_a_few() -> None:
    run(0, FEW)


@pytest.mark.parametrize("seed", [4341, 7059, 8760])
def test_stiffness_that_cannot_be_computed(seed: int) -> None:
    run(seed, 1)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(first: int) -> None:
    run(first, BATCH)
