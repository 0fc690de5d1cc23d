"""Coins that roll on their rims without sliding: friction does no work, so that their energy is constant."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from contact_scenes import G, Thing, scene
from ossature.model import Cylinder, Geometry, Material, NamedList, Plane, World
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector

RADIUS, LENGTH = 0.01, 5e-4
MOMENTS = (0.25 * RADIUS**2 + LENGTH**2 / 12.0, 0.25 * RADIUS**2 + LENGTH**2 / 12.0, 0.5 * RADIUS**2)


def coin(step: float, ground: Geometry | None, lean: float = 0.7, spin: float = 0.0) -> World:
    """Return an inclined coin of 1 kg that turns about its diameter, and about its axis, on a plate or another geometry."""
    material = Material(friction=1.0)
    height = RADIUS * math.cos(lean) + 0.5 * LENGTH * math.sin(lean)
    across = quaternion_from_rotation_vector((0.5 * math.pi + lean, 0.0, 0.0))
    shape = Cylinder(radius=RADIUS, length=LENGTH)
    thing = Thing((0.0, 0.0, height), shape, 1.0, MOMENTS, across, (spin * RADIUS, 0.0, 0.0), material)
    plate, model = scene(thing, step=step, material=material, as_dart=False).models
    body = replace(model.bodies[0], initial_angular_velocity_body=(0.0, 34.0, -spin))
    if ground is not None:
        below = replace(plate.bodies[0].collisions[0], geometry=ground)
        plate = replace(plate, bodies=NamedList([replace(plate.bodies[0], pose=Pose(), collisions=(below,))]))
    models = NamedList([plate, replace(model, bodies=NamedList([body]))])
    return World(gravity=(0.0, 0.0, -G), time_step=step, models=models)


def energy(simulation: Simulation) -> float:
    """Return the kinetic and potential energy of the coin [J]."""
    state = simulation.body_states()["thing0"]["body"]
    velocity, spin = np.array(state.linear_velocity), np.array(state.angular_velocity_body)
    return float(0.5 * velocity @ velocity + 0.5 * spin @ (MOMENTS * spin) + G * state.position[2])


@pytest.mark.parametrize(("step", "bound"), [(1e-3, 0.02), (5e-4, 0.005)])
def test_a_coin_keeps_its_energy(step: float, bound: float) -> None:
    simulation = Simulation(coin(step, Plane()))
    start = energy(simulation)
    for _ in range(20):
        simulation.step(round(0.1 / step))
        assert energy(simulation) == pytest.approx(start, rel=bound)


def test_a_coin_on_a_plate_keeps_its_energy() -> None:
    """The engine finds the point of a plate less accurately than that of a plane."""
    simulation = Simulation(coin(1e-3, None))
    start = energy(simulation)
    simulation.step(2000)
    assert energy(simulation) == pytest.approx(start, rel=0.02)


def test_a_coin_that_falls_over_gains_no_energy() -> None:
    """Its steps are divided into many sub-steps, until the forces of its contact change little."""
    simulation = Simulation(coin(1e-3, None, lean=1.2, spin=34.0))
    last = energy(simulation)
    for _ in range(60):
        simulation.step()
        assert energy(simulation) < 1.03 * last
        last = energy(simulation)
