"""Recordings of every kind: the same numbers, whole at any time, whatever happens to the program or the disk."""

from __future__ import annotations

import json
import random
import resource
import signal
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import OssatureError, Report
from ossature.recordings import SUFFIXES, RecordingError, RecordingFile, open_recording
from ossature.simulation import Simulation
from ossature.simulation.records.recorder import RecordingStoppedError

pytest.importorskip("pyarrow")

EXAMPLES = sorted(path for path in (PROJECT / "examples").iterdir() if path.suffix in (".skel", ".yaml", ".dae"))
IN_PLACE = (".usdf", ".csv", ".json")


def opened(path: Path) -> RecordingFile:
    report = Report()
    recording = open_recording(path, report)
    assert not report, str(report)
    return recording


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_all_kinds_carry_the_same_numbers(path: Path, tmp_path: Path) -> None:
    world = ossature.load(path)
    kept = Simulation(world).run(0.1, sample=0.01)
    kept.save(tmp_path / "kept.json")
    expected = json.loads((tmp_path / "kept.json").read_text())
    files = {}
    for suffix in SUFFIXES:
        file = tmp_path / f"run{suffix}"
        last = Simulation(world).run(0.1, sample=0.01, record=file, keep=False)
        assert len(last.times) == 1
        files[suffix] = opened(file)
    assert json.loads((tmp_path / "run.json").read_text()) == expected
    kept.save(tmp_path / "kept.csv")
    assert (tmp_path / "run.csv").read_text() == (tmp_path / "kept.csv").read_text()
    tables = {suffix: recording.table() for suffix, recording in files.items()}
    for suffix in (".npz", ".csv", ".json"):
        assert tables[suffix].tobytes() == tables[".parquet"].tobytes()
    for of_usdf, of_arrow in zip(files[".usdf"].states(), files[".parquet"].states(), strict=True):
        assert of_usdf.models == of_arrow.models
        assert (of_usdf.time, of_usdf.fingerprint) == (of_arrow.time, of_arrow.fingerprint)
    assert files[".usdf"].header == files[".parquet"].header
    # Velocities of bodies are turned into their axes and back.
    assert np.allclose(tables[".usdf"], tables[".parquet"], rtol=1e-15, atol=1e-12)


def test_parquet_is_read_by_arrow(tmp_path: Path) -> None:
    import pyarrow.parquet

    file = tmp_path / "run.parquet"
    recording = Simulation(ossature.load(PROJECT / "examples" / "arm.skel")).run(0.1, sample=0.01, record=file)
    table = pyarrow.parquet.read_table(str(file))
    assert table["time"].to_pylist() == recording.times.tolist()
    assert not file.with_name("run.parquet.part").exists()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_growing_file_can_be_read(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"run{suffix}"
    counts = []

    def look(share: float) -> None:
        counts.append(len(opened(file).table()))

    simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    simulation.run(0.05, sample=0.01, progress=look, record=file)
    assert counts == [1, 2, 3, 4, 5] or counts == sorted(set(counts))
    assert len(opened(file).table()) == 6


ENDLESS = """if True:
    import sys, ossature
    from pathlib import Path
    from ossature.simulation import Simulation
    simulation = Simulation(ossature.load(sys.argv[1]))
    simulation.run(1e4, sample=simulation.time_step, record=Path(sys.argv[2]), keep=False,
                   progress=lambda share: print(round(share * 1e4 / simulation.time_step), flush=True))
"""


def killed(file: Path, wait: float) -> int:
    """Record until the program is killed; return how many steps it said it had taken by then."""
    arguments = [sys.executable, "-c", ENDLESS, str(PROJECT / "examples" / "double_pendulum.skel"), str(file)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        first = program.stdout.readline()
        time.sleep(wait)
        program.send_signal(signal.SIGKILL)
        said = [first, *program.stdout.readlines()]
    return int([line for line in said if line.endswith("\n")][-1])


def survives(suffix: str, tmp_path: Path, wait: float) -> None:
    file = tmp_path / f"run{suffix}"
    steps = killed(file, wait)
    report = Report()
    recording = open_recording(file, report)
    table = recording.table()
    report.take("torn-recording")
    assert not report
    # Progress is told after steps, and samples are taken between them.
    assert len(table) >= steps
    whole = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    whole.run(whole.time_step * (len(table) - 1), sample=whole.time_step, record=tmp_path / "whole.npz", keep=False)
    expected = opened(tmp_path / "whole.npz").table()
    if suffix == ".usdf":
        assert np.allclose(table, expected, atol=1e-12)
    else:
        assert table.tobytes() == expected.tobytes()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_killed_programs_leave_every_whole_sample(suffix: str, tmp_path: Path) -> None:
    survives(suffix, tmp_path, random.Random(suffix).uniform(0.0, 0.3))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_killed_at_any_instant(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    survives(chance.choice(SUFFIXES), tmp_path, chance.uniform(0.0, 1.0))


@pytest.mark.parametrize("suffix", IN_PLACE)
def test_files_that_were_torn_anywhere(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"run{suffix}"
    Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel")).run(0.02, sample=0.002, record=file)
    content, whole = file.read_bytes(), opened(file).table()
    begin = len(content) // 4
    chance = random.Random(0)
    for cut in sorted({begin, len(content) - 1, *(chance.randrange(begin, len(content)) for _ in range(30))}):
        file.write_bytes(content[:cut])
        report = Report()
        try:
            table = open_recording(file, report).table()
        except RecordingError:
            assert suffix == ".usdf"  # the first state, which carries what a restart needs, was not whole
            continue
        assert table.tobytes() == whole[: len(table)].tobytes()
        assert len(table) >= (cut - begin) * len(whole) // len(content) // 2
        report.take("torn-recording")
        assert not report


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_loses_nothing(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"run{suffix}"
    simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, hard))
    try:
        with pytest.raises(RecordingStoppedError, match=r"file too large; \d+ samples are in .*run") as caught:
            simulation.run(10.0, sample=0.001, record=file, keep=False)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    table = opened(file).table()
    assert f"; {len(table)} samples" in str(caught.value)
    assert len(table) > 5
    if suffix == ".json":
        json.loads(file.read_text())  # for anybody's reader
    assert np.allclose(np.diff(table[:, 0]), 0.001)


@pytest.mark.parametrize("suffix", [".csv", ".usdf"])
def test_memory_does_not_grow(suffix: str, tmp_path: Path) -> None:
    def most(duration: float) -> int:
        tracemalloc.start()
        try:
            simulation.run(duration, sample=0.001, record=tmp_path / f"run{suffix}", keep=False)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"))
    most(0.01)
    short, long = most(0.1), most(1.0)
    assert long - short < (tmp_path / f"run{suffix}").stat().st_size / 5  # garbage that waits for its collector


def test_what_is_no_recording(tmp_path: Path) -> None:
    world = ossature.load(PROJECT / "examples" / "arm.skel")
    with pytest.raises(OssatureError, match=r"\.usdf, \.parquet"):
        Simulation(world).run(0.1, record=tmp_path / "run.xls")
    for name, content in {
        "a.csv": "x,y\n1,2\n",
        "a.json": "[1",
        "b.json": '{"samples": []}',
        "a.parquet": "PAR1",
        "a.npz": "PK",
        "a.npz.part": "no",
        "b.usdf": "<robot/>",
        "a.xls": "",
    }.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(RecordingError):
            open_recording(tmp_path / name, Report())
    with pytest.raises(RecordingError):
        open_recording(tmp_path / "missing.csv", Report())
