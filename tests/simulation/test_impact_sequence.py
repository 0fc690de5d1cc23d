"""Impacts that cause others in the same step: Newton's cradle with gaps that a ball passes within a step."""

from __future__ import annotations

import numpy as np
import pytest

from ossature.model import (
    Body,
    Collision,
    Coordinate,
    DartStepping,
    Inertial,
    Joint,
    Material,
    Model,
    NamedList,
    Revolute,
    Sphere,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose

RADIUS, LENGTH, GRAVITY = 0.05, 1.0, 9.81
BALLS = 4
ANGLE = 0.5


def cradle(gap: float, step: float, restitution: float, *, as_dart: bool) -> World:
    """Return pendulums side by side, the first of which is raised by :data:`ANGLE`."""
    shape = Collision(geometry=Sphere(radius=RADIUS), material=Material(restitution=restitution, friction=0.0))
    inertial = Inertial(mass=1.0, moment=((1e-3, 0.0, 0.0), (0.0, 1e-3, 0.0), (0.0, 0.0, 1e-3)))
    models = []
    for number in range(BALLS):
        pose = Pose((number * (2.0 * RADIUS + gap), 0.0, -LENGTH))
        raised = Coordinate(initial_position=0.0 if number else ANGLE)
        body = Body(name="ball", pose=pose, inertial=inertial, collisions=(shape,))
        joint = Joint(
            name="pivot",
            type=Revolute(axis=(0.0, 1.0, 0.0)),
            parent=None,
            child="ball",
            pose=Pose((0.0, 0.0, LENGTH)),
            coordinates=(raised,),
        )
        models.append(Model(name=f"ball{number}", bodies=NamedList([body]), joints=NamedList([joint])))
    hints = (DartStepping(),) if as_dart else ()
    return World(gravity=(0.0, 0.0, -GRAVITY), time_step=step, hints=hints, models=NamedList(models))


def speeds_after_the_first_impacts(simulation: Simulation) -> np.ndarray:
    """Return the speeds of the balls soon after the last one has been hit, as if it were at the lowest point."""
    for _ in range(2000):
        simulation.step()
        speeds = [simulation.velocities()[f"ball{number}"]["pivot"][0] for number in range(BALLS)]
        if abs(speeds[-1]) > 0.1:
            return np.array(speeds)
    raise AssertionError("no impact")


@pytest.mark.parametrize("as_dart", [False, True], ids=["second order", "as DART"])
@pytest.mark.parametrize("step", [1e-3, 2e-3, 5e-3])
def test_each_gap_has_an_impact_of_its_own(step: float, as_dart: bool) -> None:
    """The restitution of each of three impacts, one after another: the speed of the struck ball is (1 + e)/2 of the former."""
    restitution, energy = 0.9, LENGTH * GRAVITY * (1.0 - np.cos(ANGLE))
    first = np.sqrt(2.0 * energy / (LENGTH**2 + 1e-3))
    share = 0.5 * (1.0 + restitution)
    left = 0.5 * (1.0 - restitution)
    speeds = speeds_after_the_first_impacts(Simulation(cradle(2e-3, step, restitution, as_dart=as_dart)))
    expected = first * np.array([left, share * left, share**2 * left, share**3])
    np.testing.assert_allclose(np.abs(speeds), expected, atol=0.03 * first)


@pytest.mark.parametrize("gap", [1e-5, 5e-4, 2e-3])
def test_elastic_impacts_keep_energy(gap: float) -> None:
    simulation = Simulation(cradle(gap, 2e-3, 1.0, as_dart=False))
    before = sum(simulation.energy())
    scale = LENGTH * GRAVITY * (1.0 - np.cos(ANGLE))
    simulation.step(1000)
    assert sum(simulation.energy()) == pytest.approx(before, abs=2e-3 * scale)
    balance = simulation.diagnostics.energy
    assert balance is not None
    assert balance.change + balance.dissipated_by_constraints == pytest.approx(0.0, abs=1e-3 * scale)
