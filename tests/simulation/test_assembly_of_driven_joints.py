"""Joints with a prescribed motion start at their initial positions, also in mechanisms that are assembled: closed forms."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages import POINTS, hinged
from ossature.kinematics import add_grasp
from ossature.model import (
    Actuation,
    Body,
    BodyPath,
    Coordinate,
    Euler,
    Floating,
    Inertial,
    Joint,
    JointType,
    Model,
    NamedList,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    World,
)
from ossature.simulation import Simulation

START = (0.1, -0.2, 0.3, 0.4, -0.5, 0.6)
BALL = Inertial(mass=1.0, moment=((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
DRIVEN = [Actuation.VELOCITY, Actuation.ACCELERATION, Actuation.SERVO]


def single(name: str, kind: JointType, actuation: Actuation = Actuation.FORCE, start: tuple[float, ...] = ()) -> Model:
    coordinates = tuple([Coordinate(initial_position=value) for value in start])
    joint = Joint(name=f"{name}_joint", type=kind, parent=None, child=name, actuation=actuation, coordinates=coordinates)
    return Model(name=name, bodies=NamedList([Body(name=name, inertial=BALL)]), joints=NamedList([joint]))


@pytest.mark.parametrize("actuation", DRIVEN)
@pytest.mark.parametrize("kind", [Revolute(), Prismatic(), Planar(), Euler(), Spherical(), Floating()])
def test_a_driven_joint_beside_a_grasp_starts_at_its_position(kind: JointType, actuation: Actuation) -> None:
    start = START[: kind.degrees_of_freedom]
    models = [single("hand", Prismatic()), single("thing", Prismatic()), single("other", kind, actuation, start)]
    world = World(models=NamedList(models), time_step=0.001)
    hand, thing = (BodyPath(model=name, body=name) for name in ("hand", "thing"))
    simulation = Simulation(add_grasp(world, hand, thing))
    for _ in range(2):
        np.testing.assert_allclose(simulation.positions()["other"]["other_joint"], start, atol=1e-9)
        simulation.step(5)


@pytest.mark.parametrize("actuation", DRIVEN)
def test_a_loop_is_closed_around_a_driven_joint(actuation: Actuation) -> None:
    model, angle = hinged(POINTS), 0.2
    crank = replace(model.joints["hinge0"], actuation=actuation, coordinates=(Coordinate(initial_position=angle),))
    model = replace(model, joints=model.joints.map(lambda joint: crank if joint.name == "hinge0" else joint))
    simulation = Simulation(World(models=NamedList([model])))
    assert simulation.positions()["m"]["hinge0"][0] == pytest.approx(angle, abs=1e-9)
    pivot, first, second, end = (np.array(point[:2]) for point in POINTS)
    length = math.dist(pivot, first)
    direction = math.atan2(*(first - pivot)[::-1]) + angle
    first_now = pivot + length * np.array([math.cos(direction), math.sin(direction)])
    # The coupler's end is where the circles about both of its neighbours intersect.
    across, coupler, rocker = end - first_now, math.dist(first, second), math.dist(second, end)
    distance = float(np.linalg.norm(across))
    along = (coupler**2 - rocker**2 + distance**2) / (2.0 * distance)
    height = math.sqrt(coupler**2 - along**2)
    ex = across / distance
    expected = first_now + along * ex + height * np.array([-ex[1], ex[0]])
    np.testing.assert_allclose(simulation.poses()["m"]["bar2"].position[:2], expected, atol=1e-9)


RATE, GAIN, DURATION = 0.5, 1.0, 0.4
MOVED = RATE * DURATION + 0.5 * GAIN * DURATION**2
ACCELERATED = Coordinate(initial_velocity=RATE, initial_acceleration=GAIN)


@pytest.mark.parametrize("kind", [Revolute(), Prismatic(), Planar(), Spherical(), Floating()])
def test_a_joint_with_a_commanded_acceleration_beside_a_grasp_keeps_its_velocity(kind: JointType) -> None:
    coordinates = (*[Coordinate()] * (kind.degrees_of_freedom - 1), ACCELERATED)
    joint = Joint(name="j", type=kind, parent=None, child="other", actuation=Actuation.ACCELERATION, coordinates=coordinates)
    other = Model(name="other", bodies=NamedList([Body(name="other", inertial=BALL)]), joints=NamedList([joint]))
    world = World(models=NamedList([single("hand", Prismatic()), single("thing", Prismatic()), other]), time_step=0.001)
    hand, thing = (BodyPath(model=name, body=name) for name in ("hand", "thing"))
    simulation = Simulation(add_grasp(world, hand, thing))
    simulation.step(round(DURATION / 0.001))
    assert simulation.positions()["other"]["j"][-1] == pytest.approx(MOVED, abs=1e-7)


def test_a_crank_with_a_commanded_acceleration_keeps_its_velocity() -> None:
    model = hinged(POINTS)
    crank = replace(model.joints["hinge0"], actuation=Actuation.ACCELERATION, coordinates=(ACCELERATED,))
    model = replace(model, joints=model.joints.map(lambda joint: crank if joint.name == "hinge0" else joint))
    simulation = Simulation(World(models=NamedList([model]), time_step=0.001))
    simulation.step(round(DURATION / 0.001))
    assert simulation.positions()["m"]["hinge0"][0] == pytest.approx(MOVED, abs=1e-6)
