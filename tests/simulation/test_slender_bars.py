"""Closed chains of bars with next to no inertia about their own axis."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ossature.model import Body, Coordinate, Fixed, Inertial, Joint, Model, NamedList, PointOnLine, Revolute, World
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector

ANGLE = 1.2


def slider_crank(slenderness: float) -> World:
    """Return two bars of 1 m and 1 kg: a crank, and a rod whose end slides on the x axis."""
    moments = ((slenderness / 12.0, 0.0, 0.0), (0.0, 1.0 / 12.0, 0.0), (0.0, 0.0, 1.0 / 12.0))
    bar = Inertial(mass=1.0, center_of_mass=(0.5, 0.0, 0.0), moment=moments)
    up, down = (quaternion_from_rotation_vector((0.0, 0.0, angle)) for angle in (ANGLE, -ANGLE))
    bodies = [
        Body(name="ground", inertial=Inertial(mass=1.0)),
        Body(name="crank", inertial=bar, pose=Pose(wxyz=up)),
        Body(name="rod", inertial=bar, pose=Pose((math.cos(ANGLE), math.sin(ANGLE), 0.0), down)),
    ]
    level = Pose((1.0, 0.0, 0.0), quaternion_from_rotation_vector((0.0, 0.0, ANGLE)))
    joints = [
        Joint(name="mount", type=Fixed(), parent=None, child="ground"),
        Joint(name="shaft", type=Revolute(), parent="ground", child="crank", coordinates=(Coordinate(),)),
        Joint(name="pin", type=Revolute(), parent="crank", child="rod"),
        Joint(name="guide", type=PointOnLine(), parent="ground", child="rod", pose=level),
    ]
    model = Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))
    return World(gravity=(0.0, -9.81, 0.0), time_step=1e-3, models=NamedList([model]))


@pytest.mark.parametrize("slenderness", [1e-8, 1e-3])
def test_a_loop_of_slender_bars_stays_closed(slenderness: float) -> None:
    simulation = Simulation(slider_crank(slenderness))
    energy = sum(simulation.energy())
    for _ in range(5):
        simulation.step(100)
        angle = ANGLE + simulation.positions()["m"]["shaft"][0]
        end = simulation.poses()["m"]["rod"].transform((1.0, 0.0, 0.0))
        np.testing.assert_allclose(end, (2.0 * math.cos(angle), 0.0, 0.0), atol=1e-6)
        assert sum(simulation.energy()) == pytest.approx(energy, abs=2e-3)
