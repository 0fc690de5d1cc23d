"""Seeded mutations of states and recordings: each ends in states or in findings, never in a traceback.

The few of every test run are the first of the many behind ``make fuzz``.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import pytest

import ossature
from conftest import PROJECT
from mutant_count import MANY
from ossature.diagnostics import Report
from ossature.kinematics import GraspError
from ossature.kinematics.state_diff import state_differences
from ossature.model import World
from ossature.model.state_compatibility import StateMismatchError
from ossature.model.state_frame_tree import FrameError
from ossature.recordings import RecordingError, open_recording
from ossature.simulation import Simulation, SimulationError
from xml_mutations import ALL, mutate

pytest.importorskip("pyarrow")

EXAMPLES = ("double_pendulum.skel", "slider_crank.yaml", "palletizer.urdf", "picker.dae")
TEXTS = (".usdf", ".csv", ".json")
FEW, BATCH = 60, min(250, MANY)


@cache
def world(example: str) -> World:
    return ossature.load(PROJECT / "examples" / example)


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], bytes]:
    """Return recordings of three samples, by example and suffix."""
    folder = tmp_path_factory.mktemp("originals")
    contents = {}
    for example in EXAMPLES:
        for suffix in (*TEXTS, ".npz", ".parquet"):
            file = folder / f"{example}{suffix}"
            Simulation(world(example), report=Report()).run(0.02, sample=0.01, record=file, keep=False)
            contents[example, suffix] = file.read_bytes()
    return contents


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        kind, place = rng.randrange(4), rng.randrange(len(changed) + 1)
        if kind == 0:
            del changed[place:]
        elif kind == 1:
            changed[place:place] = rng.randbytes(rng.randint(1, 9))
        elif kind == 2:
            del changed[place : place + rng.randint(1, 40)]
        elif place < len(changed):
            changed[place] = rng.randrange(256)
        if not changed:
            break
    return bytes(changed)


def mutated_text(text: str, suffix: str, rng: random.Random) -> bytes:
    return mutate(text, rng, kinds=ALL) if suffix == ".usdf" else mutated_bytes(text.encode(), rng)


def exercise(file: Path, example: str) -> None:
    """Read all samples in both ways, compare the last one with another state, and go on from it."""
    report = Report()
    try:
        recording = open_recording(file, report)
        recording.table()
        states = list(recording.states())
    except RecordingError as error:
        assert error.report.has_errors
        str(error)
        return
    simulation = Simulation(world(example), report=Report())
    for state in states[-1:]:
        try:
            state_differences(state, simulation.state())
            simulation.restore(state, partial=True)
            simulation.step(2)
        except (StateMismatchError, FrameError, GraspError, SimulationError) as error:
            str(error)


def run(first: int, count: int, originals: dict[tuple[str, str], bytes], folder: Path) -> None:
    for seed in range(first, first + count):
        rng = random.Random(seed)
        example, suffix = rng.choice(EXAMPLES), rng.choice((".usdf", ".usdf", *TEXTS, ".npz", ".parquet"))
        data = originals[example, suffix]
        file = folder / f"mutated{suffix}"
        file.write_bytes(mutated_text(data.decode(), suffix, rng) if suffix in TEXTS else mutated_bytes(data, rng))
        try:
            exercise(file, example)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {example}, {suffix}") from error


def test_a_few(originals: dict[tuple[str, str], bytes], tmp_path: Path) -> None:
    run(0, FEW, originals, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, MANY, BATCH))
def test_many(first: int, originals: dict[tuple[str, str], bytes], tmp_path: Path) -> None:
    run(first, BATCH, originals, tmp_path)
