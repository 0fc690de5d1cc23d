"""What is written is read again as it was, and is sound COLLADA; what it says differently is in the ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from collada_validator import Kind, Problem, validate
from conftest import PROJECT, corpus_folder
from ossature.comparison import compare
from ossature.diagnostics import Action, Ledger, Report, Source
from ossature.formats import FORMATS
from ossature.formats.collada import read_collada, write_collada
from ossature.formats.files import read_file
from ossature.model import World
from perturb import perturbations
from worlds import robot

ROUNDING = 1e-12
SKEL_FILES = sorted([*(PROJECT / "examples").glob("*.skel"), *(PROJECT / "tests" / "skel" / "files").glob("*.skel")])
CHRONO_FILES = [PROJECT / "tests" / "chrono" / "files" / name for name in ("everything.yaml", "run.yaml")]


def corpus_files() -> list[Path]:
    folder = corpus_folder()
    if folder is None:
        return []
    return [path for name in ("openrave", "openrave-elements") for path in sorted((folder / "corpus" / name).iterdir())]


def read(path: Path) -> World:
    world = read_file(path, Report())
    assert world is not None
    return world


def through(world: World, report: Report | None = None) -> tuple[World, Ledger, str]:
    """Write a World and read it again."""
    ledger = Ledger()
    text = write_collada(world, ledger)
    again = read_collada(Source("written", text.encode()), Report() if report is None else report)
    assert again is not None
    return again, ledger, text


def uncovered(world: World) -> list[str]:
    again, ledger, _ = through(world)
    return [str(found) for found in compare(world, again, tolerance=ROUNDING) if not ledger.covers(found.path)]


def faults(text: str) -> list[Problem]:
    return [problem for problem in validate(text.encode()) if not problem.extension]


@pytest.mark.parametrize("path", corpus_files(), ids=lambda path: path.name)
def test_corpus(path: Path) -> None:
    world = read_file(path, Report())
    if world is None:
        pytest.skip("no World")
    again, ledger, text = through(world)
    differences = compare(world, again, tolerance=ROUNDING)
    assert not [found for found in differences if not ledger.covers(found.path)]
    assert not differences or any(entry.action is Action.APPROXIMATED for entry in ledger)
    assert not faults(text)


def test_every_field_of_a_robot_comes_back_or_is_in_the_ledger() -> None:
    count = 0
    for where, changed in [("as it is", robot()), *perturbations(robot())]:
        lost = uncovered(changed)
        assert not lost, f"{where}: {lost[0]} is not in the ledger"
        count += 1
    assert count > 200


@pytest.mark.parametrize("path", [*SKEL_FILES, *CHRONO_FILES], ids=lambda path: path.stem)
def test_worlds_of_other_formats(path: Path) -> None:
    for where, changed in [("as it is", read(path)), *perturbations(read(path))]:
        lost = uncovered(changed)
        assert not lost, f"{where}: {lost[0]} is not in the ledger"
