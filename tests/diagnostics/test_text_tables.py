"""CSV and JSON are bounded: their values are counted before memory is taken for them, and their reading takes bounded time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import LimitError, Limits, Report
from ossature.diagnostics.resource_limits import Budget
from ossature.formats.trajectory_files import read_trajectories
from ossature.recordings import RecordingError, open_recording
from ossature.simulation.stepping.command_files import read_commands
from ossature.syntax.csv_and_json import csv_rows, json_document

WORLD = ossature.load(PROJECT / "examples" / "double_pendulum.skel")
MANY = 2000
FEW = Limits(array_bytes=50_000)
NO_TIME = Limits(seconds=1e-9)


def csv_file(folder: Path) -> Path:
    file = folder / "table.csv"
    file.write_text("time,pendulum/shoulder\n" + "".join(f"{number},0\n" for number in range(MANY)))
    return file


def json_file(folder: Path) -> Path:
    file = folder / "table.json"
    file.write_text(json.dumps({"pendulum/shoulder": [[number, 0] for number in range(MANY)]}))
    return file


@pytest.mark.parametrize(("limits", "rule"), [(FEW, "array-too-large"), (NO_TIME, "reading-too-long")])
@pytest.mark.parametrize("make", [csv_file, json_file])
def test_commands_are_bounded(make: object, limits: Limits, rule: str, tmp_path: Path) -> None:
    report = Report(limits=limits)
    assert not read_commands(make(tmp_path), WORLD, report)  # type: ignore[operator]
    assert report.take(rule)


@pytest.mark.parametrize(("limits", "rule"), [(FEW, "array-too-large"), (NO_TIME, "reading-too-long")])
def test_trajectories_are_bounded(limits: Limits, rule: str, tmp_path: Path) -> None:
    report = Report(limits=limits)
    assert not read_trajectories(csv_file(tmp_path), report)
    assert report.take(rule)


@pytest.mark.parametrize("suffix", [".csv", ".json", ".usdf", ".npz"])
@pytest.mark.parametrize(("limits", "rule"), [(Limits(file_bytes=500), "file-too-large"), (NO_TIME, "reading-too-long")])
def test_recordings_are_bounded(suffix: str, limits: Limits, rule: str, tmp_path: Path) -> None:
    if suffix == ".npz" and rule == "file-too-large":
        pytest.skip("read block by block")
    file = tmp_path / f"run{suffix}"
    ossature.Simulation(WORLD).run(0.02, 0.005, record=file)
    report = Report(limits=limits)
    with pytest.raises(RecordingError):
        list(open_recording(file, report).states())
    assert report.take(rule)


def test_a_header_of_many_columns_is_refused_before_it_is_read() -> None:
    with pytest.raises(LimitError, match="an array of 1000001 numbers"):
        next(csv_rows(["," * 1_000_000], Budget(Limits(array_bytes=1 << 20))))


def test_values_of_json_are_counted_before_they_are_read() -> None:
    with pytest.raises(LimitError, match="an array of"):
        json_document("[" * 1_000_000, Budget(Limits(array_bytes=1 << 20)))


def test_only_the_making_of_items_takes_time() -> None:
    budget = Budget(Limits(seconds=0.2))
    for _ in budget.timed(iter(range(4))):
        sum(range(3_000_000))
