"""The commands as their users run them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import ossature
from complete_robot import TETRAHEDRON, robot
from conftest import PROJECT
from ossature.assets import MeshStore
from ossature.cli import convert
from ossature.cli.app import app
from ossature.cli.commands import ALL, make_app, named_commands
from ossature.kinematics import poses
from ossature.rule_catalogue import all_rules

ARM = PROJECT / "examples" / "arm.skel"
CONTACT = PROJECT / "examples" / "contact.skel"
CRANK = PROJECT / "examples" / "slider_crank.yaml"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.skel"
    path.write_text(ARM.read_text().replace("<damping>0.5</damping>", "<damping>much</damping>"))
    return path


def test_version() -> None:
    done = subprocess.run([sys.executable, "-m", "ossature", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"ossature {ossature.__version__}\n"


def test_imports_are_lazy() -> None:
    unused = {"mujoco", "trimesh", "rich", "typer", "ossature.formats.urdf", "ossature.formats.usdf"}
    code = f"import sys, ossature, ossature.linting.check_file; ossature.load; print(sorted({unused} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_and_completion_load_no_models() -> None:
    code = "import sys, ossature.cli.app; print(sorted({'numpy', 'ossature.model', 'ossature.kinematics'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ALL)
def test_a_command_alone_has_the_help_that_it_has_among_all(name: str) -> None:
    arguments = [name, "--help"]
    alone, among_all = (CliRunner().invoke(each, arguments) for each in (make_app(named_commands(arguments)), app))
    assert alone.exit_code == 0
    assert alone.stdout == among_all.stdout


def test_a_command_loads_no_others() -> None:
    code = "import sys; from ossature.cli import main; sys.argv[1:] = ['formats', '--help']; main()"
    done = subprocess.run([sys.executable, "-v", "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in ALL if f"import 'ossature.cli.{name}'" in done.stderr}
    assert loaded == {"formats"}


@pytest.mark.parametrize("arguments", [[], ["--help"], ["compose", "a", "b"], ["unknown", "a"], ["-V", "check"]])
def test_all_commands_are_there_where_none_is_named_first(arguments: list[str]) -> None:
    assert named_commands(arguments) == ALL


@pytest.mark.parametrize("suffix", [".skel", ".yaml"])
def test_convert_writes_triangles_beside(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert, "load_world", lambda *arguments, **options: robot())
    run("convert", ARM, tmp_path / f"arm{suffix}", "--verify")
    assert [path.name for path in (tmp_path / "arm_meshes").iterdir()] == ["base_0.obj"]
    again = ossature.load(tmp_path / f"arm{suffix}")
    bodies = [body for model in again.models for body in model.bodies if body.name in ("base", "upper", "hand")]
    assert len(bodies) == 3
    for body in bodies:
        assert MeshStore.of(again).triangles(body.visuals[0].geometry) == TETRAHEDRON  # type: ignore[arg-type]


def test_info() -> None:
    output = run("info", ARM).stdout
    assert "6 bodies, 6 joints, 6 degrees of freedom" in output
    data = json.loads(run("info", ARM, "--json").stdout)
    assert data["models"][1]["joints"][1]["type"] == "revolute"


def test_check(broken: Path) -> None:
    assert "computed-inertia" in run("check", ARM).stdout
    output = run("check", broken, code=1).stdout
    assert f"{broken}:127:21: error[invalid-number]: <damping> is 'much', not a number" in output


@pytest.mark.parametrize("name", ["json", "sarif", "github"])
def test_check_for_programs(name: str, broken: Path) -> None:
    output = run("check", broken, "--format", name, code=1).stdout
    assert "invalid-number" in output
    if name != "github":
        json.loads(output)


def test_check_strict(tmp_path: Path) -> None:
    path = tmp_path / "warned.skel"
    path.write_text(ARM.read_text().replace("<marker", "<marcer").replace("</marker", "</marcer"))
    run("check", path)
    run("check", path, "--strict", code=1)


def test_pose() -> None:
    data = json.loads(run("pose", ARM, "--joint", "elbow=1.2", "--joint", "arm/wrist=0.1,0.2", "--json").stdout)
    expected = poses(ossature.load(ARM), {"arm": {"elbow": [1.2], "wrist": [0.1, 0.2]}})
    for model, bodies in expected.items():
        for body, pose in bodies.items():
            np.testing.assert_array_equal(data[model][body], pose.matrix())
    assert "arm/hand" in run("pose", ARM).stdout


@pytest.mark.parametrize("joint", ["elbow", "elbow=x", "elbo=1", "elbow=1,2", "=1"])
def test_pose_with_a_bad_joint(joint: str) -> None:
    result = run("pose", ARM, "--joint", joint, code=2)
    assert "error" in result.stderr


def test_convert_to_skel(tmp_path: Path) -> None:
    output = tmp_path / "again.skel"
    result = run("convert", ARM, output, "--verify", "--ledger", tmp_path / "ledger.json")
    assert "verified" in result.stderr
    assert {entry["action"] for entry in json.loads((tmp_path / "ledger.json").read_text())} == {"omitted"}
    assert ossature.load(output) == ossature.load(ARM)


def test_convert_to_mjcf(tmp_path: Path) -> None:
    result = run("convert", ARM, tmp_path / "arm.xml")
    assert "approximated: arm/grip.actuation" in result.stderr
    assert (tmp_path / "arm.xml").read_text().startswith("<mujoco model=")
    run("convert", ARM, tmp_path / "compiled.xml", "--compiled")
    assert (tmp_path / "compiled.xml").read_text().startswith("<?xml")
    run("convert", ARM, tmp_path / "still.xml", "--actuators", "none")
    assert "<actuator>" not in (tmp_path / "still.xml").read_text()
    run("convert", ARM, tmp_path / "arm.xml", "--actuators", "muscle", code=2)
    run("convert", ARM, tmp_path / "strict.xml", "--strict", code=1)
    assert not (tmp_path / "strict.xml").exists()


def test_convert_leaves_no_half_files(tmp_path: Path) -> None:
    output = tmp_path / "absent" / "out.skel"
    run("convert", ARM, output, code=2)
    run("convert", ARM, tmp_path / "out.unknown", code=2)
    run("convert", ARM, tmp_path / "out.skel", "--output-format", "skell", code=2)
    assert list(tmp_path.iterdir()) == []


def test_convert_of_a_broken_file_writes_nothing(broken: Path, tmp_path: Path) -> None:
    run("convert", broken, tmp_path / "out.skel", code=1)
    assert not (tmp_path / "out.skel").exists()


def test_a_conversion_as_json(tmp_path: Path) -> None:
    """The findings are those of `check`, and the ledger is that of the file of --ledger."""
    output, ledger = tmp_path / "arm.sdf", tmp_path / "ledger.json"
    done = json.loads(run("convert", ARM, output, "--json", "--verify", "--ledger", ledger).stdout)
    assert done["findings"] == json.loads(run("check", ARM, "--format", "json").stdout)
    assert done["ledger"] == json.loads(ledger.read_text())
    assert (done["format"], done["written"], done["error"], done["lossless"]) == ("sdf", [str(output)], None, False)
    assert done["differences"] == []
    again = json.loads(run("convert", ARM, tmp_path / "again.skel", "--json").stdout)
    assert again["lossless"]


def test_a_conversion_that_writes_nothing_as_json(broken: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.sdf"
    done = json.loads(run("convert", ARM, output, "--json", "--strict", code=1).stdout)
    assert "not lossless" in done["error"]
    assert {entry["action"] for entry in done["ledger"]} >= {"dropped"}
    assert done["written"] == []
    done = json.loads(run("convert", broken, output, "--json", code=1).stdout)
    assert done["findings"] == json.loads(run("check", broken, "--format", "json", code=1).stdout)
    assert (done["lossless"], done["written"], done["ledger"]) == (None, [], [])
    assert not output.exists()


def test_an_explanation_as_json() -> None:
    found = json.loads(run("explain", "bad-mass", "--json").stdout)
    assert (found["name"], found["code"], found["severities"]) == ("non-positive-mass", "MDL022", ["warning"])
    assert found["example"].startswith("ossature check model.skel\n")
    assert (
        found.items()
        >= next(rule for rule in json.loads(run("rules", "--json").stdout) if rule["name"] == found["name"]).items()
    )


PART = '<robot name="pen"><link name="tip"/></robot>'


def test_attach_to_a_link_by_its_name_or_path(tmp_path: Path) -> None:
    part, first, second = tmp_path / "pen.urdf", tmp_path / "first.urdf", tmp_path / "second.urdf"
    part.write_text(PART)
    palletizer = PROJECT / "examples" / "palletizer.urdf"
    robot = ossature.load(palletizer).models[0]
    for link, output in ((robot.bodies[-1].name, first), (f"{robot.name}/{robot.bodies[-1].name}", second)):
        run("attach", palletizer, part, output, "--at", link)
    assert first.read_text() == second.read_text()
    run("attach", palletizer, part, first, "--at", "palletizer/nothing", code=2)


def test_simulate(tmp_path: Path) -> None:
    record = tmp_path / "run.json"
    output = run("simulate", CONTACT, "--duration", "0.1", "--sample-interval", "0.05", "--record", record).stdout
    assert "100 steps of 0.001 s" in output
    samples = json.loads(record.read_text())["samples"]
    assert [sample["time"] for sample in samples] == pytest.approx([0.0, 0.05, 0.1])
    assert set(samples[0]["bodies"]["box"]["box body"]) == {
        "position",
        "wxyz",
        "linear_velocity",
        "angular_velocity_body",
    }
    final = json.loads(run("simulate", CONTACT, "--duration", "0.1", "--json").stdout)["final"]
    assert final["bodies"] == samples[-1]["bodies"]


def test_simulate_with_commands(tmp_path: Path) -> None:
    commands = tmp_path / "commands.csv"
    commands.write_text("time,arm/grip\n0,-0.01\n1,-0.01\n")
    result = run("simulate", ARM, "--duration", "1", "--command", commands, "--json")
    grip = json.loads(result.stdout)["final"]["joints"]["arm"]["grip"]
    assert grip["positions"][0] == pytest.approx(-0.01, abs=1e-6)
    commands.write_text("time,arm/gripper\n0,1\n")
    assert "did you mean 'arm/grip'?" in run("simulate", ARM, "--command", commands, code=1).stderr


def test_a_mechanism(tmp_path: Path) -> None:
    """From a Chrono file to a picture: what is in it, how it is stepped, what is recorded, and a command to its motor."""
    shown = run("info", CRANK).stdout
    assert "loop closed by universal wrist" in shown
    assert "motor drive" in shown
    assert json.loads(run("info", CRANK, "--json").stdout)["models"][0]["spring_dampers"] == ["spring"]
    record, plot = tmp_path / "run.csv", tmp_path / "run.svg"
    output = run("simulate", CRANK, "--duration", "0.2", "--record", record, "--plot", plot).stdout
    assert "integrator: leapfrog, second order" in output
    assert "loops closed to" in output
    head, *rows = record.read_text().splitlines()
    assert {"slider crank/spring.length", "slider crank/drive.torque", "energy.kinetic", "violation"} <= set(head.split(","))
    assert len(rows) == 21
    assert plot.read_text().startswith("<?xml")
    commands = tmp_path / "commands.csv"
    commands.write_text("time,slider crank/drive\n0,2\n1,2\n")
    run("simulate", CRANK, "--duration", "0.5", "--command", commands, "--record", tmp_path / "run.json")
    last = json.loads((tmp_path / "run.json").read_text())["samples"][-1]
    assert last["elements"]["slider crank"]["drive"]["angle"] == pytest.approx(1.0, abs=1e-7)
    assert set(last["reactions"]["slider crank"]["pin"]) == {"force", "torque"}


def test_a_chrono_file_is_verified(tmp_path: Path) -> None:
    done = run("convert", CRANK, tmp_path / "again.yaml", "--verify", "--strict")
    assert "verified" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["again.yaml"]
    (tmp_path / "arm_run.yaml").write_text("somebody else's")
    run("convert", ARM, tmp_path / "arm.yaml")
    assert (tmp_path / "arm_run.yaml").read_text() == "somebody else's"


def test_pose_closes_loops() -> None:
    """The crank is 0.3 m long and the rod 0.9 m; the motor guides the crank about -y."""
    by_crank = json.loads(run("pose", CRANK, "--joint", "drive=0.4", "--json").stdout)
    assert run("pose", CRANK, "--joint", "drive=0.4").stderr == ""
    slider = by_crank["slider crank"]["slider"][0][3]
    assert slider == pytest.approx(0.3 * math.cos(0.4) + math.sqrt(0.81 - (0.3 * math.sin(0.4)) ** 2), abs=1e-9)
    # The positions of one state, with six digits.
    rounded = run("pose", CRANK, "--joint", "pin=0.712228", "--joint", "guide=-0.0560047")
    assert "they can if joints move by 4.37e-06 rad or 1.67e-06 m, which they do" in " ".join(rounded.stderr.split())
    failed = run("pose", CRANK, "--joint", "drive=0.4", "--joint", "pin=0.5", code=2)
    assert "cannot be closed" in failed.stderr


def test_convert_between_skel_and_chrono(tmp_path: Path) -> None:
    assert "rewritten" in run("convert", ARM, tmp_path / "arm.yaml").stderr
    assert "loop joint" in run("convert", CRANK, tmp_path / "crank.skel").stderr
    run("check", tmp_path / "arm.yaml")
    beside = ossature.load(tmp_path / "arm_run.yaml")
    assert beside.gravity == ossature.load(ARM).gravity
    run("check", tmp_path / "crank.skel")


@pytest.mark.parametrize("option", ["--duration", "--time-step", "--sample-interval"])
@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e300"])
def test_times_that_cannot_be_simulated(option: str, number: str) -> None:
    assert option in run("simulate", ARM, option, number, code=2).output


@pytest.mark.parametrize(
    "arguments",
    [("--duration", "-1"), ("--time-step", "0"), ("--sample-interval", "-1"), ("--record", "run.mp4"), ("--nonsense",)],
)
def test_simulate_with_bad_options(arguments: tuple[str, ...]) -> None:
    run("simulate", ARM, *arguments, code=2)


def test_simulate_what_cannot_be(tmp_path: Path) -> None:
    path = tmp_path / "impossible.skel"
    path.write_text(ARM.read_text().replace("<izz>0.004</izz>", "<izz>-1</izz>"))
    assert "nonphysical-inertia" in run("simulate", path, code=1).stderr


def test_missing_file() -> None:
    for command in ("info", "check", "pose", "simulate"):
        run(command, "/nowhere/robot.skel", code=1)


def test_standard_input_is_read_by_check_only() -> None:
    assert "`ossature check` only" in run("info", "-", code=2).stderr
    assert run("check", "-", code=1).exit_code == 1  # an empty file


def test_rules_and_explanations() -> None:
    listed = [rule["name"] for rule in json.loads(run("rules", "--json").stdout)]
    assert listed == list(all_rules())
    assert all(name in run("explain", name).stdout for name in listed[::20])
    explained = run("explain", "bad-mass").stdout
    assert explained.startswith("'bad-mass' is now named 'non-positive-mass'.\n\nnon-positive-mass MDL022 (warning)\n")
    assert "\n\nExample:\n\nossature check model.skel\n" in explained
    assert "did you mean 'invalid-number'?" in run("explain", "bad-numbr", code=2).stderr


def test_formats_and_schema() -> None:
    listed = {entry["name"]: entry for entry in json.loads(run("formats", "--json").stdout)}
    assert listed["skel"]["read"]
    assert listed["mjcf"]["written"]
    elements = json.loads(run("schema", "skel", "--json").stdout)
    assert elements[0]["path"] == "skel"
    assert "<axis>" in run("schema", "skel").stdout
    run("schema", "skell", code=2)


TILTED_FOUR_BAR = """chrono-version: 10.0
model:
  name: four-bar
  bodies:
    - {name: ground, location: [0, 0, 0], fixed: true}
    - {name: a, location: [0, 0.1, 0], mass: 1, inertia: {moments: [0.01, 0.01, 0.01]}}
    - {name: b, location: [0.2, 0.2, 0], mass: 1, inertia: {moments: [0.01, 0.01, 0.01]}}
    - {name: c, location: [0.4, 0.1, 0], mass: 1, inertia: {moments: [0.01, 0.01, 0.01]}}
  joints:
    - {name: j1, type: REVOLUTE, body1: a, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}
    - {name: j2, type: REVOLUTE, body1: b, body2: a, location: [0, 0.2, 0], axis: [0, 0, 1]}
    - {name: j3, type: REVOLUTE, body1: c, body2: b, location: [0.4, 0.2, 0], axis: [0, 0.02, 1]}
    - {name: j4, type: REVOLUTE, body1: c, body2: ground, location: [0.4, 0, 0], axis: [0, 0, 1]}
"""


def test_locked_joints_are_reported_before_a_run(tmp_path: Path) -> None:
    (tmp_path / "four_bar.yaml").write_text(TILTED_FOUR_BAR)
    assert "locked-joint" in run("simulate", tmp_path / "four_bar.yaml", "--duration", "0.01").stderr
