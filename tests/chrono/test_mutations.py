"""Seeded mutations of a Chrono model: bytes, values, keys, lines. Each ends in a World or in findings, never in a traceback."""

from __future__ import annotations

import random
import re

import pytest

from conftest import PROJECT
from mutant_count import MANY
from ossature.checks import check
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.chrono import read_chrono, write_chrono
from ossature.kinematics import poses
from ossature.simulation import Simulation, SimulationError

FILES = [PROJECT / "tests" / "chrono" / "files" / name for name in ("everything.yaml", "run.yaml", "solver.yaml")]
WEIGHTS = (8, 1, 1)
TOKENS = [
    *("0", "-1", "1e308", "-1e-320", ".nan", ".inf", "0x1F", "1_0", "", "~", "9" * 400, "[1, 2, 3]", "{a: b}", "true"),
    *("ground", "arm", "LOCK", "UNIVERSAL", "POSITION", "FREE", "\u202e", "é", "*rod", "&x", "<<", "[[0, 0], [1, 1]]", "- x"),
    *("[0, 0, 0]", "[1, 0, 0, 0]", "'", '"', "#", "|", ">", "?", "!!float", "%YAML"),
]
FEW, BATCH = 50, min(250, MANY)


def mutate(text: str, rng: random.Random) -> bytes:
    """Return a file with one to four things changed."""
    for _ in range(rng.randint(1, 4)):
        text = rng.choice((_byte, _value, _lines, _key))(text, rng)
    data = text.encode()
    if rng.random() < 0.1:
        place = rng.randrange(len(data) + 1)
        data = data[:place] + bytes(rng.randrange(256) for _ in range(rng.randint(0, 8))) + data[place + rng.randint(0, 8) :]
    return data


def _byte(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text) + 1)
    return text[:place] + chr(rng.choice((9, 10, 32, 34, 35, 39, 42, 58, 91, 123, 233))) + text[place + rng.randint(0, 2) :]


def _value(text: str, rng: random.Random) -> str:
    spans = [found.span(1) for found in re.finditer(r": ([^,{}\[\]\n]+|\[[^\[\]\n]*\])", text)]
    if not spans:
        return text
    start, stop = rng.choice(spans)
    return text[:start] + rng.choice(TOKENS) + text[stop:]


def _key(text: str, rng: random.Random) -> str:
    spans = [found.span(1) for found in re.finditer(r"([A-Za-z_0-9-]+):", text)]
    if len(spans) < 2:
        return text
    start, stop = rng.choice(spans)
    other_start, other_stop = rng.choice(spans)
    return text[:start] + text[other_start:other_stop] + text[stop:]


def _lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    start = rng.randrange(len(lines))
    part = lines[start : start + rng.randint(1, 8)]
    if rng.random() < 0.5:
        del lines[start : start + len(part)]
    else:
        place = rng.randrange(len(lines) + 1)
        lines[place:place] = part
    return "\n".join(lines)


def exercise(data: bytes) -> None:
    """Do with a file all that a user would."""
    report = Report()
    world = read_chrono(Source("mutant.yaml", data), report, folder=FILES[0].parent)
    str(report)
    if world is None:
        assert report.has_errors
        return
    check(world)
    poses(world)
    write_chrono(world, Ledger(), folder=FILES[0].parent)
    try:
        Simulation(world, report=Report()).step(2)
    except SimulationError as error:
        assert error.report.has_errors


def run(first: int, count: int) -> None:
    for seed in range(first, first + count):
        rng = random.Random(seed)
        (path,) = rng.choices(FILES, WEIGHTS)
        data = mutate(path.read_text(encoding="utf-8"), rng)
        try:
            exercise(data)
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


@pytest.mark.parametrize("first", range(0, FEW, 50))
def test_a_few(first: int) -> None:
    run(first, 50)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(first: int) -> None:
    run(first, BATCH)
