"""An include of a URDF file has the content of the robot, and the names and poses that SDFormat gives to included models.

The poses of :data:`DRAKE` are those of Drake 1.51 for the same files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.formats.load_file import read_file
from ossature.kinematics import poses
from ossature.model import Fixed, Model, World
from ossature.model.expression import sources_of
from ossature.spatial import IDENTITY, Pose

INERTIA = '<inertia ixx="1" iyy="1.2" izz="1.4" ixy="0.1" ixz="0.05" iyz="-0.02"/>'
LIMIT = '<limit lower="-1" upper="2" effort="3" velocity="4"/>'
ROBOT = f"""<robot name="arm">
<link name="b"><inertial><mass value="1"/>{INERTIA}</inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="base"><inertial><origin xyz="0.1 0 0" rpy="0.1 0.2 0.3"/><mass value="2"/>{INERTIA}</inertial></link>
<link name="c"><inertial><mass value="1"/>{INERTIA}</inertial></link>
<link name="d"/>
<joint name="j" type="revolute"><parent link="base"/><child link="b"/><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.2 1"/>
  <axis xyz="0 1 1"/>{LIMIT}</joint>
<joint name="k" type="prismatic"><parent link="b"/><child link="c"/><origin xyz="0 0 1" rpy="0.3 -0.2 1"/>
  <axis xyz="1 0 0"/>{LIMIT}<mimic joint="j" multiplier="2" offset="0.1"/></joint>
<joint name="f" type="fixed"><parent link="c"/><child link="d"/><origin xyz="0 0 1" rpy="0.3 -0.2 1"/></joint>
</robot>"""
DRAKE = {
    "base": ((1.0, 2.0, 3.0), (0.877583, 0.0, 0.0, 0.479426)),
    "b": ((0.885736, 2.192208, 3.3), (0.519013, 0.163402, 0.071785, 0.835926)),
    "c": ((1.233435, 2.142606, 4.236293), (0.011217, 0.279823, 0.122931, 0.952083)),
    "d": ((1.769022, 2.370409, 5.049468), (0.499804, -0.31579, -0.138731, -0.794498)),
}


@pytest.fixture(autouse=True)
def robot(tmp_path: Path) -> Model:
    (tmp_path / "arm.urdf").write_text(ROBOT)
    return ossature.load(tmp_path / "arm.urdf").models["arm"]


def read(inner: str, folder: Path) -> World:
    (folder / "w.sdf").write_text(f'<sdf version="1.9"><world name="w">{inner}</world></sdf>')
    return ossature.load(folder / "w.sdf")


def include(inner: str = "", attributes: str = "") -> str:
    return f"<include{attributes}><uri>arm.urdf</uri>{inner}</include>"


def zero_poses(model: Model) -> dict[str, Pose]:
    """Return the poses at zero positions, also of coupled joints: those of the file."""
    return {body.name: model.pose @ body.pose for body in model.bodies}


def test_the_content_is_that_of_the_robot(robot: Model, tmp_path: Path) -> None:
    found = read(include(), tmp_path).models["arm"]
    assert found.bodies.map(lambda body: replace(body, pose=IDENTITY)) == robot.bodies.map(
        lambda body: replace(body, pose=IDENTITY)
    )
    assert found.joints == robot.joints
    for body in robot.bodies:
        np.testing.assert_allclose(found.bodies[body.name].pose.matrix(), body.pose.matrix(), atol=1e-15)
    assert not found.static


def test_name_and_pose_as_in_drake(tmp_path: Path) -> None:
    found = read(include("<name>x</name><pose>1 2 3 0 0 1</pose>"), tmp_path).models["x"]
    for name, (position, wxyz) in DRAKE.items():
        pose = zero_poses(found)[name]
        np.testing.assert_allclose(pose.position, position, atol=1e-6)
        assert abs(np.dot(pose.wxyz, wxyz)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("frame", "link"), [("b", "b"), ("k", "c"), ("d", "d")])
def test_the_placement_frame_has_the_pose(frame: str, link: str, tmp_path: Path) -> None:
    text = include(f"<pose>1 2 3 0.1 0.2 0.3</pose><placement_frame>{frame}</placement_frame>")
    found = zero_poses(read(text, tmp_path).models["arm"])[link]
    np.testing.assert_allclose(found.matrix(), Pose.from_euler((1, 2, 3), (0.3, 0.2, 0.1), "zyx").matrix(), atol=1e-12)


def test_the_frame_of_the_model_is_fixed_to_the_root_link(tmp_path: Path) -> None:
    frame = '<frame name="g" attached_to="arm"><pose>0 0 1 0 0 0</pose></frame>'
    found = read(f'<model name="m"><link name="l"/>{include()}{frame}</model>', tmp_path).models["m"]
    assert [one.name for one in found.bodies["arm::base"].frames] == ["g"]


def test_a_robot_in_a_model(robot: Model, tmp_path: Path) -> None:
    weld = '<joint name="w" type="fixed"><parent>l</parent><child>arm::base</child></joint>'
    frame = '<frame name="tool" attached_to="arm::k"><pose>0 0 1 0 0 0</pose></frame>'
    text = f'<model name="m"><pose>5 0 0 0 0 0</pose><link name="l"/>{include("<pose>0 1 0 0 0 0</pose>")}{weld}{frame}</model>'
    found = read(text, tmp_path).models["m"]
    assert set(found.bodies.names()) == {"l", "arm::base", "arm::b", "arm::c", "arm::d"}
    assert (found.joints["arm::j"].parent, found.joints["arm::j"].child) == ("arm::base", "arm::b")
    coupling = found.joints["arm::k"].coordinates[0].coupling
    assert coupling is not None
    assert [source.joint for source in sources_of(coupling.position)] == ["arm::j"]
    assert found.joints["w"].child == "arm::base"
    assert [one.name for one in found.bodies["arm::c"].frames] == ["tool"]
    moved = poses(World(models=[found]), {"m": {"arm::j": 0.4}})["m"]
    alone = poses(World(models=[robot]), {"arm": {"j": 0.4}})["arm"]
    for name, pose in alone.items():
        expected = Pose((5.0, 1.0, 0.0)) @ pose
        np.testing.assert_allclose(moved[f"arm::{name}"].matrix(), expected.matrix(), atol=1e-12)


def test_two_robots_that_a_joint_of_the_world_connects(tmp_path: Path) -> None:
    joint = '<joint name="w" type="fixed"><parent>one::d</parent><child>two::base</child></joint>'
    found = read(include("<name>one</name>") + include("<name>two</name><pose>3 0 0 0 0 0</pose>") + joint, tmp_path)
    (model,) = found.models
    assert {joint.name for joint in model.joints} == {f"{name}::{j}" for name in ("one", "two") for j in "jkf"} | {"w"}
    assert (model.joints["w"].parent, model.joints["w"].child) == ("one::d", "two::base")


def test_a_merged_robot(tmp_path: Path) -> None:
    weld = '<joint name="w" type="fixed"><parent>l</parent><child>base</child></joint>'
    merged = include(attributes=' merge="true"')
    text = f'<model name="m"><link name="l"/>{merged}{weld}</model>'
    found = read(text, tmp_path).models["m"]
    assert set(found.bodies.names()) == {"l", "base", "b", "c", "d"}
    assert set(found.joints.names()) == {"w", "j", "k", "f"}


def test_a_static_robot(tmp_path: Path) -> None:
    assert read(include("<static>true</static>"), tmp_path).models["arm"].static


def test_a_robot_that_is_fixed_to_the_world(tmp_path: Path) -> None:
    fixed = '<link name="world"/><joint name="x" type="fixed"><parent link="world"/><child link="base"/>'
    fixed += '<origin xyz="0 0 2"/></joint></robot>'
    (tmp_path / "arm.urdf").write_text(ROBOT.replace("</robot>", fixed))
    found = read(include("<pose>1 0 0 0 0 0</pose>"), tmp_path).models["arm"]
    assert found.joints["x"].parent is None
    np.testing.assert_allclose(zero_poses(found)["base"].position, (1.0, 0.0, 2.0), atol=1e-15)


def test_a_link_with_the_name_world_and_a_content_is_fixed_by_another_name(tmp_path: Path) -> None:
    content = f'<link name="world"><inertial><mass value="7"/>{INERTIA}</inertial></link>'
    hinge = '<joint name="x" type="continuous"><parent link="world"/><child link="base"/></joint></robot>'
    (tmp_path / "arm.urdf").write_text(ROBOT.replace("</robot>", content + hinge))
    found = read(include(), tmp_path).models["arm"]
    assert (found.bodies["world_link"].inertial.mass, found.joints["x"].parent) == (7.0, "world_link")
    (fixed,) = [joint for joint in found.joints if joint.child == "world_link"]
    assert isinstance(fixed.type, Fixed)
    assert fixed.parent is None


@pytest.mark.parametrize(("name", "missing"), [("absent.urdf", "absent.urdf"), ("folder", "folder/model.config")])
def test_a_missing_file_is_the_one_that_the_include_names(name: str, missing: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "w.sdf").write_text(f'<sdf version="1.9"><world name="w"><include><uri>{name}</uri></include></world></sdf>')
    report = Report()
    read_file(tmp_path / "w.sdf", report)
    (finding,) = report.take("missing-file")
    assert finding.message.startswith(f"{tmp_path / missing}: no such file")


def test_meshes_are_beside_the_robot(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    mesh = '<robot name="p"><link name="a"><visual><geometry><mesh filename="a.stl"/></geometry></visual></link></robot>'
    (tmp_path / "part" / "p.urdf").write_text(mesh)
    (tmp_path / "part" / "a.stl").write_text("solid a\nendsolid a\n")
    found = read("<include><uri>part/p.urdf</uri></include>", tmp_path).models["p"]
    (visual,) = found.bodies["a"].visuals
    assert str(tmp_path / "part" / "a.stl") in str(visual.geometry)


def test_findings_are_located_in_the_urdf_file(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ROBOT.replace('<mass value="2"/>', '<mas value="2"/>'))
    (tmp_path / "w.sdf").write_text(f'<sdf version="1.9"><world name="w">{include()}</world></sdf>')
    report = Report()
    read_file(tmp_path / "w.sdf", report)
    assert {finding.location.file for finding in report if finding.location is not None} == {str(tmp_path / "arm.urdf")}
