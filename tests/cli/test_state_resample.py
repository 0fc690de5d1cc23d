"""``ossature state extract`` and ``resample``: the times of samples, and interrupted recordings."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from cli.state_commands import PENDULUM, fine, recorded, run
from ossature.diagnostics import Report
from ossature.recordings import open_recording, open_writer
from ossature.recordings.journal import JournalWriter
from ossature.recordings.state_conversion import states_of_rows

pytest.importorskip("pyarrow")


def test_extract_and_resample(crank: Path, tmp_path: Path) -> None:
    fine("state", "extract", crank / "run.parquet", tmp_path / "at.usdf", "--time", 0.105)
    assert json.loads(fine("state", "show", tmp_path / "at.usdf", "--json"))["time"] == pytest.approx(0.1)
    fine("state", "resample", crank / "run.parquet", tmp_path / "fine.npz", "--sample-interval", 0.005)
    coarse = open_recording(crank / "run.parquet", Report()).table()
    finer = open_recording(tmp_path / "fine.npz", Report()).table()
    assert len(finer) == 81
    assert np.allclose(finer[::2], coarse, atol=1e-9)
    assert np.allclose(finer[1::2, 0], (coarse[:-1, 0] + coarse[1:, 0]) / 2.0)
    fine("state", "resample", crank / "run.parquet", tmp_path / "same.usdf", "--start", 0.1, "--end", 0.2)
    assert len(list(open_recording(tmp_path / "same.usdf", Report()).states())) == 11


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
def test_a_table_is_made_of_the_journal_that_was_left(suffix: str, tmp_path: Path) -> None:
    file = recorded(tmp_path, suffix)
    whole = open_recording(file, Report()).table()
    journal = file.with_name(file.name + ".part")
    write_journal(file, journal)
    file.unlink()
    left = journal.read_bytes()
    for options in ((), ("--sample-interval", 0.02)):
        result = run("state", "resample", journal, file, *options)
        assert result.exit_code == 0, result.stderr
        assert journal.read_bytes() == left
        table = open_recording(file, Report()).table()
        assert table.tobytes() == (whole[::2] if options else whole).tobytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name, journal.name]
    refused = run("simulate", PENDULUM, "--duration", 0.1, "--record", file)
    assert refused.exit_code != 0
    assert "contains an interrupted recording" in refused.stderr
    assert journal.read_bytes() == left


def write_journal(file: Path, journal: Path) -> None:
    recording = open_recording(file, Report())
    writer = JournalWriter(journal, recording.header)
    for row in recording.table():
        writer.write(row)
    writer.close()


@pytest.mark.parametrize(
    "options",
    [
        ("--sample-interval", "1e-320"),
        ("--sample-interval", "nan"),
        ("--end", "nan"),
        ("--start", "-inf", "--sample-interval", "0.1"),
    ],
)
def test_times_that_are_none(options: tuple[str, ...], tmp_path: Path) -> None:
    result = run("state", "resample", recorded(tmp_path, ".csv"), tmp_path / "new.csv", *options)
    assert result.exit_code == 2
    assert options[0] in result.stderr


def test_what_a_resampled_recording_leaves_out_is_told(tmp_path: Path) -> None:
    state = tmp_path / "state.usdf"
    state.write_text(
        '<world_state xmlns:ossature="urn:ossature:usdf" name="w" ossature:time="0">'
        '<frame name="cart"><pose>1 0 0 0 0 0</pose></frame>'
        '<model_state name="m"><parent>cart</parent><pose>0 0 0 0 0 0</pose><link_state name="l"><pose>0 0 0 0 0 0</pose>'
        "<twist>0 0 0 0 0 0</twist><wrench>1 0 0 0 0 0</wrench></link_state></model_state></world_state>"
    )
    result = run("state", "resample", state, tmp_path / "new.npz")
    assert result.exit_code == 0, result.stderr
    told = [line for line in result.stderr.splitlines() if line.startswith("left out")]
    assert told == ["left out: frames; the poses of models are given in the world", "left out: wrenches of links"]


def with_times(file: Path, times: Sequence[float]) -> None:
    """Write a recording whose samples have these times into a file of any kind, text or table."""
    original = recorded(file.parent, ".npz")
    recording = open_recording(original, Report())
    rows = recording.table()[: len(times)].copy()
    rows[:, 0] = times
    first = next(states_of_rows(recording.header, rows[:1]))
    with open_writer(file, recording.header, first) as writer:
        for row in rows:
            writer.write(row)


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv", ".json", ".usdf"])
@pytest.mark.parametrize(
    ("times", "message"),
    [
        ((0.0, 0.1, math.nan, 0.3), "sample 2 is nan"),
        ((0.0, 0.1, 0.2, 0.1), "the time of sample 3, 0.1 s, does not exceed that of the previous sample"),
        ((0.0, 0.0), "the time of sample 1, 0.0 s, does not exceed that of the previous sample"),
        ((0.0, math.inf), "sample 1 is"),
    ],
)
def test_times_that_do_not_run_on_are_a_finding(suffix: str, times: tuple[float, ...], message: str, tmp_path: Path) -> None:
    file = tmp_path / f"odd{suffix}"
    with_times(file, times)
    for command, *others in (
        ("show",),
        ("resample", tmp_path / "new.csv"),
        ("resample", tmp_path / "new.csv", "--sample-interval", 0.01),
        ("diff", file),
        ("extract", tmp_path / "new.usdf"),
    ):
        result = run("state", command, file, *others)
        assert result.exit_code == 1, (command, result.output)
        assert "invalid-recording" in result.stderr
        assert message in result.stderr
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize("start", [None, 0.5])
def test_a_first_time_must_be_one(start: float | None, tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    with_times(file, (math.nan, 0.1))
    options = () if start is None else ("--start", start)
    result = run("state", "resample", file, tmp_path / "new.csv", "--sample-interval", 0.1, *options)
    assert result.exit_code == 1
    assert "sample 0 is nan" in result.stderr


@pytest.mark.parametrize(
    ("times", "options", "message"),
    [
        ((0.0, 1e300), (), "the limit is 10,000,000"),
        ((-1e308, 1e308), (), "the limit is 10,000,000"),
        ((0.0, 0.1), ("--start", -1e300), "below the floating-point resolution"),
        ((1e15, 1e15 + 1.0), (), "below the floating-point resolution"),
    ],
)
def test_nobody_waits_for_samples_without_end(
    times: tuple[float, ...], options: tuple[object, ...], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "long.npz"
    with_times(file, times)
    result = run("state", "resample", file, tmp_path / "new.csv", "--sample-interval", 1e-3, *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "new.csv").exists()


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".csv", ".json"])
@pytest.mark.parametrize("command", ["show", "diff", "resample", "plot"])
def test_damage_behind_the_first_sample_is_a_finding(suffix: str, command: str, tmp_path: Path) -> None:
    file = recorded(tmp_path, suffix)
    data = bytearray(file.read_bytes())
    place = len(data) // 2
    data[place : place + 8] = b"\xff\xfe\x00!!!!!"
    file.write_bytes(data)
    others = {"diff": (file,), "resample": (tmp_path / "new.csv",), "plot": (tmp_path / "new.svg",)}
    result = run("state", command, file, *others.get(command, ()))
    assert result.exit_code == 1
    assert "invalid-recording" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name]
