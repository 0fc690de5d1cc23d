"""``ossature state``, and simulations that begin at a state."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import ossature
from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.kinematics import poses
from ossature.recordings import open_recording, open_writer
from ossature.recordings.journal import JournalWriter
from ossature.recordings.plot_panels import draw_panels
from ossature.recordings.state_conversion import states_of_rows

pytest.importorskip("pyarrow")

PENDULUM = str(PROJECT / "examples" / "double_pendulum.skel")
CRANK = str(PROJECT / "examples" / "slider_crank.yaml")
HEAP = str(PROJECT / "examples" / "contact.skel")
PALLETIZER = str(PROJECT / "examples" / "palletizer.urdf")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def fine(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def crank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crank")
    for suffix in ("usdf", "parquet"):
        fine("simulate", CRANK, "--duration", 0.4, "--sample-interval", 0.01, "--record", folder / f"run.{suffix}")
    fine("simulate", CRANK, "--duration", 0.2, "--save-state", folder / "half.usdf")
    fine("simulate", CRANK, "--duration", 0.4, "--save-state", folder / "whole.usdf")
    return folder


def test_a_simulation_goes_on_exactly(crank: Path, tmp_path: Path) -> None:
    begin = ("simulate", CRANK, "--initial-state", crank / "half.usdf", "--duration", 0.2)
    fine(*begin, "--save-state", tmp_path / "again.usdf")
    assert (tmp_path / "again.usdf").read_text() == (crank / "whole.usdf").read_text()
    assert "no differences" in fine("state", "diff", tmp_path / "again.usdf", crank / "whole.usdf")


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


FLOATING = """<sdf version="1.8"><model name="m"><link name="l"><inertial><mass>1</mass></inertial></link></model></sdf>"""
ELSEWHERE = """<world_state name="w"><model_state name="m"><parent>world</parent>
<pose>1 2 3 0 0 0</pose><twist>0 0 0 0 0 0</twist>
</model_state></world_state>"""


def test_a_state_with_other_poses_of_models(tmp_path: Path) -> None:
    """`state show --model` and the viewer place models as `simulate` does."""
    pytest.importorskip("viser")
    from ossature.viewer.live_simulation import LiveSimulation

    model, state = tmp_path / "m.sdf", tmp_path / "s.usdf"
    model.write_text(FLOATING)
    state.write_text(ELSEWHERE)
    shown = json.loads(fine("state", "show", state, "--model", model, "--json"))
    assert shown["energy"]["potential"] == pytest.approx(-3.0 * ossature.load(model).gravity[2])
    world = ossature.load(model)
    live = LiveSimulation(world, ossature.MeshStore.of(world), {}, ossature.load_state(state))
    assert live.frame().poses["m"]["l"].position == (1.0, 2.0, 3.0)


def test_show_tells_contacts_and_limits(tmp_path: Path) -> None:
    fine("simulate", HEAP, "--duration", 0.3, "--save-state", tmp_path / "heap.usdf")
    shown = json.loads(fine("state", "show", tmp_path / "heap.usdf", "-m", HEAP, "--json"))
    assert ["ground/floor", "box/box body"] in [contact["bodies"] for contact in shown["contacts"]]
    arm = PROJECT / "examples" / "arm.skel"
    fine("state", "extract", arm, tmp_path / "arm.usdf")
    state = (tmp_path / "arm.usdf").read_text()
    assert "<joint_state" in state


def test_diff(crank: Path) -> None:
    assert run("state", "diff", crank / "run.usdf", crank / "run.parquet", "--tolerance", 1e-12).exit_code == 0
    result = run("state", "diff", crank / "half.usdf", crank / "whole.usdf", "--json", "--tolerance", 1e-3)
    assert result.exit_code == 1
    found = {(row["path"], row["quantity"]): row["amount"] for row in json.loads(result.stdout)}
    assert found["", "time"] == pytest.approx(0.2)
    assert found["slider crank/crank", "rotation"] > 0.1


def test_differences_have_units(crank: Path) -> None:
    lines = run("state", "diff", crank / "half.usdf", crank / "whole.usdf").stdout.splitlines()
    assert lines[0] == "time differs by 0.2 s"
    assert any(re.fullmatch(r"slider crank/crank: rotation differs by \S+ rad", line) for line in lines)
    assert any(re.fullmatch(r"slider crank/pin: positions differ by \S+ m or rad", line) for line in lines)


def test_a_missing_sample_is_the_only_message(crank: Path) -> None:
    result = run("state", "diff", crank / "run.parquet", crank / "run.parquet", "--sample-number", 99)
    assert result.exit_code == 1
    assert re.fullmatch(r"error: \S+: no such sample; the file has samples 0 to 40, .*\n", result.stderr, re.DOTALL)


def test_an_initial_position_is_distinguished_from_its_limit(tmp_path: Path) -> None:
    text = (PROJECT / "examples" / "arm.skel").read_text()
    assert "<init_pos>0.5</init_pos>" in text
    (finding,) = ossature.check(text.replace("<init_pos>0.5</init_pos>", "<init_pos>1.90000015</init_pos>")).warnings
    expected = "joint 'lift' starts 1.5e-07 outside of its limits -1.9 to 1.9: a simulation moves it back to 1.9"
    assert finding.message == expected


def test_apply(tmp_path: Path) -> None:
    fine("simulate", HEAP, "--duration", 0.25, "--record", tmp_path / "heap.npz")
    fine("state", "apply", tmp_path / "heap.npz", HEAP, tmp_path / "later.skel")
    placed = poses(ossature.load(tmp_path / "later.skel"))
    last = open_recording(tmp_path / "heap.npz", Report()).table()[-1]
    columns = open_recording(tmp_path / "heap.npz", Report()).header.columns
    for quantity, where in columns.slices:
        if quantity.field == "position":
            assert np.allclose(placed[quantity.model][quantity.name].position, last[where], atol=1e-9)


SWINGING = """<robot name="arm"><link name="base"/><link name="l1"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".skel", ".yaml", ".dae", ".xml", ".usda"])
def test_apply_writes_only_files_that_start_in_the_state(suffix: str, tmp_path: Path) -> None:
    model, state, out = tmp_path / "arm.urdf", tmp_path / "s.usdf", tmp_path / f"out{suffix}"
    model.write_text(SWINGING, "utf-8")
    fine("simulate", model, "--float-base", "--joint", "j=0.5", "--duration", 0.1, "--save-state", state)
    result = run("state", "apply", state, model, out)
    if suffix in {".urdf", ".sdf"}:
        assert result.exit_code == 1
        assert "dropped: arm/j.coordinates[0].initial_position (0.5 rad)" in result.stderr
        assert "is not written, because it could not start in the state" in result.stderr
        assert not out.exists()
        fine("state", "apply", state, model, out, "--ignore-mismatch")
    else:
        assert result.exit_code == 0, result.output
    assert out.exists()


def test_apply_writes_a_state_of_rest_to_files_without_initial_positions(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(SWINGING, "utf-8")
    fine(
        *("simulate", tmp_path / "arm.urdf", "--float-base", "--gravity", 0, 0, 0, "--duration", 0.1),
        *("--save-state", tmp_path / "s.usdf"),
    )
    fine("state", "apply", tmp_path / "s.usdf", tmp_path / "arm.urdf", tmp_path / "out.urdf")


def test_apply_moves_bodies_on_free_joints_to_their_poses(tmp_path: Path) -> None:
    """OpenUSD has no free joint: the poses and velocities of the bodies are those of the state."""
    pytest.importorskip("pxr", reason="the extra usd is not installed")
    fine("simulate", HEAP, "--duration", 0.25, "--record", tmp_path / "heap.npz")
    fine("state", "apply", tmp_path / "heap.npz", HEAP, tmp_path / "later.usda")
    placed = poses(ossature.load(tmp_path / "later.usda"))
    last = open_recording(tmp_path / "heap.npz", Report()).table()[-1]
    found = {body: pose for bodies in placed.values() for body, pose in bodies.items()}
    columns = open_recording(tmp_path / "heap.npz", Report()).header.columns
    for quantity, where in columns.slices:
        if quantity.field == "position" and quantity.name in found:
            assert np.allclose(found[quantity.name].position, last[where], atol=1e-6)


def with_displaced_rod(crank: Path, folder: Path) -> Path:
    """Return a state in which the rod is apart from the crank."""
    half = (crank / "half.usdf").read_text("utf-8")
    path = folder / "half.usdf"
    displaced = re.sub(r'(<link_state name="rod">.*?<pose[^>]*>)\S+', r"\g<1>0.9", half, count=1, flags=re.DOTALL)
    path.write_text(displaced, "utf-8")
    return path


def test_apply_refuses_what_cannot_begin_elsewhere(crank: Path, tmp_path: Path) -> None:
    half = (crank / "half.usdf").read_text("utf-8")
    elsewhere = tmp_path / "elsewhere.usdf"
    elsewhere.write_text(
        re.sub(r'(<link_state name="rod">.*?<pose[^>]*>)\S+', r"\g<1>0.9", half, count=1, flags=re.DOTALL), "utf-8"
    )
    result = run("state", "apply", elsewhere, CRANK, tmp_path / "out.yaml")
    assert result.exit_code == 1
    assert "'slider crank/pin' would be displaced by" in result.stderr
    assert not (tmp_path / "out.yaml").exists()
    result = run("state", "apply", crank / "half.usdf", HEAP, tmp_path / "out.skel")
    assert "there is no model 'slider crank'" in result.stderr


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


def test_plot(crank: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    fine("state", "plot", crank / "run.usdf", tmp_path / "run.svg", "--name", "slider")
    assert "joint position" in (tmp_path / "run.svg").read_text()
    assert run("state", "plot", crank / "run.usdf", tmp_path / "no.svg", "--name", "nobody").exit_code == 1


def test_what_is_asked_wrongly(crank: Path, tmp_path: Path) -> None:
    assert run("simulate", CRANK, "--record", tmp_path / "run.xls").exit_code == 2
    assert run("simulate", CRANK, "--save-state", tmp_path / "run.xml").exit_code == 2
    assert run("simulate", HEAP, "--initial-state", crank / "half.usdf").exit_code == 1
    assert run("state", "show", tmp_path / "missing.usdf").exit_code == 1
    assert run("state", "show", crank / "run.usdf", "-n", 1000).exit_code == 1
    assert run("state", "resample", crank / "run.usdf", crank / "run.usdf").exit_code == 2
    assert "unexpected-content" in run("info", crank / "half.usdf").stderr


def recorded(folder: Path, suffix: str) -> Path:
    file = folder / f"run{suffix}"
    assert run("simulate", PENDULUM, "--duration", 0.1, "--sample-interval", 0.01, "--record", file).exit_code == 0
    return file


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


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    file = recorded(tmp_path, ".csv")
    before = file.read_bytes()
    link = tmp_path / "link.csv"
    link.hardlink_to(file)
    state = tmp_path / "state.usdf"
    run("state", "extract", file, state)
    for arguments in (
        ("state", "resample", file, link, "--sample-interval", 0.02),
        ("simulate", PENDULUM, "--initial-state", file, "--record", file),
        ("simulate", PENDULUM, "--record", state, "--save-state", state),
        ("simulate", PENDULUM, "--record", tmp_path),
        ("simulate", PENDULUM, "--record", tmp_path / "missing" / "run.csv"),
        ("simulate", PENDULUM, "--save-state", tmp_path / "missing" / "end.usdf"),
        ("state", "extract", file, link),
        ("state", "plot", file, link),
    ):
        result = run(*arguments)
        assert result.exit_code == 2, (arguments, result.stderr)
        assert "error" in result.stderr
        assert file.read_bytes() == before


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


def test_a_folder_is_no_recording(tmp_path: Path) -> None:
    result = run("state", "show", tmp_path)
    assert result.exit_code == 1
    assert "folder" in result.stderr


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


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--record", "nowhere/run.json", "the folder does not exist"),
        ("--save-state", "nowhere/end.usdf", "the folder does not exist"),
        ("--plot", "nowhere/run.png", "the folder does not exist"),
        ("--save-world", "nowhere/end.skel", "the folder does not exist"),
        ("--plot", "run.xyz", "plots are written as"),
        ("--record", "run.xyz", "unsupported recording format"),
        ("--save-world", "end.xyz", "format"),
        ("--save-state", "", "this is a folder"),
    ],
)
def test_outputs_are_looked_at_before_anything_is_simulated(option: str, name: str, message: str, tmp_path: Path) -> None:
    result = run("simulate", PENDULUM, "--duration", "1e9", option, tmp_path / name)
    assert result.exit_code == 2
    assert message in result.output


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere/run\.png"):
        draw_panels(np.zeros(2), {"x": [("y", np.zeros(2))]}, tmp_path / "nowhere" / "run.png")
    with pytest.raises(ValueError, match="xyz"):
        draw_panels(np.zeros(2), {}, tmp_path / "run.xyz")
    assert not list(tmp_path.iterdir())


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


@pytest.mark.parametrize("command", ["apply", "extract"])
def test_models_and_states_are_not_written_over(command: str, tmp_path: Path) -> None:
    model, state = tmp_path / "heap.skel", tmp_path / "state.usdf"
    model.write_bytes(Path(HEAP).read_bytes())
    fine("state", "extract", model, state)
    before = state.read_bytes()
    inputs = (state, model) if command == "apply" else (state,)
    for read in inputs:
        result = run("state", command, *inputs, read)
        assert result.exit_code == 2, result.output
        assert "is given twice" in result.stderr
    assert model.read_bytes() == Path(HEAP).read_bytes()
    assert state.read_bytes() == before


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


def place_in(file: Path, text: str) -> str:
    """Return the file, line and column of a text."""
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if text in line:
            return f"{file}:{number}:{line.index(text) + 1}"
    raise AssertionError(text)


def test_a_body_that_does_not_exist_is_located(tmp_path: Path) -> None:
    state = tmp_path / "state.usdf"
    fine("state", "extract", HEAP, state)
    name = re.search(r'<link_state name="(.*?)">', state.read_text())
    assert name is not None
    state.write_text(state.read_text().replace(name[0], '<link_state name="ghost">', 1))
    place = place_in(state, '<link_state name="ghost">')
    for command in (("simulate", HEAP, "--duration", 0.01), ("pose", HEAP)):
        result = run(*command, "--initial-state", state)
        assert result.exit_code == 1, result.output
        assert f"the state does not fit: {place}: " in result.stderr
        assert "has no body 'ghost'" in result.stderr


def test_what_does_not_fit_is_told(crank: Path, tmp_path: Path) -> None:
    place = place_in(crank / "half.usdf", '<model_state name="slider crank">')
    missing = f"{place}: not applied: there is no model 'slider crank'"
    nothing = "warning: no body and no joint of the state"
    for arguments in (
        ("state", "apply", crank / "half.usdf", HEAP, tmp_path / "out.skel"),
        ("simulate", HEAP, "--duration", 0.01, "--initial-state", crank / "half.usdf"),
    ):
        result = run(*arguments, "--ignore-mismatch")
        assert result.exit_code == 0, result.output
        assert f"warning: {missing}" in result.stderr
        assert nothing in result.stderr
        refused = run(*arguments)
        assert refused.exit_code == 1, refused.output
        assert f"error: the state does not fit: {place}: there is no model 'slider crank'" in refused.stderr
    apart = with_displaced_rod(crank, tmp_path)
    result = run("state", "apply", apart, CRANK, tmp_path / "out.yaml", "--ignore-mismatch")
    assert re.search(r"warning: .*half\.usdf:2:1: not applied: 'slider crank/", result.stderr)
    assert nothing not in result.stderr
    result = run("simulate", CRANK, "--duration", 0.01, "--initial-state", crank / "half.usdf", "--ignore-mismatch")
    assert "warning" not in result.stderr


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


@pytest.mark.parametrize("options", [("--sample-interval", 0.01), ("--ignore-mismatch",), ("--no-apply-forces",)])
def test_options_that_would_do_nothing(options: tuple[object, ...]) -> None:
    result = run("simulate", PENDULUM, "--duration", 0.01, *options)
    assert result.exit_code == 2
    assert str(options[0]) in result.stderr


def test_a_picture_of_nothing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    fine("simulate", PENDULUM, "--duration", 0, "--record", tmp_path / "short.csv")
    result = run("state", "plot", tmp_path / "short.csv", tmp_path / "out.svg")
    assert result.exit_code == 1
    assert result.stderr == "error: no column changes\n"
    result = run("state", "plot", tmp_path / "short.csv", tmp_path / "out.svg", "--name", "x")
    assert "no column of that name changes" in result.stderr
    result = run("state", "plot", tmp_path / "short.csv", tmp_path / "out.svg", "--name", "*")
    assert "no column has a name that contains '*': valid: " in result.stderr


def test_names_that_a_font_lacks_are_drawn_in_silence(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw_panels(np.arange(2.0), {"x": [("腕/肘", np.arange(2.0))]}, tmp_path / "run.png")
    assert (tmp_path / "run.png").exists()


def test_tables_mark_order_bytes_and_other_archives(tmp_path: Path) -> None:
    file = recorded(tmp_path, ".csv")
    marked = tmp_path / "marked.csv"
    marked.write_bytes("\ufeff".encode() + file.read_bytes())
    assert open_recording(marked, Report()).table().tobytes() == open_recording(file, Report()).table().tobytes()
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    result = run("state", "show", tmp_path / "other.npz")
    assert result.exit_code == 1
    assert "the archive is not an Ossature recording: it has no array 'ossature'" in result.stderr


def test_joints_without_numbers_make_no_difference(tmp_path: Path) -> None:
    for suffix in ("usdf", "csv"):
        fine("simulate", PALLETIZER, "--duration", 0.02, "--record", tmp_path / f"run.{suffix}")
    result = run("state", "diff", tmp_path / "run.usdf", tmp_path / "run.csv", "--tolerance", 1e-9)
    assert "the joint" not in result.stdout


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


CARRIED_ROBOT = """<robot name="r">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>"""
CARRIED_STATE = """<world_state name="w">
  <model_state name="r"><parent>turntable</parent><pose>1 0 0 0 0 0</pose></model_state>
  <frame name="turntable"><pose>1 0 0 0 0 1.5707963267948966</pose><twist>0 0 0 0 0 2</twist></frame>
</world_state>"""


def test_a_model_frame_that_moves_carries_a_floating_robot(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(CARRIED_ROBOT)
    (tmp_path / "carried.usdf").write_text(CARRIED_STATE)
    state = tmp_path / "carried.usdf"
    begin = ("simulate", tmp_path / "r.urdf", "--initial-state", state, "--gravity", 0, 0, 0, "--duration", 0)
    base = json.loads(fine(*begin, "--float-base", "--json"))["final"]["bodies"]["r"]["base"]
    np.testing.assert_allclose(base["position"], (1.0, 1.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(base["linear_velocity"], (-2.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(base["angular_velocity_body"], (0.0, 0.0, 2.0), atol=1e-12)
    attached = run(*begin, "--fix-base")
    assert attached.exit_code == 1
    assert "the frame of model 'r' moves, but joint 'base_fixed' connects it to the world" in attached.output


def test_a_state_places_a_fixed_robot(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(CARRIED_ROBOT)
    (tmp_path / "placed.usdf").write_text(CARRIED_STATE.replace("<twist>0 0 0 0 0 2</twist>", ""))
    begin = ("simulate", tmp_path / "r.urdf", "--fix-base", "--initial-state", tmp_path / "placed.usdf", "--duration", 0)
    bodies = json.loads(fine(*begin, "--json"))["final"]["bodies"]["r"]
    np.testing.assert_allclose(bodies["arm"]["position"], (1.0, 1.0, 0.0), atol=1e-12)
