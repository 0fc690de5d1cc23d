"""Numbers near the ends of the floating-point range end in a finding or in a result, without warnings and in little time."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature.cli.app import app
from ossature.diagnostics import OssatureError, Report
from ossature.model import NamedList

MODEL = """
chrono-version: 10.0
model:
  name: extreme
  bodies:
    - name: ground
      location: [0, 0, 0]
      fixed: true
      contact:
        materials: [{{name: steel, coefficient_of_friction: 0.4}}]
        shapes: [{{type: BOX, material: steel, dimensions: [2, 2, {size}], location: [0, 0, -0.5]}}]
    - name: box
      location: [0, 0, {height}]
      mass: {mass}
      inertia: {{moments: [{moment}, {moment}, {moment}]}}
      initial_linear_velocity: [0, 0, {speed}]
      contact:
        materials: [{{name: steel, coefficient_of_friction: 0.4}}]
        shapes: [{{type: BOX, material: steel, dimensions: [{size}, 1, 1]}}]
  tsdas:
    - {{name: spring, body1: box, body2: ground, point1: [0, 0, {height}], point2: [0, 0, 0], spring_coefficient: {stiffness}}}
"""
USUAL = {"size": 1.0, "height": 0.5, "mass": 1.0, "moment": 0.1, "speed": -1.0, "stiffness": 10.0}


def test_the_usual_numbers_are_simulated(tmp_path: Path) -> None:
    file = tmp_path / "usual.yaml"
    file.write_text(MODEL.format_map(USUAL))
    simulation = ossature.Simulation(ossature.load(file))
    simulation.step(2)
    assert simulation.time == pytest.approx(0.002)


SLIDER = """
<robot name="r"><link name="world"/>
<link name="cart"><inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="world"/><child link="cart"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
HEAVY = SLIDER.replace('mass value="0"', 'mass value="1"').replace('="1" iyy="1" izz="1"', '="1e307" iyy="1e307" izz="1e307"')


@pytest.mark.filterwarnings("error")
def test_the_largest_moments_of_inertia_are_simulated(tmp_path: Path) -> None:
    file = tmp_path / "heavy.urdf"
    file.write_text(HEAVY)
    simulation = ossature.Simulation(ossature.load(file))
    simulation.step(2)
    assert simulation.time == pytest.approx(2.0 * simulation.time_step)


WHEEL = """
<robot name="r"><link name="base"/>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1e-200" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="wheel"><inertial><mass value="1"/>
<inertia ixx="-1e308" iyy="0.01" izz="1e308" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="b" type="continuous"><parent link="arm"/><child link="wheel"/><axis xyz="1 0 1"/></joint></robot>"""


@pytest.mark.parametrize(("text", "rule"), [(SLIDER, "motion-without-inertia"), (WHEEL, "nonphysical-inertia")])
def test_an_inertia_that_moves_nothing_is_found(text: str, rule: str, tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    world, report = ossature.read(file)
    assert world is not None
    with suppress(ossature.SimulationError):
        ossature.Simulation(world, report=report).step(2)
    assert rule in {finding.rule.name for finding in report}


LOADED_LOOP = """
chrono-version: 10.0
model:
  name: diverging
  bodies:
    - {name: ground, location: [0, 0, 0], fixed: true}
    - {name: rod, location: [4, 0, -0.5], mass: 1, inertia: {moments: [0.08, 0.08, 0.001]}}
    - {name: bob, location: [4, 0, -1.5], mass: 2, inertia: {moments: [0.01, 0.01, 0.01]}}
  joints:
    - {name: hinge, type: REVOLUTE, body1: rod, body2: ground, location: [4, 0, 0], axis: [0, 1, 0]}
  constraints:
    - {name: string, type: DISTANCE, body1: rod, body2: bob, point1: [4, 0, -1], point2: [4, 0, -1.5]}
  body_loads:
    - {name: side, type: FORCE, body: bob, load: [1e308, 1, 0], local_load: false, point: [0, 0, 0], local_point: true,
       modulation_function: {type: RAMP, slope: 0.5, intercept: 0.2}}
"""


def test_a_loop_that_diverges_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "loop.yaml"
    file.write_text(LOADED_LOOP)
    world, report = ossature.read(file)
    assert world is not None
    assert not report.has_errors, str(report)
    with pytest.raises(ossature.SimulationError, match="diverged"):
        ossature.Simulation(world, report=report).step(20)


@pytest.mark.parametrize("value", [1e-320, 1e-200, 1e12, 1e160, 1e300])
@pytest.mark.parametrize("name", list(USUAL))
def test_extreme_numbers(name: str, value: float, tmp_path: Path) -> None:
    file = tmp_path / "extreme.yaml"
    file.write_text(MODEL.format_map(USUAL | {name: value}))
    world, report = ossature.read(file)
    started = time.process_time()
    if world is not None and not report.has_errors:
        try:
            simulation = ossature.Simulation(world)
            simulation.step(2)
            simulation.energy()
        except OssatureError as error:
            assert str(error)
    assert time.process_time() - started < 10.0


def test_a_state_that_overflows_is_an_error(report: Report) -> None:
    world = ossature.load(PROJECT / "examples" / "double_pendulum.skel")
    simulation = ossature.Simulation(world, report=report)
    state = simulation.state()
    model = state.models[0]
    pivot = replace(model.joints["pivot"], velocities=(1.7e308, 1.7e308, -1.7e308))
    joints = NamedList([pivot, *(joint for joint in model.joints if joint.name != "pivot")])
    wild = replace(state, models=NamedList([replace(model, joints=joints)]), checkpoint=None)
    with pytest.raises(OssatureError, match="diverged"):
        simulation.restore(wild, partial=True)
        simulation.step(2)
    report.take("approximate-restart")
    report.take("inconsistent-state")  # the twists of the bodies are those before
    report.take("simulation-diverged")


MOVED = [
    # A deprecated transformation of an inertia rotates its tensor, whose products overflow.
    (
        "arm.skel",
        "<mass>0.4</mass>",
        "<mass>0.4</mass><transformation>0 0 0 1 1 1</transformation><moment_of_inertia>"
        "<ixx>1.7e308</ixx><iyy>-1.7e308</iyy><izz>1.7e308</izz><ixy>1.7e308</ixy></moment_of_inertia>",
    ),
    ("arm.skel", "<transformation>0 0 0.16 0 0 0", "<transformation>0 0 1.7e308 0 0 0"),
    ("slider_crank.yaml", "body2: slider, location: [1.2,", "body2: slider, location: [-1.7e308,"),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("example", "before", "after"), MOVED)
def test_commands_print_no_warnings_of_overflow(example: str, before: str, after: str, tmp_path: Path) -> None:
    text = (PROJECT / "examples" / example).read_text()
    assert before in text
    file = tmp_path / example
    file.write_text(text.replace(before, after))
    for words in (["simulate", file, "--duration", "0.004"], ["convert", file, tmp_path / "out.xml"]):
        result = CliRunner().invoke(app, list(map(str, words)))
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception


def test_an_axis_that_overflows_has_no_direction(tmp_path: Path) -> None:
    file = tmp_path / "long_axis.xml"
    file.write_text('<mujoco><worldbody><body><joint axis="0 1 1e160"/><geom size="1"/></body></worldbody></mujoco>')
    world, report = ossature.read(file)
    assert world is None
    assert [finding.message for finding in report.errors] == [
        "the axis of this <joint> has no direction: all its numbers are zero after MuJoCo has normalized it"
    ]


def test_an_angle_that_is_not_finite_is_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "turned.xml"
    file.write_text('<mujoco><worldbody><unknown><body euler="1e400 180 0"/></unknown></worldbody></mujoco>')
    _, report = ossature.read(file)
    assert "unknown-element" in {finding.rule.name for finding in report}
