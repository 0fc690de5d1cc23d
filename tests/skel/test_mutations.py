"""Seeded mutations of files of our own: bytes, tokens, subtrees. Each ends in a World or in findings, never in a traceback.

The few of every test run are the first of the many behind ``make fuzz``.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from conftest import PROJECT
from ossature.checks import check
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.skel import read_skel, write_skel
from ossature.kinematics import poses
from ossature.simulation import Simulation, SimulationError

FILES = sorted([*(PROJECT / "examples").glob("*.skel"), *(PROJECT / "tests" / "skel" / "files").glob("*.skel")])
TOKENS = [
    *("0", "-1", "1e308", "-1e-320", "nan", "inf", "-inf", "0x1F", "1_0", "", " ", "9" * 400, "1 2 3", "true", "world"),
    *("free", "ball", "weld", "xyz", "zyx", "screw", "arbitrary", "\u202e", "é", "&amp;", "&#0;", "<", ">", "<body/>"),
]
FEW, MANY, BATCH = 200, 10_000, 250


def mutate(text: str, rng: random.Random) -> bytes:
    """Return a file with one to four things changed."""
    for _ in range(rng.randint(1, 4)):
        text = rng.choice((_byte, _token, _subtree, _tag))(text, rng)
    data = text.encode()
    if rng.random() < 0.2:
        place = rng.randrange(len(data) + 1)
        data = data[:place] + bytes(rng.randrange(256) for _ in range(rng.randint(0, 8))) + data[place + rng.randint(0, 8) :]
    return data


def _byte(text: str, rng: random.Random) -> str:
    if not text:
        return text
    place = rng.randrange(len(text))
    return text[:place] + chr(rng.choice((0, 9, 10, 34, 38, 60, 62, 65, 233, 0x1F600))) + text[place + rng.randint(0, 2) :]


def _token(text: str, rng: random.Random) -> str:
    spans = [found.span() for found in re.finditer(r'(?<=>)[^<>\n]+(?=<)|(?<==")[^"]*(?=")', text)]
    if not spans:
        return text
    start, stop = rng.choice(spans)
    return text[:start] + rng.choice(TOKENS) + text[stop:]


def _subtree(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    start = rng.randrange(len(lines))
    part = lines[start : start + rng.randint(1, 12)]
    kind = rng.random()
    if kind < 0.4:
        del lines[start : start + len(part)]
    else:
        place = rng.randrange(len(lines)) if kind < 0.7 else start
        lines[place:place] = part
    return "\n".join(lines)


def _tag(text: str, rng: random.Random) -> str:
    tags = re.findall(r"</?([a-z_0-9]+)", text)
    if not tags:
        return text
    old, new = rng.choice(tags), rng.choice(tags)
    return re.sub(rf"(</?){old}\b", rf"\g<1>{new}", text, count=rng.choice((0, 1, 2)))


def exercise(data: bytes) -> None:
    """Read, check, place, write; only findings may come of it."""
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
