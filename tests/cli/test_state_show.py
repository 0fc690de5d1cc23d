"""``ossature state show``, and the samples of a recording that commands choose."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cli.state_commands import CRANK, HEAP, fine, recorded, run
from conftest import PROJECT
from ossature.diagnostics import Report
from ossature.recordings import open_recording

pytest.importorskip("pyarrow")


def test_show(crank: Path) -> None:
    shown = json.loads(fine("state", "show", crank / "run.usdf", "--time", 0.2, "--model", CRANK, "--json"))
    assert shown["samples"] == 41
    assert shown["time"] == pytest.approx(0.2)
    assert 0.0 < shown["violation"] < 1e-5
    assert shown["energy"]["kinetic"] > 0.0
    assert not shown["exact_restart"]
    text = fine("state", "show", crank / "run.parquet", "--sample-number", 0)
    assert "slider crank at 0 s" in text
    assert "position in the world [m]" in text


def test_show_tells_contacts_and_limits(tmp_path: Path) -> None:
    fine("simulate", HEAP, "--duration", 0.3, "--save-state", tmp_path / "heap.usdf")
    shown = json.loads(fine("state", "show", tmp_path / "heap.usdf", "-m", HEAP, "--json"))
    assert ["ground/floor", "box/box body"] in [contact["bodies"] for contact in shown["contacts"]]
    arm = PROJECT / "examples" / "arm.skel"
    fine("state", "extract", arm, tmp_path / "arm.usdf")
    state = (tmp_path / "arm.usdf").read_text()
    assert "<joint_state" in state


def test_show_promises_no_more_than_a_simulation_keeps(crank: Path, tmp_path: Path) -> None:
    exact = "from this state is bit-exact"
    rounded = "from this state is not bit-exact"
    assert exact in fine("state", "show", crank / "half.usdf")
    assert exact in fine("state", "show", crank / "half.usdf", "--model", CRANK)
    edited = tmp_path / "edited.usdf"
    edited.write_text((crank / "half.usdf").read_text().replace('time="0.2', 'time="0.3', 1))
    assert edited.read_text() != (crank / "half.usdf").read_text()
    for options in ((), ("--model", CRANK)):
        assert rounded in fine("state", "show", edited, *options)
        assert not json.loads(fine("state", "show", edited, *options, "--json"))["exact_restart"]
    other = tmp_path / "other.yaml"
    other.write_text(Path(CRANK).read_text().replace("mass: ", "mass: 1"))
    shown = run("state", "show", crank / "half.usdf", "--model", other, "--ignore-mismatch")
    assert shown.exit_code == 0, shown.output
    assert rounded in shown.stdout
    assert f"warning: {crank / 'half.usdf'}:2:1: not applied: model 'slider crank' was another one" in shown.stderr


def test_huge_numbers_are_short(tmp_path: Path) -> None:
    state = tmp_path / "far.usdf"
    state.write_text(
        '<world_state name="w"><model_state name="m"><pose>0 0 0 0 0 0</pose><link_state name="l">'
        "<pose>1e300 1234567.25 0.5 0 0 0</pose><twist>1e200 0 0 0 0 0</twist></link_state></model_state></world_state>"
    )
    shown = fine("state", "show", state)
    assert "1e+300 1234567.25  0.5000" in shown
    assert "1e+200" in shown
    assert max(map(len, shown.splitlines())) < 120


def test_a_sample_is_chosen_once(crank: Path, tmp_path: Path) -> None:
    file, out = crank / "run.usdf", tmp_path / "out.usdf"
    for command, *others in (("show", file), ("extract", file, out), ("diff", file, file), ("apply", file, CRANK, out)):
        for options in (("-n", 1, "-t", 0.1), ("-t", "nan")):
            result = run("state", command, *others, *options)
            assert result.exit_code == 2, result.output
            assert "--time" in result.stderr
    for option in ("-t", "-n"):
        result = run("state", "extract", HEAP, out, option, 0)
        assert result.exit_code == 2
        assert "is a model file" in result.stderr
    assert not out.exists()


@pytest.mark.parametrize("options", [("-n", 1000), ("-n", -1000), ("-t", -1)])
def test_samples_that_are_missing(options: tuple[object, ...], crank: Path, tmp_path: Path) -> None:
    for arguments in (("show", crank / "run.parquet"), ("extract", crank / "run.parquet", tmp_path / "out.usdf")):
        result = run("state", *arguments, *options)
        assert result.exit_code == 1
        assert "no such sample; the file has samples 0 to 40, from 0 to 0.4 s" in result.stderr


def test_of_a_single_state_there_is_one_sample(crank: Path) -> None:
    assert "the file has only sample 0, at 0.2 s" in run("state", "show", crank / "half.usdf", "-n", 1).stderr
    timeless = PROJECT / "examples" / "pr2_state.usdf"
    assert "the file has only one state, without a time stamp" in run("state", "show", timeless, "-n", 1).stderr


def test_a_folder_is_no_recording_and_neither_is_nothing(tmp_path: Path) -> None:
    result = run("state", "show", tmp_path)
    assert result.exit_code == 1
    assert "folder" in result.stderr
    assert run("state", "show", tmp_path / "missing.usdf").exit_code == 1


def test_tables_mark_order_bytes_and_other_archives(tmp_path: Path) -> None:
    file = recorded(tmp_path, ".csv")
    marked = tmp_path / "marked.csv"
    marked.write_bytes("\ufeff".encode() + file.read_bytes())
    assert open_recording(marked, Report()).table().tobytes() == open_recording(file, Report()).table().tobytes()
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    result = run("state", "show", tmp_path / "other.npz")
    assert result.exit_code == 1
    assert "the archive is not an Ossature recording: it has no array 'ossature'" in result.stderr
