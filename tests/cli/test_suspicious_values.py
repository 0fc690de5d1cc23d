"""Notes about degrees and positions outside of limits in options, and outputs that would replace their input."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import PROJECT
from ossature.cli.app import app

ARM = str(PROJECT / "examples" / "arm.skel")  # its elbow is limited to 2.4 rad
PICKER = str(PROJECT / "examples" / "picker.dae")
NOTE = "joint 'elbow': 90 rad is outside of its limits -2.4 to 2.4 rad; 90° would be 1.5708"


@pytest.mark.parametrize(
    ("command", "options"),
    [("pose", ["--json"]), ("render", ["a.png", "--size", "40x30"]), ("view", ["--export", "a.html"]), ("convert", ["a.sdf"])],
)
def test_degrees_of_joints_are_noted(command: str, options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, [command, ARM, *options, "--joint", "elbow=90"])
    assert result.exit_code == 0
    assert NOTE in result.stderr
    if command == "pose":
        assert json.loads(result.stdout)


@pytest.mark.parametrize(("value", "is_noted"), [("2.4", False), ("-2.4000000001", False), ("2.5", True), ("-90", True)])
def test_only_positions_outside_of_limits_are_noted(value: str, is_noted: bool) -> None:
    result = CliRunner().invoke(app, ["pose", ARM, "--joint", f"elbow={value}"])
    assert ("outside of its limits" in result.stderr) is is_noted


def test_angles_of_joints_without_limits_are_noted_from_two_turns(tmp_path: Path) -> None:
    wheel = '<joint name="axle" type="continuous"><parent link="a"/><child link="b"/></joint>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a"/><link name="b"/>{wheel}</robot>')
    notes = {
        value: CliRunner().invoke(app, ["pose", str(tmp_path / "r.urdf"), "-j", f"axle={value}"]).stderr for value in (9, 90)
    }
    assert "note" not in notes[9]
    assert "joint 'axle': 90 rad are 14.3 turns; 90° would be 1.5708" in notes[90]


MIMIC = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="k" type="continuous"><parent link="b"/><child link="c"/><mimic joint="j" multiplier="-0.5" offset="0.3"/></joint>
</robot>"""


@pytest.mark.parametrize(
    ("command", "note"),
    [
        (["pose"], "the coupling is not applied"),
        (["simulate", "--infer-inertia", "--duration", "0"], "the position is ignored"),
        (["convert", "out.skel"], "the position is ignored"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_positions_that_contradict_a_coupling_are_noted(
    command: list[str], note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.urdf").write_text(MIMIC)
    for values, is_noted in ((["k=0.4"], True), (["j=1", "k=-0.2"], False), (["k=0.3"], False), (["j=1"], False)):
        options = [word for value in values for word in ("-j", value)]
        result = CliRunner().invoke(app, [command[0], "r.urdf", *command[1:], *options])
        assert (f"joint 'k' is coupled to other joints, which give 0.3 rad, not 0.4: {note}" in result.stderr) is is_noted
        assert ("is coupled" in result.stderr) is is_noted


@pytest.mark.parametrize(("rotation", "is_noted"), [("180,0,0", True), ("3.14159,0,0", False), ("0,0,0,50", False)])
def test_degrees_of_targets_are_noted(rotation: str, is_noted: bool) -> None:
    result = CliRunner().invoke(app, ["ik", PICKER, "--target", f"transform6d:0.4,0.2,0.6,{rotation}"])
    assert ("180° would be 3.14159" in result.stderr) is is_noted


def test_a_value_that_is_no_number_is_shown_with_the_units() -> None:
    result = CliRunner().invoke(app, ["pose", ARM, "--joint", "elbow=90deg"])
    assert result.exit_code == 2
    assert "with numbers in rad or m, not '90deg'" in result.stderr


@pytest.mark.parametrize("target", ["arm.skel", "./sub/../arm.skel", "none/arm.urdf"])
def test_a_conversion_does_not_replace_its_input(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    shutil.copy(ARM, "arm.skel")
    result = CliRunner().invoke(app, ["convert", "arm.skel", target])
    assert result.exit_code == 2
    assert Path("arm.skel").read_bytes() == Path(ARM).read_bytes()


@pytest.mark.parametrize(
    ("duration", "step", "note"),
    [
        ("1", "10", "note: 1 s is no whole number of steps of 10 s: 0 s are simulated"),
        ("0.0015", "0.001", "note: 0.0015 s is no whole number of steps of 0.001 s: 0.002 s are simulated"),
        ("0.003", "0.001", None),
        ("0", "0.001", None),
    ],
)
def test_a_duration_that_is_rounded_is_noted(duration: str, step: str, note: str | None) -> None:
    result = CliRunner().invoke(app, ["simulate", ARM, "--duration", duration, "--time-step", step])
    assert ("whole number of steps" in result.stderr) is (note is not None)
    assert note is None or note in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["simulate", ARM, "--initial-state", "home"], "no file and no keyframe 'home': the model has no keyframes"),
        (
            ["simulate", ARM, "--initial-state", ARM],
            "this is a model in the format skel, not a recording or the state of a world",
        ),
        (["state", "show", PICKER], "this is a model in the format collada, not a recording or the state of a world"),
        (["state", "show", "none.foo"], "no such file"),
    ],
)
def test_other_files_than_states_are_named(options: list[str], message: str) -> None:
    result = CliRunner().invoke(app, options)
    assert result.exit_code != 0
    assert message in result.stderr
