"""SDFormat models converted to every format, and compared with their twins."""

from __future__ import annotations

from pathlib import Path

import mujoco
import pytest

import ossature
from conftest import PROJECT
from ossature.diagnostics import Report
from ossature.model_diff import Category, diff
from ossature.simulation import Simulation

EXAMPLE = PROJECT / "examples" / "gripper_arm.sdf"
WITHOUT_GRAVITY = (
    b'<sdf version="1.9"><model name="m"><link name="a"/><link name="b"><gravity>false</gravity></link>'
    b'<joint name="j" type="revolute"><parent>a</parent><child>b</child></joint></model></sdf>'
)


@pytest.mark.parametrize("suffix", [".urdf", ".skel", ".xml", ".dae", ".yaml"])
def test_the_example_is_converted_and_verified(tmp_path: Path, suffix: str) -> None:
    ossature.convert(EXAMPLE, tmp_path / f"arm{suffix}", verify=True)


def test_a_body_without_gravity_in_mjcf_is_in_the_ledger(tmp_path: Path) -> None:
    (tmp_path / "m.sdf").write_bytes(WITHOUT_GRAVITY)
    ledger = ossature.convert(tmp_path / "m.sdf", tmp_path / "m.xml", verify=True).ledger
    assert any(entry.path == "m/b.gravity" for entry in ledger)


def test_the_arm_and_the_urdf_made_of_it_differ_as_the_ledger_states(tmp_path: Path) -> None:
    """URDF has no frames, sensors and capsules; joints, inertias, limits and poses are equal."""
    ossature.convert(EXAMPLE, tmp_path / "arm.urdf")
    found = diff(ossature.load(EXAMPLE), ossature.load(tmp_path / "arm.urdf"))
    assert {change.category for change in found.changes} == {Category.STRUCTURE, Category.GEOMETRY, Category.SENSORS}
    assert found.poses is not None
    assert found.poses.anywhere == pytest.approx(0.0, abs=1e-12)


def test_the_arm_is_simulated() -> None:
    simulation = Simulation(ossature.load(EXAMPLE))
    simulation.command("gripper_arm", "shoulder", 1.0)
    simulation.run(0.05)
    assert simulation.positions()["gripper_arm"]["shoulder"][0] > 0.0
    left, right = (simulation.positions()["gripper_arm"][f"gripper::{side}_slide"][0] for side in ("left", "right"))
    assert right == pytest.approx(left, abs=1e-9)


ROLLING = """<sdf version="1.9"><model name="m"><link name="ball"><collision name="c">
<geometry><sphere><radius>0.1</radius></sphere></geometry>
<surface><friction><bullet><friction>0.8</friction><rolling_friction>{}</rolling_friction></bullet></friction></surface>
</collision></link></model></sdf>"""


def test_rolling_friction_acts_in_mjcf_and_is_a_finding_elsewhere(report: Report, tmp_path: Path) -> None:
    world = ossature.load(ROLLING.format(0.01).encode(), format="sdf")
    Simulation(world, report=report)
    (finding,) = report.take("element-not-simulated")
    assert "friction against rolling and turning" in finding.message
    ossature.save(world, tmp_path / "m.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    assert model.geom_condim[0] == 6
    assert model.geom_friction[0].tolist() == [0.8, 0.0, 0.01]
    Simulation(ossature.load(ROLLING.format(0).encode(), format="sdf"), report=report)


@pytest.mark.parametrize(
    ("friction", "is_reported"),
    [
        ("<ode><mu>0.7</mu><mu2>0.7</mu2><slip1>0</slip1></ode>", False),
        ("<ode><mu>0.7</mu><mu2>0.1</mu2></ode>", True),
        ("<ode><mu2>0.5</mu2></ode>", True),
        ("<ode><mu>0.7</mu><slip2>0.1</slip2></ode>", True),
        ("<bullet><friction>0.8</friction><friction2>0.3</friction2></bullet>", True),
        ("<torsional><coefficient>0.5</coefficient></torsional>", False),
        ("<torsional><coefficient>0.5</coefficient><patch_radius>0.02</patch_radius></torsional>", True),
    ],
)
def test_friction_by_direction_and_against_turning_is_a_finding(friction: str, is_reported: bool, report: Report) -> None:
    text = (
        '<sdf version="1.9"><model name="m"><link name="ball"><collision name="c">'
        "<geometry><sphere><radius>0.1</radius></sphere></geometry>"
        f"<surface><friction>{friction}</friction></surface></collision></link></model></sdf>"
    )
    Simulation(ossature.load(text.encode(), format="sdf"), report=report)
    found = report.take("element-not-simulated")
    assert [finding.message.startswith("'m': friction that differs by direction") for finding in found] == [True] * is_reported
