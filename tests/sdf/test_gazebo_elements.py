"""``<gazebo>`` elements of URDF robots in written SDFormat files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

import ossature
from ossature.diagnostics import Action, Ledger
from ossature.model import Laser2D, World

ROBOT = """<robot name="r">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="0.1"/></geometry></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
  {elements}
</robot>"""


def converted(elements: str, folder: Path) -> tuple[World, Ledger, ElementTree.Element]:
    """Return the World read from the SDFormat file of a robot with elements, the ledger, and the model in the file."""
    (folder / "robot.urdf").write_text(ROBOT.format(elements=elements), encoding="utf-8")
    ledger = ossature.convert(folder / "robot.urdf", folder / "robot.sdf", verify=True).ledger
    model = ElementTree.fromstring((folder / "robot.sdf").read_bytes()).find(".//model")  # noqa: S314  # our own output
    assert model is not None
    return ossature.load(folder / "robot.sdf"), ledger, model


def dropped(ledger: Ledger) -> list[str]:
    return [f"{entry.before}" for entry in ledger if entry.action is Action.DROPPED]


def test_plugins_belong_to_the_model(tmp_path: Path) -> None:
    elements = '<gazebo><plugin name="control" filename="libcontrol.so"><ns>/r</ns></plugin><static>true</static></gazebo>'
    world, ledger, model = converted(elements, tmp_path)
    assert model.findtext("plugin[@name='control']/ns") == "/r"
    assert world.models[0].static
    assert not dropped(ledger)


@pytest.mark.parametrize(
    ("elements", "path", "text"),
    [
        ("<selfCollide>true</selfCollide>", "self_collide", "1"),
        ("<turnGravityOff>true</turnGravityOff>", "gravity", "0"),
        ("<gravity>false</gravity>", "gravity", "0"),
        ('<mu1 value="0.25"/><mu2>0.25</mu2>', "collision/surface/friction/ode/mu", "0.25"),
        ("<dampingFactor>0.01</dampingFactor>", "velocity_decay/angular", "0.01"),
        ("<material>Gazebo/Red</material>", "visual/material/diffuse", "1 0 0 1"),
        ("<enable_wind>true</enable_wind>", "enable_wind", "true"),
    ],
)
def test_settings_of_links(elements: str, path: str, text: str, tmp_path: Path) -> None:
    _, ledger, model = converted(f'<gazebo reference="arm">{elements}</gazebo>', tmp_path)
    assert model.findtext(f"link[@name='arm']/{path}") == text
    assert model.find(f"link[@name='base']/{path}") is None
    assert not dropped(ledger)


@pytest.mark.parametrize(
    ("elements", "path", "text"),
    [
        ("<provideFeedback>true</provideFeedback>", "physics/provide_feedback", "true"),
        ("<stopCfm>0.1</stopCfm><stopErp>0.2</stopErp>", "physics/ode/limit/cfm", "0.1"),
        ("<stopCfm>0.1</stopCfm><stopErp>0.2</stopErp>", "physics/ode/limit/erp", "0.2"),
        ("<springStiffness>3</springStiffness>", "axis/dynamics/spring_stiffness", "3"),
        ("<springStiffness>3</springStiffness><springReference>0.5</springReference>", "axis/dynamics/spring_reference", "0.5"),
    ],
)
def test_settings_of_joints(elements: str, path: str, text: str, tmp_path: Path) -> None:
    content = f'<gazebo reference="hinge">{elements}<preserveFixedJoint>true</preserveFixedJoint></gazebo>'
    _, ledger, model = converted(content, tmp_path)
    assert model.findtext(f"joint[@name='hinge']/{path}") == text
    assert not dropped(ledger)


def test_sensors_measure_in_their_link_or_joint(tmp_path: Path) -> None:
    laser = (
        '<sensor name="eye" type="gpu_lidar"><pose>0.1 0 0 0 0 0</pose><update_rate>10</update_rate><lidar><scan><horizontal>'
        "<samples>5</samples><min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan>"
        "<range><min>0.1</min><max>9</max></range></lidar></sensor>"
    )
    elements = (
        f'<gazebo reference="arm">{laser}{laser}</gazebo>'
        '<gazebo reference="hinge"><sensor name="torque" type="force_torque"><update_rate>100</update_rate></sensor></gazebo>'
    )
    world, ledger, model = converted(elements, tmp_path)
    sensors = world.models[0].sensors
    assert sensors.names() == ("eye", "eye_2", "torque")
    assert isinstance(sensors["eye"].description, Laser2D)
    assert sensors["eye"].pose.position == (0.1, 0.0, 0.0)
    assert {sensor.body for sensor in sensors} == {"arm"}
    assert model.find("joint/sensor[@name='torque']") is not None
    assert not dropped(ledger)


def test_what_sdformat_does_not_have_is_in_the_ledger(tmp_path: Path) -> None:
    elements = (
        '<gazebo reference="arm"><mu1>0.5</mu1><mu2>0.7</mu2><selfCollide>perhaps</selfCollide><unknown/></gazebo>'
        '<gazebo reference="missing"><gravity>true</gravity></gazebo><gazebo><include><uri>model://x</uri></include></gazebo>'
    )
    _, ledger, model = converted(elements, tmp_path)
    assert model.findtext("link[@name='arm']/collision/surface/friction/ode/mu") == "0.5"
    assert dropped(ledger) == [
        '<gazebo reference="arm"><mu2>0.7</mu2><selfCollide>perhaps</selfCollide><unknown/></gazebo>',
        '<gazebo reference="missing"><gravity>true</gravity></gazebo>',
        "<gazebo><include><uri>model://x</uri></include></gazebo>",
    ]
