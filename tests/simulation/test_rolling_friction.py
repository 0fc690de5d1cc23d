"""Friction against rolling and turning in compliant contacts, against closed forms; rigid contacts report it."""

from __future__ import annotations

import pytest

from ossature.diagnostics import Report
from ossature.model import Body, Collision, Inertial, Material, Model, NamedList, Plane, Sphere, World
from ossature.simulation import ContactOptions, Simulation
from ossature.spatial import Pose

RADIUS, MASS, GRAVITY = 0.1, 1.0, 9.81
MOMENT = 0.4 * MASS * RADIUS**2
COMPLIANT = ContactOptions(time_constant=0.02)


def world(turning: float, rolling: float, speed: float, spin: float) -> World:
    """Return a World with a ball that rolls along x and spins about z on a floor of the same material."""
    material = Material(name="rubber", friction=0.8, torsional_friction=turning, rolling_friction=rolling)
    ball = Body(
        name="ball",
        inertial=Inertial(mass=MASS, moment=((MOMENT, 0.0, 0.0), (0.0, MOMENT, 0.0), (0.0, 0.0, MOMENT))),
        pose=Pose((0.0, 0.0, RADIUS)),
        collisions=(Collision(geometry=Sphere(radius=RADIUS), material=material),),
        initial_velocity=(speed, 0.0, 0.0),
        initial_angular_velocity_body=(0.0, speed / RADIUS, spin),
    )
    floor = Body(name="floor", inertial=Inertial(mass=1.0), collisions=(Collision(geometry=Plane(), material=material),))
    models = [Model(name="b", bodies=NamedList([ball])), Model(name="f", static=True, bodies=NamedList([floor]))]
    return World(models=NamedList(models), gravity=(0.0, 0.0, -GRAVITY), time_step=1e-3)


@pytest.mark.parametrize("rolling", [0.0, 0.001, 0.005])
def test_a_rolling_ball_slows_down(report: Report, rolling: float) -> None:
    simulation = Simulation(world(0.0, rolling, 1.0, 0.0), report=report, contact=COMPLIANT)
    simulation.run(0.5)
    ball = simulation.body_states()["b"]["ball"]
    # The torque µ·m·g brakes the mass and the moment of inertia about the point of contact, 7/5·m·r².
    assert ball.linear_velocity[0] == pytest.approx(1.0 - 0.5 * GRAVITY * rolling / (1.4 * RADIUS), abs=2e-3)
    energy = simulation.diagnostics.energy
    assert energy.dissipated_by_constraints == pytest.approx(-energy.change, abs=1e-3)


def test_a_spinning_ball_slows_down(report: Report) -> None:
    simulation = Simulation(world(0.002, 0.0, 0.0, 5.0), report=report, contact=COMPLIANT)
    simulation.run(0.3)
    spin = simulation.body_states()["b"]["ball"].angular_velocity_body[2]
    assert spin == pytest.approx(5.0 - 0.3 * GRAVITY * MASS * 0.002 / MOMENT, abs=5e-3)
    (contact,) = simulation.contact_forces()
    assert abs(contact.torque[2]) == pytest.approx(0.002 * abs(contact.force[2]), rel=1e-2)


def test_a_ball_stays_on_a_slope_that_rolling_friction_resists(report: Report) -> None:
    """The torque of gravity about the contact, m·g·r·sin, is below that of friction; a little steeper, the ball rolls."""
    for slope, rolls in ((0.04, False), (0.06, True)):
        inclined = world(0.0, 0.005, 0.0, 0.0)
        tilted = World(models=inclined.models, gravity=(slope * GRAVITY, 0.0, -GRAVITY), time_step=1e-3)
        simulation = Simulation(tilted, report=report, contact=COMPLIANT)
        simulation.run(1.0)
        speed = simulation.body_states()["b"]["ball"].linear_velocity[0]
        expected = GRAVITY * (slope - 0.005 / RADIUS) / 1.4 if rolls else 0.0
        assert speed == pytest.approx(expected, abs=5e-3)


def test_rigid_contacts_report_it(report: Report) -> None:
    Simulation(world(0.002, 0.005, 1.0, 0.0), report=report)
    (finding,) = report.take("element-not-simulated")
    assert "friction against rolling and turning acts only in compliant contacts: 'ball'" in finding.message
