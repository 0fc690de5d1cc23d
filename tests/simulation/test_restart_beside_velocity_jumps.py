"""A run that is stopped beside a jump of a prescribed velocity and continued ends with the same bits as one that is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_restart import same_bits, through_text

from chrono.test_motor_velocity_jumps import driven_pendulum
from ossature import model as m
from ossature.model import Actuation, Body, Inertial, Joint, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import Pose

POINTS = [
    [0.0, 0.0],
    [0.0103, 0.0],
    [0.0103 + 1e-9, 4.0],
    [0.02, 4.0],
    [0.02 + 1e-9, -3.0],
    [0.0221, -3.0],
    [0.0232, 2.0],
    [9.0, 2.0],
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("is_commanded", [False, True])
@pytest.mark.parametrize("steps", [0, 1, 7, 10, 11, 17, 18, 19, 20])
def test_motors(tmp_path: Path, steps: int, is_commanded: bool) -> None:
    world = driven_pendulum(tmp_path, POINTS)
    whole, first, second = (Simulation(world, time_step=1e-3) for _ in range(3))
    for simulation in (whole, first):
        simulation.step(5)
        if is_commanded:
            simulation.command("m", "motor", 1.5)
    whole.run(0.03)
    first.step(steps)
    second.restore(through_text(first.state()))
    second.step(30 - steps)
    assert same_bits(whole, second)


@pytest.mark.parametrize("kind", [m.Spherical(), m.Revolute(axis=(0.0, 1.0, 0.0))], ids=["ball", "hinge"])
@pytest.mark.parametrize("steps", [0, 1])
def test_joints(kind: m.JointType, steps: int) -> None:
    inertial = Inertial(mass=1.0, center_of_mass=(0.0, 0.0, -0.3))
    joints = [
        Joint(name="j", type=kind, parent=None, child="a", actuation=Actuation.VELOCITY),
        Joint(name="hinge", type=m.Revolute(axis=(0.0, 1.0, 0.0)), parent="a", child="b"),
    ]
    bodies = [Body(name="a", inertial=inertial), Body(name="b", pose=Pose((0.5, 0.0, 0.0)), inertial=inertial)]
    world = World(time_step=1e-3, models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))
    whole, first, second = (Simulation(world, integrator="leapfrog") for _ in range(3))
    for simulation in (whole, first):
        simulation.step(5)
        simulation.command("m", "j", (1.0, -2.0, 0.5)[: kind.degrees_of_freedom])
    whole.run(0.01)
    first.step(steps)
    second.restore(through_text(first.state()))
    second.step(10 - steps)
    assert same_bits(whole, second)
