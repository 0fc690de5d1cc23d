"""Scenes that refer to the files of their robots: read again they are the same Worlds, and they say little themselves."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from collada_validator import Kind, validate
from complete_robot import robot
from ossature.cli.app import app
from ossature.comparison import compare
from ossature.diagnostics import OssatureError, Report
from ossature.formats.load_file import read_file
from ossature.model import BodyPath, Grasp, Model, NamedList, Range, World
from ossature.spatial import Pose, quaternion_from_rotation_vector

ROUNDING = 1e-12
TURNED = Pose((1.0, 2.0, 3.0), quaternion_from_rotation_vector((0.1, 0.2, 0.3)))
CORPUS_FILES = [
    *("openrave/pumagripper.zae", "openrave/barrett-wam-sensors.zae", "openrave/man1.zae", "openrave/fail4.dae"),
    *("openrave/kuka-youbot.zae", "openrave/mug1.dae", "openrave-elements/s00_base.dae", "openrave-elements/s20_idsuffix.dae"),
]


def read(path: Path) -> World:
    world = read_file(path, Report())
    assert world is not None
    return world


def refer(world: World, path: Path, **files: Path) -> None:
    """Write a scene that refers to files, and hold what is read from it against the World."""
    ledger = ossature.save(world, path, reference=files)
    assert not compare(world, read(path), tolerance=ROUNDING)
    assert ledger.lossless
    # What is named after a copied node or in another document is looked for in vain by who looks at this one alone.
    problems = validate(path.read_bytes())
    assert all(problem.kind is Kind.DANGLING_REFERENCE or problem.extension for problem in problems)
    assert "<float_array" not in path.read_text()


def moved(model: Model) -> Model:
    """Return a robot at another place, with its first joint narrower and elsewhere."""
    if not model.joints:
        return replace(model, pose=TURNED)
    first = model.joints[0]
    changed = replace(first.coordinates[0], position_limits=Range(lower=-0.25, upper=0.25), initial_position=0.125)
    joints = [replace(first, coordinates=(changed, *first.coordinates[1:])), *list(model.joints)[1:]]
    return replace(model, pose=TURNED, joints=NamedList(joints))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", CORPUS_FILES)
def test_robots_of_the_corpus(name: str, corpus: Path, tmp_path: Path) -> None:
    file = tmp_path / Path(name).name
    shutil.copy(corpus / "corpus" / name, file)
    world = read(file)
    files = dict.fromkeys(world.models.names(), file)
    refer(world, tmp_path / "as_it_is.dae", **files)
    refer(replace(world, models=NamedList([moved(model) for model in world.models])), tmp_path / "moved.dae", **files)


def test_one_robot_is_shown_by_its_own_scenes(tmp_path: Path) -> None:
    arm = replace(robot(), models=NamedList([robot().models[0]]), grasps=(), extensions=())
    ossature.save(arm, tmp_path / "arm.dae")
    refer(arm, tmp_path / "scene.dae", arm=tmp_path / "arm.dae")
    text = (tmp_path / "scene.dae").read_text()
    assert 'url="arm.dae#kscene"' in text
    assert "<library_" not in text
    assert text.count("<bind_joint_axis") == 3


def test_several_robots_and_what_they_hold(tmp_path: Path) -> None:
    world = robot()
    for model in world.models:
        alone = replace(world, models=NamedList([model]), grasps=(), gravity=(0.0, 0.0, -1.0))
        ossature.save(alone, tmp_path / f"{model.name}.zae")
    files = {model.name: tmp_path / f"{model.name}.zae" for model in world.models}
    refer(replace(world, models=NamedList([moved(world.models[0]), world.models[1]])), tmp_path / "scene.dae", **files)
    twice = Grasp(link=BodyPath(model="ball", body="ball"), body=BodyPath(model="arm", body="upper"))
    refer(replace(world, grasps=(*world.grasps, twice)), tmp_path / "scene.dae", **files)


def test_what_stays_as_it_is_in_the_file_is_in_the_ledger(tmp_path: Path) -> None:
    world = robot()
    ossature.save(world, tmp_path / "robot.dae")
    base = replace(world.models[0].bodies[0], gravity=False)
    arm = replace(world.models[0], bodies=NamedList([base, *list(world.models[0].bodies)[1:]]))
    changed = replace(world, models=NamedList([arm, world.models[1]]))
    files = dict.fromkeys(world.models.names(), tmp_path / "robot.dae")
    ledger = ossature.save(changed, tmp_path / "scene.dae", reference=files)
    assert [entry.path for entry in ledger if entry.action == "dropped"] == ["arm/base.gravity"]


def test_files_without_the_robot(tmp_path: Path) -> None:
    world = robot()
    for text, reason in (
        (None, "has no robot: "),
        ("<COLLADA/>", "has no robot: <COLLADA>"),
        ("robot", "'ball' has no file to refer to"),
    ):
        if text == "robot":
            ossature.save(world, tmp_path / "robot.dae")
        elif text is not None:
            (tmp_path / "robot.dae").write_text(text)
        with pytest.raises(OssatureError, match=reason):
            ossature.save(world, tmp_path / "scene.dae", reference=_names(text, tmp_path))
        assert not (tmp_path / "scene.dae").exists()
    with pytest.raises(OssatureError, match="skel files cannot refer to others"):
        ossature.save(world, tmp_path / "scene.skel", reference={})


def _names(text: str | None, folder: Path) -> dict[str, Path]:
    names = ["arm"] if text == "robot" else ["arm", "ball"]
    return dict.fromkeys(names, folder / "robot.dae")


def test_the_command(tmp_path: Path) -> None:
    ossature.save(replace(robot(), extensions=()), tmp_path / "robot.dae")
    file, scene = str(tmp_path / "robot.dae"), str(tmp_path / "scene.dae")
    done = CliRunner().invoke(
        app, ["convert", file, scene, "--verify", "--reference", f"arm={file}", "--reference", f"ball={file}"]
    )
    assert done.exit_code == 0, done.output
    assert not compare(read(tmp_path / "robot.dae"), read(tmp_path / "scene.dae"), tolerance=ROUNDING)
    assert CliRunner().invoke(app, ["convert", file, scene, "--reference", "arm"]).exit_code == 2
