"""Seeded mutations of own files: each results in a World or in findings, never in an exception.

The few of every test run are the first of the many of ``make fuzz``.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from conftest import PROJECT
from mutant_count import MANY
from ossature.assets import Resolver
from ossature.checks import check
from ossature.diagnostics import Report, Source
from ossature.formats.sdf import read_sdf
from ossature.kinematics import FormulaError, poses
from ossature.simulation import Simulation, SimulationError
from xml_mutations import ALL, mutate

FILES = (PROJECT / "examples" / "gripper_arm.sdf", PROJECT / "tests" / "sdf" / "files" / "everything.sdf")
FEW, BATCH = 40, min(250, MANY)


def exercise(data: bytes) -> None:
    """Read, check, compute poses and simulate; only findings are allowed."""
    report, folder = Report(), Path("/nowhere")
    world = read_sdf(Source("mutated.sdf", data), report, resolver=Resolver(folder=folder), folder=folder)
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


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(first: int) -> None:
    run(first, BATCH)
