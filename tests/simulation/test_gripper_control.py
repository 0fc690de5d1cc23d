"""Grippers: fingers reach their limits, press an object, and hold it by friction."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from ossature.diagnostics import Report
from ossature.kinematics import GripperError
from ossature.model import (
    Actuation,
    Body,
    Box,
    Collision,
    Coordinate,
    DartStepping,
    Fixed,
    GripperJoint,
    Inertial,
    Joint,
    Manipulator,
    Model,
    NamedList,
    Prismatic,
    Range,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose, Vector3

OPEN, SHUT, EFFORT, WIDTH = 0.1, 0.0, 2.0, 0.05
COORDINATE = Coordinate(
    position_limits=Range(lower=SHUT, upper=OPEN),
    velocity_limits=Range(lower=-0.2, upper=0.2),
    effort_limits=Range(lower=-EFFORT, upper=EFFORT),
    initial_position=OPEN,
)
SIDES = {"left": -1.0, "right": 1.0}


def cube(mass: float, size: Vector3) -> Inertial:
    x, y, z = size
    return Inertial(
        mass=mass,
        moment=(
            (mass * (y * y + z * z) / 12, 0, 0),
            (0, mass * (x * x + z * z) / 12, 0),
            (0, 0, mass * (x * x + y * y) / 12),
        ),
    )


def hand(actuation: Actuation = Actuation.FORCE, coordinate: Coordinate = COORDINATE) -> Model:
    """Return a palm with two fingers of 0.02 m that slide towards each other along x."""
    size = (0.02, 0.04, 0.08)
    fingers = [Body(name=side, inertial=cube(0.1, size), collisions=(Collision(geometry=Box(size=size)),)) for side in SIDES]
    slides = [
        Joint(
            name=f"{side}_slide",
            type=Prismatic(axis=(sign, 0.0, 0.0)),
            parent="palm",
            child=side,
            coordinates=(coordinate,),
            actuation=actuation,
        )
        for side, sign in SIDES.items()
    ]
    gripper = tuple(GripperJoint(joint=joint.name, closing_directions=(-1.0,)) for joint in slides)
    return Model(
        name="hand",
        bodies=NamedList([Body(name="palm"), *fingers]),
        joints=NamedList([Joint(name="held", type=Fixed(), parent=None, child="palm"), *slides]),
        manipulators=NamedList([Manipulator(name="hand", base="palm", tip="palm", gripper=gripper)]),
    )


def thing(x: float = 0.0) -> Model:
    size = (WIDTH, WIDTH, WIDTH)
    body = Body(
        name="thing",
        pose=Pose((x, 0.0, 0.0)),
        inertial=cube(0.05, size),
        collisions=(Collision(geometry=Box(size=size)),),
    )
    return Model(name="thing", bodies=NamedList([body]))


def places(simulation: Simulation) -> list[float]:
    return [simulation.positions()["hand"][f"{side}_slide"][0] for side in SIDES]


@pytest.mark.parametrize("as_dart", [True, False])
def test_fingers_reach_their_limits_at_their_speed(as_dart: bool) -> None:
    simulation = Simulation(World(models=NamedList([hand()]), hints=(DartStepping(),) if as_dart else ()))
    simulation.grippers["hand"].close()
    simulation.step(100)
    assert places(simulation) == pytest.approx([OPEN - 0.2 * 0.1] * 2, abs=2e-3)
    simulation.step(900)
    assert places(simulation) == pytest.approx([SHUT] * 2, abs=1e-4)
    simulation.grippers["hand"].open()
    simulation.step(1000)
    assert places(simulation) == pytest.approx([OPEN] * 2, abs=1e-4)


@pytest.mark.parametrize("as_dart", [True, False])
def test_fingers_press_and_lift_an_object(as_dart: bool) -> None:
    """The fingers press with the effort limit, and friction balances the weight of the object."""
    world = World(models=NamedList([hand(), thing()]), hints=(DartStepping(),) if as_dart else (), gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(world)
    simulation.grippers["hand/hand"].close()
    simulation.step(1500)
    assert places(simulation) == pytest.approx([WIDTH / 2.0 + 0.01] * 2, abs=1e-3)
    for side in SIDES:
        dof = simulation.compiled.index.joints["hand"][f"{side}_slide"].dof
        assert simulation.data.qfrc_applied[dof] == pytest.approx(-EFFORT)
    simulation.data.model.opt.gravity[2] = -9.81
    before = simulation.body_states()["thing"]["thing"].position[2]
    simulation.step(500)
    assert simulation.body_states()["thing"]["thing"].position[2] == pytest.approx(before, abs=5e-3)
    simulation.grippers["hand"].open()
    simulation.step(1000)
    assert simulation.body_states()["thing"]["thing"].position[2] < -1.0


@pytest.mark.parametrize("actuation", [Actuation.VELOCITY, Actuation.SERVO])
def test_fingers_with_unlimited_effort_stop_at_contact(actuation: Actuation) -> None:
    """They do not press; where nothing is between them they stop at their limits."""
    unlimited = replace(COORDINATE, effort_limits=Range())
    simulation = Simulation(World(models=NamedList([hand(actuation, unlimited), thing()]), gravity=(0.0, 0.0, 0.0)))
    simulation.grippers["hand"].close()
    simulation.step(1000)
    assert places(simulation) == pytest.approx([WIDTH / 2.0 + 0.01] * 2, abs=1e-3)
    alone = Simulation(World(models=NamedList([hand(actuation, unlimited)])))
    alone.grippers["hand"].close()
    alone.step(1000)
    assert places(alone) == pytest.approx([SHUT] * 2, abs=1e-4)


def test_a_servo_presses_with_its_effort_limit() -> None:
    simulation = Simulation(World(models=NamedList([hand(Actuation.SERVO), thing()]), gravity=(0.0, 0.0, 0.0)))
    simulation.grippers["hand"].close()
    simulation.step(1000)
    assert places(simulation) == pytest.approx([WIDTH / 2.0 + 0.01] * 2, abs=2e-3)


def test_a_gripper_continues_through_a_grasp() -> None:
    simulation = Simulation(World(models=NamedList([hand(), thing()]), gravity=(0.0, 0.0, 0.0)))
    simulation.grippers["hand"].close()
    simulation.step(300)
    simulation.grasp("palm", "thing", ignored_bodies=["left", "right"])
    simulation.step(1000)
    assert places(simulation) == pytest.approx([SHUT] * 2, abs=1e-4)
    simulation.grippers["hand"].relax()
    assert not simulation.data.qfrc_applied.any()


def test_an_assumed_effort_is_reported(report: Report) -> None:
    simulation = Simulation(
        World(models=NamedList([hand(coordinate=replace(COORDINATE, effort_limits=Range()))])), report=report
    )
    simulation.grippers["hand"].close(effort=5.0)
    simulation.grippers["hand"].close()
    assert len(report.take("assumed-grip-force")) == 2
    assert report.take("unenforced-velocity-limit")


def test_impossible_gripper_commands_are_refused() -> None:
    simulation = Simulation(World(models=NamedList([hand()])))
    with pytest.raises(KeyError, match="there is no gripper 'hnad': did you mean"):
        simulation.grippers["hnad"]
    with pytest.raises(GripperError, match="must be positive, not -1"):
        simulation.grippers["hand"].close(speed=-1.0)
    accelerated = Simulation(World(models=NamedList([hand(Actuation.ACCELERATION)])))
    with pytest.raises(GripperError, match="accepts accelerations"):
        accelerated.grippers["hand"].close()
    endless = replace(COORDINATE, position_limits=Range(), velocity_limits=Range())
    with pytest.raises(GripperError, match="neither a velocity limit nor a range"):
        Simulation(World(models=NamedList([hand(coordinate=endless)]))).grippers["hand"].close()


def test_a_snapshot_continues_the_simulation() -> None:
    """A snapshot of a World continues like its simulation: free, grasped and driven bodies."""
    flying = replace(
        thing(1.0), bodies=NamedList([replace(thing(1.0).bodies[0], initial_angular_velocity_body=(1.0, 2.0, 3.0))])
    )
    world = World(models=NamedList([hand(), flying, replace(thing(), name="other", pose=Pose((0.0, 0.0, 1.0)))]))
    simulation = Simulation(world)
    simulation.step(100)
    simulation.grasp("left", "other/thing")
    simulation.step(50)
    again = Simulation(simulation.to_world())
    assert again.grasps == simulation.grasps
    simulation.step(100)
    again.step(100)
    for model, bodies in simulation.body_states().items():
        for name, state in bodies.items():
            np.testing.assert_allclose(again.body_states()[model][name].position, state.position, atol=1e-6)
    assert math.isclose(again.time, 0.1)
