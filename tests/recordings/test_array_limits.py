"""Arrays of recordings are compared with the limit of arrays before memory is allocated."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import Limits, Report
from ossature.recordings import RecordingError, open_recording
from ossature.simulation import Simulation

SUFFIXES = ("csv", "json", "npz", "parquet", "usdf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("recordings")
    for suffix in SUFFIXES:
        simulation = Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel"), report=Report())
        simulation.run(0.02, sample=0.01, record=folder / f"r.{suffix}", keep=False)
    return folder


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_table_is_limited(folder: Path, suffix: str) -> None:
    size = open_recording(folder / f"r.{suffix}", Report()).table().nbytes
    assert size > 0
    report = Report(limits=Limits(array_bytes=size - 1))
    with pytest.raises(RecordingError):
        open_recording(folder / f"r.{suffix}", report).table()
    (finding,) = report.errors
    assert finding.rule.name == "array-too-large"
    assert f"more than {size - 1}" in finding.message
    assert "--limit array_bytes=" in (finding.hint or "")


@pytest.mark.parametrize("suffix", ["csv", "npz", "parquet"])
def test_blocks_are_limited(folder: Path, suffix: str) -> None:
    report = Report(limits=Limits(array_bytes=8))
    with pytest.raises(RecordingError):
        list(open_recording(folder / f"r.{suffix}", report).rows())
    assert [finding.rule.name for finding in report.errors] == ["array-too-large"]
