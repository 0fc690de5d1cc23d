"""Seeded mutations of own files (bytes, tokens, subtrees): each results in a World or in findings, never in an exception.

The few of every test run are the first of the many of ``make fuzz``.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conftest import PROJECT
from mutant_count import MANY
from ossature.checks import check
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.skel import read_skel, write_skel
from ossature.kinematics import poses
from ossature.simulation import Simulation, SimulationError
from xml_mutations import mutate

FILES = sorted([*(PROJECT / "examples").glob("*.skel"), *(PROJECT / "tests" / "skel" / "files").glob("*.skel")])
FEW, BATCH = 100, min(250, MANY)


def exercise(data: bytes) -> None:
    """Read, check, compute poses and write; only findings are allowed."""
    report = Report()
    world = read_skel(Source("mutated.skel", data), report, folder=Path("/nowhere"))
    for finding in report:
        str(finding)
    if world is None:
        assert report.has_errors
        return
    check(world)
    poses(world)
    again = read_skel(Source("written.skel", write_skel(world, Ledger()).encode()), Report())
    assert again is not None
    try:
        Simulation(world).step(2)
    except SimulationError as error:
        assert error.report.has_errors
    except ValueError as error:
        assert "time step" in str(error)


def run(first: int, count: int) -> None:
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    for seed in range(first, first + count):
        rng = random.Random(seed)
        data = mutate(rng.choice(texts), rng)
        try:
            exercise(data)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def test_a_few() -> None:
    run(0, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(first: int) -> None:
    run(first, BATCH)
