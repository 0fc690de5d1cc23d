"""Grasps of bodies whose floating joint has springs, dampers, friction, a force, or a prescribed motion: closed forms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from ossature.model import (
    Actuation,
    Body,
    Coordinate,
    DartStepping,
    Floating,
    Inertial,
    Joint,
    Model,
    NamedList,
    Prismatic,
    World,
)
from ossature.simulation import SampledSignal, Simulation
from ossature.spatial import Pose

DURATION, START, MASS = 0.5, 1.0, 1.0
BALL = Inertial(mass=MASS, moment=((0.1, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.1)))
WITHOUT = [Coordinate()] * 3
# Both bodies together have twice the mass and half the velocity.
LAWS: Mapping[str, tuple[Coordinate, float]] = {
    "damper": (Coordinate(damping=2.0), 0.5 * START * math.exp(-2.0 / (2.0 * MASS) * DURATION)),
    "spring": (Coordinate(stiffness=50.0), 0.5 * START * math.cos(math.sqrt(50.0 / (2.0 * MASS)) * DURATION)),
    "friction": (Coordinate(friction=0.5), 0.5 * START - 0.5 / (2.0 * MASS) * DURATION),
    "force": (Coordinate(initial_effort=3.0), 0.5 * START + 3.0 / (2.0 * MASS) * DURATION),
}


def world(along: Sequence[Coordinate], actuation: Actuation = Actuation.FORCE, *, as_dart: bool = False) -> World:
    """Return a World with a hand that slides along x, and a thing that floats beside it."""
    start = (Coordinate(initial_velocity=START),)
    slide = Joint(name="slide", type=Prismatic(axis=(1.0, 0.0, 0.0)), parent=None, child="hand", coordinates=start)
    coordinates = (*WITHOUT, *along)
    free = Joint(name="free", type=Floating(), parent=None, child="thing", coordinates=coordinates, actuation=actuation)
    hand, thing = Body(name="hand", inertial=BALL), Body(name="thing", inertial=BALL, pose=Pose((0.3, 0.0, 0.0)))
    models = [
        Model(name="arm", bodies=NamedList([hand]), joints=NamedList([slide])),
        Model(name="cup", bodies=NamedList([thing]), joints=NamedList([free])),
    ]
    hints = (DartStepping(),) if as_dart else ()
    return World(models=NamedList(models), gravity=(0.0, 0.0, 0.0), time_step=0.001, hints=hints)


def velocity(simulation: Simulation) -> float:
    return simulation.velocities()["arm"]["slide"][0]


@pytest.mark.parametrize("as_dart", [False, True])
@pytest.mark.parametrize("law", LAWS)
def test_forces_of_the_floating_joint_act_on_the_gripper(law: str, as_dart: bool) -> None:
    coordinate, expected = LAWS[law]
    # Of free joints only equal friction along all axes is simulated.
    others = [coordinate] * 2 if law == "friction" else WITHOUT[:2]
    simulation = Simulation(world([coordinate, *others], as_dart=as_dart))
    simulation.grasp("hand", "thing")
    simulation.step(round(DURATION / 0.001))
    assert velocity(simulation) == pytest.approx(expected, abs=2e-3 if as_dart else 1e-5)
    assert simulation.poses()["cup"]["thing"].position[0] - simulation.poses()["arm"]["hand"].position[0] == pytest.approx(0.3)
    saved = simulation.state()
    simulation.release("thing")
    simulation.step(10)
    assert simulation.velocities()["cup"]["free"][3] != pytest.approx(velocity(simulation), abs=1e-4)
    again = Simulation(world([coordinate, *others], as_dart=as_dart))
    again.restore(saved)
    again.release("thing")
    again.step(10)
    assert again.velocities() == simulation.velocities()


DRIVEN = [Actuation.LOCKED, Actuation.VELOCITY, Actuation.ACCELERATION, Actuation.SERVO]


@pytest.mark.parametrize("actuation", DRIVEN)
def test_a_body_at_rest_that_is_driven_stops_its_gripper(actuation: Actuation) -> None:
    simulation = Simulation(world(WITHOUT, actuation))
    simulation.grasp("hand", "thing")
    simulation.step(20)
    assert velocity(simulation) == pytest.approx(0.0, abs=1e-12)


def test_a_gripper_follows_the_body_that_is_driven() -> None:
    simulation = Simulation(world(WITHOUT, Actuation.VELOCITY))
    simulation.command("cup", "free", [0.0, 0.0, 0.0, 0.7, 0.0, 0.0])
    simulation.step(5)
    simulation.grasp("hand", "thing")
    simulation.step(50)
    assert velocity(simulation) == pytest.approx(0.7, abs=1e-6)


FORCE = [0.0, 0.0, 0.0, 3.0, 0.0, 0.0]
COMMANDS: Mapping[str, object] = {
    "constant": FORCE,
    "table": SampledSignal([0.0, 9.0], [FORCE, FORCE]),
    "function": lambda time: FORCE,
}


@pytest.mark.parametrize("is_grasped_before", [False, True])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_commanded_force_on_the_floating_joint_acts_on_the_gripper(command: str, is_grasped_before: bool) -> None:
    simulation = Simulation(world(WITHOUT))
    if is_grasped_before:
        simulation.grasp("hand", "thing")
    simulation.command("cup", "free", COMMANDS[command])
    if not is_grasped_before:
        simulation.grasp("hand", "thing")
    simulation.step(round(DURATION / 0.001))
    assert velocity(simulation) == pytest.approx(0.5 * START + 3.0 / (2.0 * MASS) * DURATION, abs=1e-5)
    again = Simulation(world(WITHOUT))
    if command == "function":
        again.command("cup", "free", COMMANDS[command])
    again.restore(simulation.state())
    for one in (simulation, again):
        one.step(10)
        assert one.grasps
        one.command("cup", "free", np.zeros(6).tolist())
        one.step(10)
        one.release("thing")
        one.step(10)
    assert again.state() == simulation.state()
    assert simulation.velocities()["cup"]["free"][3] == pytest.approx(velocity(simulation), abs=1e-6)


def test_a_force_that_has_ended_leaves_a_grasp_exact() -> None:
    simulation = Simulation(world(WITHOUT))
    simulation.command("cup", "free", FORCE)
    simulation.step(5)
    simulation.command("cup", "free", np.zeros(6).tolist())
    simulation.grasp("hand", "thing")
    simulation.step(5)
    assert simulation.velocities()["cup"]["free"][3] == pytest.approx(velocity(simulation), abs=1e-12)
