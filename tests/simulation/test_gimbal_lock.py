"""The advice about Euler joints whose axes become parallel."""

from __future__ import annotations

import contextlib

import pytest

from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.simulation import Simulation, SimulationError

WORLD = """<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 0</gravity></physics>
<skeleton name="s"><body name="b"><transformation>0 0 0 0 0 0</transformation><inertia><mass>1</mass><moment_of_inertia>
<ixx>0.1</ixx><iyy>0.15</iyy><izz>0.2</izz><ixy>0.01</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia></body>
<joint type="euler" name="j"><parent>world</parent><child>b</child><axis_order>{order}</axis_order>
<init_pos>0 {angle} 0</init_pos><init_vel>{velocity}</init_vel></joint></skeleton></world></skel>"""


def simulate(order: str, angle: float, velocity: str, report: Report) -> None:
    content = WORLD.format(order=order, angle=angle, velocity=velocity)
    world = read_skel(Source("world.skel", content.encode()), report)
    assert world is not None
    Simulation(world, report=report).run(0.5)


@pytest.mark.parametrize("order", ["xyz", "zyx"])
@pytest.mark.parametrize(("angle", "velocity"), [(1.5, "1 3 2"), (1.2, "0.001 4 0"), (-1.3, "0.2 -4 0.3")])
def test_a_run_that_fails_at_gimbal_lock_advises_a_ball_joint(order: str, angle: float, velocity: str) -> None:
    report = Report()
    with contextlib.suppress(SimulationError):
        simulate(order, angle, velocity, report)
    hints = [finding.hint or "" for finding in report]
    assert any("gimbal lock" in hint and "'s/j'" in hint for hint in hints), hints


def test_an_euler_joint_far_from_gimbal_lock_has_no_finding(report: Report) -> None:
    simulate("xyz", 0.1, "0.5 1 0.5", report)
    assert not report, str(report)
