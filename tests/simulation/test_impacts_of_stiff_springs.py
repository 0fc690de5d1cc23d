"""Impacts of bodies that stiff springs connect, compared with short steps."""

from __future__ import annotations

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import Simulation

_CONTACT = "{materials: [{name: m, coefficient_of_friction: 0.3, coefficient_of_restitution: %s}], shapes: [%s]}"


def _world(stiffness: float, restitution: float) -> World:
    """Return a ball with a bob on a vertical spring, which fall on a floor of 20 m."""
    floor = _CONTACT % (restitution, "{type: BOX, material: m, dimensions: [20, 20, 0.2], location: [0, 0, -0.1]}")
    ball = _CONTACT % (restitution, "{type: SPHERE, material: m, radius: 0.1}")
    inertia = "inertia: {moments: [0.004, 0.004, 0.004]}"
    spring = f"spring_coefficient: {stiffness}, damping_coefficient: 0, free_length: 0.5"
    text = f"""
chrono-version: 10.0
model:
  name: drop
  bodies:
    - {{name: ground, fixed: true, location: [0, 0, 0], contact: {floor}}}
    - {{name: ball, location: [0, 0, 0.3], mass: 1, {inertia}, contact: {ball}}}
    - {{name: bob, location: [0, 0, 0.8], mass: 0.5, {inertia}}}
  joints:
    - {{name: guide, type: PRISMATIC, body1: ball, body2: bob, location: [0, 0, 0.3], axis: [0, 0, 1]}}
  tsdas:
    - {{name: spring, type: TSDA, body1: ball, body2: bob, point1: [0, 0, 0.3], point2: [0, 0, 0.8], {spring}}}
"""
    return ossature.load(text.encode(), format="chrono")


def _heights(simulation: Simulation) -> np.ndarray:
    return np.array([pose.position[2] for pose in simulation.poses()["drop"].values()])


@pytest.mark.parametrize(("stiffness", "restitution"), [(1e5, 0.0), (1e5, 1.0), (3e6, 0.5)])
def test_an_impact_does_not_give_energy_to_a_spring(stiffness: float, restitution: float) -> None:
    """In undivided steps, the spring of 3 MN/m gains more energy than the fall has, without a finding on a large floor."""
    world = _world(stiffness, restitution)
    simulation, exact = Simulation(world, time_step=1e-3), Simulation(world, time_step=2e-5)
    for _ in range(7):
        simulation.step(40)
        exact.step(2000)
        assert _heights(simulation) == pytest.approx(_heights(exact), abs=2e-3)
    assert abs(simulation.diagnostics.energy.relative_gain) < 0.01


def test_the_weight_of_the_ground_is_no_energy_of_the_motion() -> None:
    """The floor of 80 t is fixed; what moves weighs 1.5 kg."""
    simulation = Simulation(_world(1e5, 0.5), report=Report())
    simulation.step(300)
    assert simulation.diagnostics.energy.scale < 20.0
