"""Impacts with friction and restitution never gain energy."""

from __future__ import annotations

from dataclasses import replace
from math import cos, sin, sqrt

import numpy as np
import pytest

from contact_scenes import G, Thing, scene
from ossature.model import Capsule, Material
from ossature.simulation import Simulation
from ossature.spatial import quaternion_from_rotation_vector

STICKING = Material(restitution=1.0, friction=20.0)
RADIUS, LENGTH, MOMENT = 0.02, 0.5, 0.03


def _pile(seed: int, restitution: float, step: float) -> Simulation:
    rng = np.random.default_rng(seed)
    material = Material(restitution=restitution, friction=0.6)
    cubes = [
        Thing(
            (0.05 * rng.normal(), 0.05 * rng.normal(), 0.3 + 0.32 * number),
            mass=float(rng.uniform(0.2, 5.0)),
            wxyz=quaternion_from_rotation_vector(tuple(0.4 * rng.normal(size=3))),
            material=material,
        )
        for number in range(5)
    ]
    return Simulation(scene(*cubes, step=step, as_dart=False, material=material))


@pytest.mark.parametrize("restitution", [0.9, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_tumbling_cubes_gain_no_energy(seed: int, restitution: float) -> None:
    """By Newton's law alone, such piles gain up to half of the energy of their fall."""
    simulation = _pile(seed, restitution, 1e-3)
    dissipated = []
    for _ in range(50):
        simulation.step(20)
        dissipated.append(simulation.diagnostics.energy.dissipated_by_constraints)
    fall = G * 0.3 * float(sum(simulation.compiled.model.body_mass[2:]))
    assert np.diff(dissipated).min() > -1e-4 * fall
    assert dissipated[-1] > 0.1 * fall


def _rod(speed: float, slip: float, tilt: float) -> Thing:
    """Return a rod without gravity, of which one end is just above the floor and slides along it."""
    x, z = 0.5 * LENGTH * sin(tilt), 0.5 * LENGTH * cos(tilt)
    shape = Capsule(radius=RADIUS, length=LENGTH)
    wxyz = quaternion_from_rotation_vector((0.0, tilt, 0.0))
    return Thing((x, 0.0, z + RADIUS + 1e-5), shape, 1.0, (MOMENT,) * 3, wxyz, (slip, 0.0, -speed), STICKING)


def _largest_restitution(speed: float, slip: float, tilt: float) -> float:
    """Return the coefficient with which an impact that ends the slip conserves the energy, of a rod of 1 kg.

    The impulse p gives the contact point the velocity (0, k·v), and does the work p·(v₋ + v₊) / 2 = 0.
    """
    arm_x, arm_z = -0.5 * LENGTH * sin(tilt), -0.5 * LENGTH * cos(tilt) - RADIUS
    mobility = np.eye(2) + np.outer((arm_z, -arm_x), (arm_z, -arm_x)) / MOMENT
    inertia = np.linalg.inv(mobility)
    # (v₊ + v₋) · inertia · (v₊ - v₋) = 0: the kinetic energy that belongs to the contact point is the same.
    energy = np.array((slip, -speed)) @ inertia @ np.array((slip, -speed))
    return float(sqrt(energy / inertia[1, 1]) / speed)


@pytest.mark.parametrize(("slip", "tilt"), [(0.5, 0.6), (-0.3, -0.9), (0.8, 0.6)])
def test_a_rod_rebounds_with_its_energy(slip: float, tilt: float) -> None:
    """Newton's law with a coefficient of one would gain energy here."""
    expected = _largest_restitution(2.0, slip, tilt)
    assert expected < 0.99
    world = replace(scene(_rod(2.0, slip, tilt), step=1e-4, material=STICKING, as_dart=False), gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(world)
    before = sum(simulation.energy())
    simulation.step()
    state = simulation.body_states()["thing0"]["body"]
    arm = np.array((-0.5 * LENGTH * sin(tilt), 0.0, -0.5 * LENGTH * cos(tilt) - RADIUS))
    velocity = np.array(state.linear_velocity) + np.cross(state.angular_velocity_body, arm)
    assert velocity == pytest.approx((0.0, 0.0, 2.0 * expected), abs=2e-2)
    assert before * (1.0 - 1e-2) < sum(simulation.energy()) < before * (1.0 + 1e-4)
