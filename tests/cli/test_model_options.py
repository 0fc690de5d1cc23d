"""Options of the commands that simulate, draw or convert a model: bases, inertia, floor, gravity, initial state."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import ossature
from ossature.cli.app import app
from ossature.model import Floating

ARM = """<robot name="r">
  <link name="base_link"><inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><collision><origin xyz="0 0 0.5"/><geometry><box size="0.1 0.1 1"/></geometry></collision></link>
  <joint name="shoulder" type="continuous"><parent link="base_link"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>
"""
TUMBLER = ARM.replace("base_link", "torso")


def run(*arguments: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


def height_after(path: Path, *options: str, body: str = "base_link") -> float:
    result = run("simulate", path, "--duration", "0.2", "--infer-inertia", "--json", *options)
    position = json.loads(result.stdout)["final"]["bodies"]["r"][body]["position"]
    return float(position[2])


def test_the_base_of_an_arm_is_fixed_unless_it_is_to_float(arm: Path) -> None:
    assert height_after(arm) == 0.0
    assert height_after(arm, "--float-base") == pytest.approx(-9.81 * 0.02, rel=1e-3)
    arm.write_text(TUMBLER)
    assert height_after(arm, body="torso") == pytest.approx(-9.81 * 0.02, rel=1e-3)
    assert height_after(arm, "--fix-base", body="torso") == 0.0


def test_gravity(arm: Path) -> None:
    assert height_after(arm, "--float-base", "--gravity", "0", "0", "2.5") == pytest.approx(0.05, rel=1e-3)


def test_a_floor_carries_the_robot(arm: Path) -> None:
    arm.write_text(ARM.replace("</inertial>", '</inertial><collision><geometry><box size="1 1 0.2"/></geometry></collision>'))
    assert height_after(arm, "--float-base", "--ground") == pytest.approx(0.0, abs=1e-3)  # the floor is at -0.1 m


def test_inferred_values_are_printed_and_an_error_names_the_option(arm: Path) -> None:
    mass = 1000.0 * 0.1 * 0.1
    assert f"'arm': {mass:g} kg" in run("simulate", arm, "--duration", "0.01", "--infer-inertia").stderr
    assert f"'arm': {mass / 2:g} kg" in run("simulate", arm, "--duration", "0.01", "--infer-inertia=500").stderr
    assert "--infer-inertia" in run("simulate", arm, "--duration", "0.01", code=1).stderr
    run("simulate", arm, "--infer-inertia=-1", code=2)


def test_commands_state_the_base(arm: Path) -> None:
    for command in ("info", "simulate"):
        assert "'base_link' of 'r' is fixed" in run(command, arm, "--infer-inertia").stderr


def test_a_conversion_starts_at_specified_joint_positions_with_a_specified_base(arm: Path) -> None:
    skel = arm.with_suffix(".skel")
    run("convert", arm, skel, "--infer-inertia", "--joint", "shoulder=0.5")
    model = ossature.load(skel).models["r"]
    assert model.joints["shoulder"].initial_positions == (0.5,)
    assert [joint.parent for joint in model.joints].count(None) == 1
    run("convert", arm, skel, "--infer-inertia", "--float-base")
    free = [joint for joint in ossature.load(skel).models["r"].joints if joint.parent is None]
    assert all(isinstance(joint.type, Floating) for joint in free)
    again = arm.with_name("again.urdf")
    run("convert", arm, again)  # URDF does not state the base
    assert ossature.load(again) == ossature.load(arm)
    run("convert", arm, again, "--fix-base")
    assert '<link name="world"/>' in again.read_text()


def test_a_render_and_a_sensor_accept_the_options(arm: Path) -> None:
    pytest.importorskip("embreex")
    run("render", arm, arm.with_suffix(".png"), "--size", "64x64", "--joint", "shoulder=1", "--fix-base")
    assert run("pose", arm, "--joint", "shoulder=1", "--json").stdout
    assert math.isfinite(len(run("sensor", "list", arm).stdout))


def test_profiles_choose_severities(arm: Path) -> None:
    run("check", arm)
    assert "error[non-positive-mass]" in run("check", arm, "--profile", "sim", code=1).output
    run("check", arm, "--profile", "ros")
    assert "error[non-positive-mass]" in run("check", arm, "--profile", "strict", code=1).output
