"""Seeded mutations of an own file: each results in a World or in findings, never in an exception or a crash of MuJoCo."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from mutant_count import MANY
from ossature.assets.uri_resolver import Resolver
from ossature.checks import check
from ossature.diagnostics import Report, Source
from ossature.formats.format import ReadContext
from ossature.formats.mjcf.read import read
from ossature.kinematics import FormulaError, poses
from xml_mutations import ALL, mutate

FILE = Path(__file__).parent / "files" / "robot.xml"
FEW, BATCH = 100, min(250, MANY)


def exercise(data: bytes) -> bool:
    """Read, check, and compute poses; only findings are allowed. Return whether there is a World."""
    report = Report()
    world = read(ReadContext(source=Source("mutated.xml", data), report=report, given_resolver=Resolver())).world
    for finding in report:
        str(finding)
    if world is None:
        assert report.has_errors
        return False
    checked = check(world)
    try:
        poses(world)
    except FormulaError:
        assert checked.has_errors
    return True


def run(first: int, count: int) -> None:
    text = FILE.read_text(encoding="utf-8")
    read_files = 0
    for seed in range(first, first + count):
        try:
            read_files += exercise(mutate(text, random.Random(seed), kinds=ALL))
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error
    assert read_files > count // 50


def test_a_few() -> None:
    run(0, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(first: int) -> None:
    run(first, BATCH)
