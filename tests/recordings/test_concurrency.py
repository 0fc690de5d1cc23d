"""Recordings that other processes write or modify at the same time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.assets import FileInUseError
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.recordings import RecordingError, open_recording
from ossature.recordings.journal import Journal
from ossature.recordings.write import sample_file
from ossature.simulation import Simulation

ARM = PROJECT / "examples" / "arm.skel"
KINDS = (".usdf", ".csv", ".json", ".npz")


@pytest.fixture(scope="module")
def world() -> ossature.World:
    return ossature.load(ARM)


@pytest.mark.parametrize("suffix", KINDS)
def test_a_second_recording_into_the_same_file_is_refused(suffix: str, world: ossature.World, tmp_path: Path) -> None:
    file = tmp_path / f"run{suffix}"
    first = Simulation(world)

    def meanwhile(share: float) -> None:
        with pytest.raises(FileInUseError, match=file.name):
            Simulation(world).run(0.002, 0.001, record=file)

    first.run(0.004, 0.001, meanwhile, record=file)
    table = open_recording(file, Report()).table()
    assert len(table) == 5
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name]
    first.run(0.002, 0.001, record=file)  # afterwards it may be
    assert len(open_recording(file, Report()).table()) == 3


def test_a_second_process_is_refused_and_the_first_one_continues(tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    command = ["simulate", str(ARM), "--record", str(file), "--duration"]
    program = [sys.executable, "-m", "ossature", *command, "1000"]
    first = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 300.0
        while not (tmp_path / "run.csv.lock").exists():
            assert first.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        second = CliRunner().invoke(app, [*command, "0.01"])  # in the process of the tests
        assert second.exit_code == 1
        assert second.stderr == f"error: {file}: another process is writing this file\n"
        assert first.poll() is None
    finally:
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
    before = open_recording(file, Report()).table()
    assert len(before) >= 1
    Simulation(ossature.load(ARM)).run(0.002, 0.001, record=file)  # a killed process does not keep the lock
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.csv"]


def test_a_journal_that_is_truncated_while_it_is_read_is_an_error(world: ossature.World, tmp_path: Path) -> None:
    file, journal = tmp_path / "run.npz", tmp_path / "killed.npz.part"

    def copy(share: float) -> None:
        if share > 0.9:
            shutil.copy(sample_file(file), journal)

    Simulation(world).run(2.0, 0.001, copy, record=file)
    recording = open_recording(journal, Report())
    os.truncate(journal, journal.stat().st_size // 2)
    with pytest.raises(RecordingError, match="truncated while it was read"):
        list(recording.rows())
    assert len(open_recording(journal, Report()).table()) > 0  # what is left can be read
    assert Journal(journal).count > 0


@pytest.mark.skipif(os.name != "posix", reason="FIFOs")
@pytest.mark.parametrize("suffix", KINDS)
def test_a_recording_is_written_into_a_fifo(suffix: str, world: ossature.World, tmp_path: Path) -> None:
    fifo, copy = tmp_path / f"fifo{suffix}", tmp_path / f"copy{suffix}"
    os.mkfifo(fifo)
    with copy.open("wb") as output:
        reader = subprocess.Popen(["/bin/cat", str(fifo)], stdout=output)
        Simulation(world).run(0.004, 0.001, record=fifo)
        reader.wait(10.0)
    assert fifo.is_fifo()
    file = tmp_path / f"file{suffix}"
    Simulation(world).run(0.004, 0.001, record=file)
    assert (open_recording(copy, Report()).table() == open_recording(file, Report()).table()).all()


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_recording_resolves_symbolic_links(world: ossature.World, tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("run.csv")
    Simulation(world).run(0.004, 0.001, record=tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert len(open_recording(tmp_path / "run.csv", Report()).table()) == 5
