"""Commands with MJCF files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ossature
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.model import Load
from ossature.simulation import Simulation

ROBOT = str(Path(__file__).parent / "files" / "robot.xml")


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_pose_takes_the_names_of_joints_of_one_body() -> None:
    named = json.loads(run("pose", ROBOT, "--json", "-j", "turn=0.3", "-j", "lift=0.1"))
    whole = json.loads(run("pose", ROBOT, "--json", "-j", "arm_joint=0.1,0.3"))
    assert named == whole
    assert named["robot"]["hand"][2][3] == pytest.approx(2.0929, abs=1e-4)


def test_an_unknown_joint_has_the_nearest_name() -> None:
    result = CliRunner().invoke(app, ["pose", ROBOT, "-j", "turm=0.3"])
    assert result.exit_code == 2
    assert "did you mean 'turn'?" in result.output


def test_info_lists_the_elements() -> None:
    text = run("info", ROBOT)
    for line in ("tendon cable", "actuator servo", "keyframe up", "equality equality_0"):
        assert line in text


def test_check_has_no_findings() -> None:
    assert "no findings" in run("check", ROBOT)


def test_equalities_of_tendons_are_specified_as_not_considered(tmp_path: Path) -> None:
    file = tmp_path / "slider.xml"
    file.write_text(
        '<mujoco model="slider"><worldbody><body name="b"><joint name="j" type="slide"/><geom size="0.1"/></body></worldbody>'
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
        '<equality><tendon name="e" tendon1="t"/></equality></mujoco>'
    )
    assert "equality 'e' of model 'slider' is not considered" in " ".join(run("pose", str(file)).split())
    assert "not considered in poses" in " ".join(run("info", str(file)).split())


def test_an_added_element_that_mujoco_cannot_simulate_is_a_finding() -> None:
    world, report = ossature.load(ROBOT), Report()
    Simulation(world, report=report)
    assert "element-not-simulated" not in {finding.rule.name for finding in report}
    Simulation(world.add("robot", Load(name="push", body="hand")), report=report)
    (finding,) = report.take("element-not-simulated")
    assert finding.message.startswith("dropped: robot/push")


ELEMENTS = """<mujoco model="m"><worldbody><body name="b"><joint name="j" armature="0.1"/><geom size="0.1"/></body></worldbody>
<tendon><fixed name="band" stiffness="1"><joint joint="j" coef="1"/></fixed></tendon>
<equality><joint name="fix" joint1="j"/></equality><actuator><motor name="drive" joint="j"/></actuator></mujoco>
"""


def test_elements_that_another_integrator_does_not_simulate_are_findings(tmp_path: Path) -> None:
    file = tmp_path / "m.xml"
    file.write_text(ELEMENTS)
    report = Report()
    simulation = Simulation(ossature.load(file), report=report, integrator="leapfrog")
    messages = " ".join(finding.message for finding in report.take("element-not-simulated"))
    for name in ("drive", "band", "fix", "j"):
        assert f"'{name}'" in messages
    with pytest.raises(ValueError, match="actuator 'drive' is not simulated"):
        simulation.command("m", "drive", 1.0)


def simulation_with_leapfrog(option: str, body: str, inside: str, report: Report) -> Simulation:
    text = f'<mujoco><option {option}</option><worldbody><body name="b" {body}>{inside}</body></worldbody></mujoco>'
    return Simulation(ossature.load(text.encode(), format="mjcf"), report=report, integrator="leapfrog")


@pytest.mark.parametrize(
    ("option", "joint", "message"),
    [
        ('density="1.2">', '<joint name="j"/>', "forces of a fluid act only"),
        ('viscosity="1.2">', '<joint name="j"/>', "forces of a fluid act only"),
        ('><flag spring="disable" eulerdamp="disable"/>', '<joint name="j"/>', "flags that disable forces apply only"),
        ('><flag gravity="disable"/>', '<joint name="j"/>', ""),
        ('><flag eulerdamp="disable"/>', '<joint name="j"/>', ""),
        (
            ">",
            '<joint name="j" type="ball" range="0 20"/>',
            "'MuJoCo Model': the largest angle of ball joints is enforced only",
        ),
        (">", '<joint name="j" type="ball"/>', ""),
        (">", '<joint name="j" damping="1 2"/>', "'MuJoCo Model': polynomials of springs and dampers apply only"),
        (">", '<joint name="j" stiffness="1 2"/>', "'MuJoCo Model': polynomials of springs and dampers apply only"),
        (">", '<joint name="j" stiffness="1" damping="2"/>', ""),
    ],
)
def test_settings_that_another_integrator_does_not_simulate_are_findings(
    option: str, joint: str, message: str, report: Report
) -> None:
    simulation_with_leapfrog(option, "", f'{joint}<geom size="0.1"/>', report)
    found = [finding.message for finding in report.take("element-not-simulated")]
    assert [text.startswith(message) for text in found] == ([True] if message else [])


def test_gravity_compensation_acts_with_another_integrator(report: Report) -> None:
    simulation = simulation_with_leapfrog('gravity="0 0 -10">', 'gravcomp="0.7"', '<freejoint/><geom size="0.1"/>', report)
    simulation.run(0.5)
    assert simulation.poses()["MuJoCo Model"]["b"].position[2] == pytest.approx(-0.5 * 3.0 * 0.5**2, abs=1e-9)
