"""Conversions of sound files that ``--verify`` accepts, because the output is what the ledger states."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from ossature.diagnostics import Report

FLAT_BOX = """
v 0 1 1
v 0 1 -1
v 0 -1 1
v 0 -1 -1
f 1 3 2
f 2 3 4
"""
FLAT_ROBOT = """
<robot name="sail">
  <link name="mast">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="sail.obj"/></geometry></visual>
    <collision><geometry><mesh filename="sail.obj"/></geometry></collision>
  </link>
</robot>
"""
DISTANT_MESH = """
v 4999 -6905 3008
v 4911 -7033 3031
v 5025 -6996 2978
v 5023 -7008 3050
f 1 2 3
f 1 4 2
f 2 4 3
f 3 4 1
"""
NAMED_COORDINATE = """
<skel version="1.0"><world name="w"><skeleton name="arm">
  <body name="link"><inertia><mass>1</mass></inertia></body>
  <joint type="revolute" name="elbow"><parent>world</parent><child>link</child>
    <axis><xyz>1 0 0</xyz></axis><dof local_index="0" name="angle"/></joint>
</skeleton></world></skel>
"""
FIXED_AT_START = """
<skel version="1.0"><world name="w"><skeleton name="arm">{mobile}
  <body name="slider"><inertia><mass>1</mass></inertia></body>
  <body name="link"><transformation>0 0 1 0 0 0</transformation><inertia><mass>1</mass></inertia></body>
  <joint type="prismatic" name="rail"{actuator}><parent>world</parent><child>slider</child>
    <axis><xyz>1 0 0</xyz></axis><init_pos>0.25</init_pos></joint>
  <joint type="revolute" name="elbow"><parent>slider</parent><child>link</child>
    <axis><xyz>1 0 0</xyz></axis><init_pos>0.5</init_pos></joint>
</skeleton></world></skel>
"""
GROUP = '<robot name="{name}"><group name="arm"><chain base_link="mast" tip_link="mast"/></group></robot>'


def converted(folder: Path, name: str, text: str, target: str) -> ossature.Ledger:
    (folder / name).write_text(text)
    return ossature.convert(folder / name, folder / "out" / target, verify=True).ledger


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path


def test_a_flat_mesh_that_is_drawn_and_collides(folder: Path) -> None:
    (folder / "sail.obj").write_text(FLAT_BOX)
    embedded = folder / "sail.dae"
    (folder / "sail.urdf").write_text(FLAT_ROBOT)
    ossature.convert(folder / "sail.urdf", embedded)
    ledger = ossature.convert(embedded, folder / "out" / "sail.xml", verify=True).ledger
    assert ledger.covers("sail/mast.collisions[0]")
    assert not any(entry.path == "sail/mast.visuals[0]" for entry in ledger)


def test_a_mesh_far_from_its_origin(folder: Path) -> None:
    (folder / "sail.obj").write_text(DISTANT_MESH)
    assert converted(folder, "sail.urdf", FLAT_ROBOT, "sail.xml")


def test_a_joint_whose_coordinate_has_another_name(folder: Path) -> None:
    ledger = converted(folder, "arm.skel", NAMED_COORDINATE, "arm.xml")
    assert [entry.before for entry in ledger if entry.path == "arm/elbow.coordinates[0].name"] == ["'angle'"]


def test_an_srdf_file_of_another_robot_beside_the_output(folder: Path) -> None:
    (folder / "sail.obj").write_text(DISTANT_MESH)
    (folder / "sail.urdf").write_text(FLAT_ROBOT)
    (folder / "out" / "sail.srdf").write_text(GROUP.format(name="boat"))
    report = Report()
    ossature.convert(folder / "sail.urdf", folder / "out" / "sail.urdf", verify=True, report=report)
    assert [finding.rule.name for finding in report if finding.rule.name.startswith("semantics")] == [
        "semantics-of-other-robot"
    ]


def test_a_planar_joint_that_mujoco_divides_into_three(folder: Path) -> None:
    planar = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint axis="0 0 1"/>'
    base = f'<mujoco><worldbody><body name="base">{planar}<geom size="0.1 0.2 0.3" type="box"/></body></worldbody></mujoco>'
    assert converted(folder, "base.xml", base, "base.urdf")


@pytest.mark.parametrize(("mobile", "actuator"), [("<mobile>0</mobile>", ""), ("", ' actuator="locked"')])
def test_bodies_that_are_fixed_at_initial_positions(folder: Path, mobile: str, actuator: str) -> None:
    text = FIXED_AT_START.format(mobile=mobile, actuator=actuator)
    ledger = converted(folder, "arm.skel", text, "arm.xml")
    assert ledger.covers("arm/slider.pose")
    assert ossature.load(folder / "out" / "arm.xml").models[0].bodies["slider"].pose.position == (0.25, 0.0, 0.0)
