"""``ossature ik`` as its users run it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import ossature
from complete_robot import robot
from conftest import PROJECT
from ossature.cli import ik as ik_command
from ossature.cli.app import app
from ossature.kinematics import poses
from ossature.model import Coordinate, Coupling, JointPosition, Model, NamedList

ARM = PROJECT / "examples" / "arm.skel"
HAND = ("ik", ARM, "--tip", "hand")
POSITIONS = {"turn": [0.4], "lift": [0.3], "elbow": [0.6], "wrist": [0.2, -0.3]}


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def hand_at(positions: dict[str, list[float]]) -> np.ndarray:
    return poses(ossature.load(ARM), {"arm": positions})["arm"]["hand"].matrix()


def texts(*vectors: np.ndarray) -> str:
    return ",".join(f"{value:.12f}" for vector in vectors for value in vector)


def quaternion(matrix: np.ndarray) -> np.ndarray:
    w = 0.5 * np.sqrt(1.0 + np.trace(matrix[:3, :3]))
    return np.array([w, *[(matrix[i, j] - matrix[j, i]) / (4.0 * w) for i, j in ((2, 1), (0, 2), (1, 0))]])


WANTED = hand_at(POSITIONS)
POINT, ALONG = WANTED[:3, 3], WANTED[:3, 2]
OPTIONS = {
    "--transform6d": texts(POINT, quaternion(WANTED)),
    "--rotation3d": texts(quaternion(WANTED)),
    "--translation3d": texts(POINT),
    "--direction3d": texts(ALONG),
    "--ray4d": texts(POINT, 2.0 * ALONG),
    "--lookat3d": texts(POINT + 0.7 * ALONG),
    "--translation-direction5d": texts(POINT, ALONG),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_every_type_of_target(option: str) -> None:
    data = json.loads(run(*HAND, option, OPTIONS[option], "--json").stdout)
    assert data["failure"] is None
    assert data["type"].lower() == option.replace("-", "")
    found = hand_at(data["solutions"][0]["positions"])
    point, along = found[:3, 3], found[:3, 2]
    off = {
        "--transform6d": found - WANTED,
        "--rotation3d": found[:3, :3] - WANTED[:3, :3],
        "--translation3d": point - POINT,
        "--direction3d": along - ALONG,
        "--ray4d": [*(along - ALONG), *np.cross(point - POINT, ALONG)],
        "--lookat3d": along - (POINT + 0.7 * ALONG - point) / np.linalg.norm(POINT + 0.7 * ALONG - point),
        "--translation-direction5d": [*(point - POINT), *(along - ALONG)],
    }
    np.testing.assert_allclose(off[option], 0.0, atol=3e-6)


def test_roll_pitch_and_yaw() -> None:
    pitch = -np.arcsin(WANTED[2, 0])
    roll, yaw = np.arctan2(WANTED[2, 1], WANTED[2, 2]), np.arctan2(WANTED[1, 0], WANTED[0, 0])
    data = json.loads(run(*HAND, "--target", "transform6d:" + texts(POINT, np.array([roll, pitch, yaw])), "--json").stdout)
    np.testing.assert_allclose(hand_at(data["solutions"][0]["positions"]), WANTED, atol=3e-6)


def test_lines_for_people() -> None:
    stdout = run(
        *HAND, "--target", "translation3d:" + texts(POINT), "--all", "--seed", "turn=0.4", "--seed", "wrist=0.2,-0.3"
    ).stdout
    lines = stdout.strip().splitlines()
    assert len(lines) > 3
    first = dict(word.split("=") for word in lines[0].split() if "=" in word)
    arguments = [word for name, values in first.items() for word in ("--joint", f"{name}={values}")]
    found = json.loads(run("pose", ARM, *arguments, "--json").stdout)["arm"]["hand"]
    np.testing.assert_allclose(np.array(found)[:3, 3], POINT, atol=1e-5)


def test_seeds_and_free_joints() -> None:
    options = ("--target", "translation3d:" + texts(POINT), "--sample-joint", "elbow=0.25", "--all", "--json")
    for solution in json.loads(run(*HAND, *options, "--seed", "elbow=0.6").stdout)["solutions"]:
        steps = (solution["positions"]["elbow"][0] - 0.6) / 0.25
        assert steps == pytest.approx(round(steps), abs=1e-9)
    assert "use smaller steps" in run(*HAND, *options, "--seed", "elbow=0", code=1).stderr


def test_the_engine_is_loaded_for_collisions_only() -> None:
    code = (
        "import sys; from ossature.cli.app import app; app(sys.argv[1:], standalone_mode=False); print('mujoco' in sys.modules)"
    )
    command = [sys.executable, "-c", code, "ik", str(ARM), "--tip", "hand", "--target", "translation3d:" + texts(POINT)]
    for option, loaded in (((), "False"), (("--collision-free",), "True")):
        done = subprocess.run([*command, *option], capture_output=True, text=True, check=True)
        assert done.stdout.strip().splitlines()[-1] == loaded


def test_without_collisions() -> None:
    data = json.loads(run(*HAND, "--target", "translation3d:" + texts(POINT), "--collision-free", "--json").stdout)
    assert data["failure"] is None


def test_failures_say_why() -> None:
    result = run(*HAND, "--target", "translation3d:9,0,0", code=1)
    assert "out of reach: the smallest error is" in result.stderr
    data = json.loads(run(*HAND, "--target", "translation3d:9 0 0", "--json", code=1).stdout)
    assert data["solutions"] == []
    assert data["failure"]["kind"] == "out-of-reach"
    assert data["failure"]["position_error"] > 5.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give one --target"),
        (("--target", "translation3d:1,2,3", "--target", "lookat3d:1,2,3"), "--target can be given once, not 2 times"),
        (("--target", "translation3d:1,2"), "--target translation3d takes 3 numbers, not 2"),
        (("--target", "transform6d:1,2,3"), "--target transform6d takes 6 or 7 numbers, not 3"),
        (("--target", "translation3d:1,2,up"), "--target translation3d takes numbers, not '1,2,up'"),
        (("--target", "translation3d:1,2,nan"), "--target translation3d takes finite numbers"),
        (("--target", "direction3d:0,0,0"), "--target direction3d: the vector (0.0, 0.0, 0.0) has no direction"),
        (("--target", "rotation3d:0,0,0,0"), "--target rotation3d: the quaternion (0.0, 0.0, 0.0, 0.0) is no rotation"),
        (("--target", "translation3d:1,2,3", "--tolerance", "0"), "--tolerance must be between 0 and 1"),
        (("--target", "translation3d:1,2,3", "--output", "out.skel"), "--output needs --list-target-types"),
        (("--target", "translation3d:1,2,3", "--seed", "knee=1"), "there is no joint 'knee'"),
        (("--list-target-types", "--target", "lookat3d:1,2,3"), "give one --target"),
    ],
)
def test_bad_command_lines(arguments: tuple[str, ...], message: str) -> None:
    assert message in run(*HAND, *arguments, code=2).stderr


def test_names_that_do_not_exist() -> None:
    assert "no body 'hnd': did you mean 'hand'" in run("ik", ARM, "--tip", "hnd", "--list-target-types", code=2).stderr
    assert "specify a tip body" in run("ik", ARM, "--target", "translation3d:1,2,3", code=2).stderr


def test_formulas_without_a_value_are_the_files_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    world = robot()
    model = world.models["arm"]
    unknown = Coupling(position=JointPosition(joint="nobody"))
    wrist = replace(model.joints["wrist"], coordinates=(Coordinate(coupling=unknown),))
    broken = replace(model, joints=NamedList([model.joints["shoulder"], wrist]))
    monkeypatch.setattr(ik_command, "load_world", lambda *arguments, **options: replace(world, models=NamedList([broken])))
    stderr = run("ik", ARM, "--target", "translation3d:0,0,1", code=1).stderr
    assert "joint 'wrist' is coupled to joint 'nobody', which does not exist" in stderr


def test_suggestions() -> None:
    data = {entry["type"]: entry for entry in json.loads(run(*HAND, "--list-target-types", "--json").stdout)}
    assert not data["Transform6D"]["suits"]
    assert data["Transform6D"]["rank"] == data["Transform6D"]["degrees_of_freedom"] == 5
    assert data["Translation3D"]["suits"]
    assert "Translation3D           yes" in run(*HAND, "--list-target-types").stdout


def test_suggestions_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The World that is written has the types; what a SKEL file cannot say of it is in the ledger."""
    monkeypatch.setattr(ik_command, "load_world", lambda *arguments, **options: robot())
    written: list[Model] = []

    def keep(world: ossature.World, path: Path) -> ossature.Ledger:
        written.extend(world.models)
        return ossature.Ledger()

    output = tmp_path / "arm.skel"
    stderr = run("ik", ARM, "--list-target-types", "--output", output).stderr
    assert "dropped: arm/" in stderr
    assert output.exists()
    monkeypatch.setattr("ossature.conversion.save", keep)
    run("ik", ARM, "--list-target-types", "--output", output)
    new = written[0].manipulators[0].solvers[len(robot().models[0].manipulators[0].solvers) :]
    assert all(f"{solver.type}" in stderr for solver in new)
