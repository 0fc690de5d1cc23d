"""``ossature simulate`` and ``pose`` with hands: they close, grab, let go, and what is held is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import ossature
from conftest import PROJECT
from ossature.cli.app import app
from ossature.model import Body, BodyPath, Box, Collision, Grasp, Inertial, Model, NamedList
from ossature.spatial import Pose

PICKER = PROJECT / "examples" / "picker.dae"
SIZE = 0.03
MOMENT = ((1e-5, 0.0, 0.0), (0.0, 1e-5, 0.0), (0.0, 0.0, 1e-5))


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A file with the picker and a cube between its fingers, without gravity."""
    world = ossature.load(PICKER)
    hand = ossature.poses(world)["picker"]["palm"]
    box = (Collision(geometry=Box(size=(SIZE, SIZE, SIZE))),)
    cube = Body(name="cube", pose=hand @ Pose((0.0, 0.0, 0.09)), inertial=Inertial(mass=0.1, moment=MOMENT), collisions=box)
    file = tmp_path / "scene.dae"
    models = NamedList([*world.models, Model(name="thing", bodies=NamedList([cube]))])
    ossature.save(replace(world, models=models, gravity=(0.0, 0.0, 0.0)), file)
    return file


def test_pose_closes_until_contact(scene: Path) -> None:
    """The fingers' inner sides are 0.0325 m from the middle at zero, the cube's 0.015 m."""
    assert "gripper: left_slide=-0.0175" in run("pose", scene, "--close-gripper", "arm").stderr
    assert "gripper: left_slide=-0.030000" in run("pose", PICKER, "--close-gripper", "picker/arm").stderr
    loaded = json.loads(run("pose", scene, "--open-gripper", "arm", "--json").stdout)
    given = json.loads(run("pose", scene, "--joint", "left_slide=0.02", "--json").stdout)
    assert loaded == given


def test_a_cube_is_pressed_grabbed_released_and_written(scene: Path, tmp_path: Path) -> None:
    final, record = tmp_path / "final.dae", tmp_path / "run.json"
    run(
        "simulate",
        scene,
        "--duration",
        0.4,
        "--close",
        "arm@0",
        "--grasp",
        "palm:cube@0.3",
        "--save-world",
        final,
        "--record",
        record,
    )
    last = json.loads(record.read_text())["samples"][-1]
    assert last["joints"]["picker"]["left_slide"]["positions"][0] < -0.015
    world = ossature.load(final)
    held = BodyPath(model="thing", body="cube")
    assert world.grasps == (Grasp(link=BodyPath(model="picker", body="palm"), body=held),)
    moved = ossature.poses(world, {"picker": {"waist": [1.0]}})
    start = ossature.poses(world)
    inside = [(placed["picker"]["palm"].inverse() @ placed["thing"]["cube"]).position for placed in (start, moved)]
    assert inside[0] == pytest.approx(inside[1], abs=1e-12)
    assert "palm grasps thing/cube" in run("info", final).stdout
    again = tmp_path / "again.dae"
    run("simulate", final, "--duration", 0.1, "--release", "cube@0.05", "--save-world", again)
    assert ossature.load(again).grasps == ()


def test_conversions_tell_what_becomes_of_a_grasp(scene: Path, tmp_path: Path) -> None:
    final = tmp_path / "final.dae"
    run("simulate", scene, "--duration", 0.01, "--grasp", "palm:cube:left_finger,right_finger", "--save-world", final)
    assert ossature.load(final).grasps[0].ignored_bodies == ("left_finger", "right_finger")
    assert "dropped: grasps" in run("convert", final, tmp_path / "scene.skel").stderr
    assert "grasps: welds of two bodies" in run("convert", final, tmp_path / "scene.xml").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--close-gripper", "amr@0"), "there is no gripper 'amr': did you mean 'arm'?"),
        (("--grasp", "palm:cupe@0"), "there is no body 'cupe': did you mean 'cube'?"),
        (("--grasp", "palm@0"), "use LINK:BODY@TIME"),
        (("--release", "cube@soon"), "'soon' is not a time in seconds"),
        (("--open-gripper", "arm@7"), "the time is outside this run, from 0 s to the start of its last step at 0.099 s"),
        (("--open-gripper", "arm@0.0998"), "the start of its last step at 0.099 s"),
    ],
)
def test_mistakes_on_the_command_line(scene: Path, arguments: tuple[str, ...], message: str) -> None:
    assert message in run("simulate", scene, "--duration", 0.1, *arguments, code=2).stderr


def test_a_run_that_is_cut_after_its_gripper_closed_goes_on(scene: Path, tmp_path: Path) -> None:
    """All times are those of the simulation, before and after the cut."""
    whole, half, rest = (tmp_path / f"{name}.usdf" for name in ("whole", "half", "rest"))
    closing, later = ("--close-gripper", "arm@0.1"), ("--grasp", "palm:cube@0.3", "--open-gripper", "arm@0.35")
    run("simulate", scene, "--duration", 0.4, *closing, *later, "--save-state", whole)
    run("simulate", scene, "--duration", 0.25, *closing, "--save-state", half)
    begin = ("simulate", scene, "--initial-state", half, "--duration", 0.15)
    run(*begin, *later, "--save-state", rest)
    assert rest.read_text() == whole.read_text()
    refused = run(*begin, *closing, code=2).stderr
    assert "--close-gripper arm@0.1: the time is outside this run, from 0.25 s" in refused
    run(*begin, "--open-gripper", "arm@0.25")


def test_what_has_no_time_is_done_at_once_after_a_restart(scene: Path, tmp_path: Path) -> None:
    half, first, second = (tmp_path / f"{name}.usdf" for name in ("half", "first", "second"))
    run("simulate", scene, "--duration", 0.25, "--save-state", half)
    begin = ("simulate", scene, "--initial-state", half, "--duration", 0.1)
    run(*begin, "--close-gripper", "arm", "--save-state", first)
    run(*begin, "--close-gripper", "arm@0.25", "--save-state", second)
    assert first.read_text() == second.read_text()


def test_the_same_commands_may_be_given_again_after_a_restart(tmp_path: Path) -> None:
    table = tmp_path / "commands.csv"
    table.write_text("time,picker/waist\n0,1\n0.4,3\n")
    whole, half = tmp_path / "whole.usdf", tmp_path / "half.usdf"
    commanded = ("simulate", PICKER, "--command", table)
    run(*commanded, "--duration", 0.3, "--save-state", whole)
    run(*commanded, "--duration", 0.1, "--save-state", half)
    for number, command in enumerate((commanded, ("simulate", PICKER))):
        rest = tmp_path / f"rest{number}.usdf"
        run(*command, "--initial-state", half, "--duration", 0.2, "--save-state", rest)
        assert rest.read_text() == whole.read_text()


def test_what_cannot_be_grabbed_is_told(scene: Path) -> None:
    twice = ("--grasp", "palm:cube@0", "--grasp", "wrist:cube@0.05")
    assert "is already grasped by 'picker/palm'" in run("simulate", scene, "--duration", 0.1, *twice, code=1).stderr
