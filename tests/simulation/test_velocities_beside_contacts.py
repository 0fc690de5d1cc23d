"""Velocities of the leapfrog integrator in scenes where contacts and limits act on some bodies only."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from contact_scenes import G, Thing, scene
from ossature.model import (
    Actuation,
    Body,
    Box,
    Coordinate,
    Inertial,
    Joint,
    Material,
    Model,
    NamedList,
    Prismatic,
    Range,
    Revolute,
    Sphere,
    Spherical,
    World,
)
from ossature.simulation import ContactOptions, Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector

MATERIAL = Material(friction=0.3)
PLATE = Box(size=(0.4, 0.4, 0.05))
CONTACTS = [None, ContactOptions(time_constant=0.02)]


def with_cart(world: World) -> World:
    """Return a World with a body beside all others whose velocity is commanded."""
    cart = Body(name="cart", pose=Pose((0.0, 9.0, 5.0)), inertial=Inertial(moment=np.diag([0.1, 0.1, 0.1]).tolist()))
    rail = Joint(name="rail", type=Prismatic(axis=(1.0, 0.0, 0.0)), parent=None, child="cart", actuation=Actuation.VELOCITY)
    model = Model(name="line", bodies=NamedList([cart]), joints=NamedList([rail]))
    return replace(world, models=NamedList([*world.models, model]))


def run(simulation: Simulation, steps: int, *, is_commanded: bool) -> None:
    """Take steps, with the same command before each of them, or with one command."""
    simulation.command("line", "rail", 0.1)
    for _ in range(steps):
        if is_commanded:
            simulation.command("line", "rail", 0.1)
        simulation.step()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("is_commanded", [False, True])
@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("step", [1e-3, 5e-3])
def test_a_body_falls_beside_one_that_rests(step: float, contact: ContactOptions | None, is_commanded: bool) -> None:
    """Each command restarts the integrator with the velocity of that time: it may not be one of half a step before."""
    things = Thing((0.0, 0.0, 0.1), material=MATERIAL), Thing((3.0, 0.0, 9.0), Sphere(radius=0.1))
    world = with_cart(scene(*things, material=MATERIAL, step=step, as_dart=False))
    simulation = Simulation(world, contact=contact or ContactOptions())
    run(simulation, round(0.5 / step), is_commanded=is_commanded)
    assert simulation.contact_forces()
    assert simulation.poses()["thing1"]["body"].position[2] == pytest.approx(9.0 - 0.125 * G, abs=1e-9)
    assert simulation.body_states()["thing1"]["body"].linear_velocity[2] == pytest.approx(-0.5 * G, abs=1e-9)


@pytest.mark.parametrize("is_commanded", [False, True])
def test_a_sliding_body_has_the_velocity_of_the_present_time(is_commanded: bool) -> None:
    thing = Thing((0.0, 0.0, 0.025), PLATE, 2.0, (0.03, 0.03, 0.05), velocity=(3.0, 0.0, 0.0), material=MATERIAL)
    simulation = Simulation(with_cart(scene(thing, material=MATERIAL, as_dart=False)))
    run(simulation, 200, is_commanded=is_commanded)
    assert simulation.poses()["thing0"]["body"].position[0] == pytest.approx(0.6 - 0.5 * 0.3 * G * 0.04, abs=1e-6)
    assert simulation.body_states()["thing0"]["body"].linear_velocity[0] == pytest.approx(3.0 - 0.3 * G * 0.2, abs=1e-6)


@pytest.mark.parametrize("is_commanded", [False, True])
def test_a_body_falls_beside_a_joint_at_its_limit(is_commanded: bool) -> None:
    arm = Body(
        name="arm", pose=Pose((0.0, 5.0, 1.0)), inertial=Inertial(center_of_mass=(0.5, 0.0, 0.0), moment=np.eye(3).tolist())
    )
    coordinate = Coordinate(position_limits=Range(-math.inf, 0.0))
    hinge = Joint(name="hinge", type=Revolute(axis=(0.0, 1.0, 0.0)), parent=None, child="arm", coordinates=(coordinate,))
    model = Model(name="robot", bodies=NamedList([arm]), joints=NamedList([hinge]))
    world = with_cart(scene(Thing((3.0, 0.0, 9.0)), as_dart=False))
    simulation = Simulation(replace(world, models=NamedList([*world.models, model])))
    run(simulation, 500, is_commanded=is_commanded)
    assert simulation.data.nl
    assert simulation.poses()["thing0"]["body"].position[2] == pytest.approx(9.0 - 0.125 * G, abs=1e-9)
    assert simulation.body_states()["thing0"]["body"].linear_velocity[2] == pytest.approx(-0.5 * G, abs=1e-9)


@pytest.mark.parametrize("contact", CONTACTS)
def test_the_velocity_jump_of_an_impact_is_not_extrapolated(contact: ContactOptions | None) -> None:
    simulation = Simulation(scene(Thing((0.0, 0.0, 0.6)), as_dart=False), contact=contact or ContactOptions())
    speeds = []
    for _ in range(500):
        simulation.step()
        speeds.append(simulation.body_states()["thing0"]["body"].linear_velocity[2])
    assert min(speeds) > -math.sqrt(2.0 * G * 0.5) - G * 1e-3
    assert max(speeds) < (0.01 if contact is None else 0.5)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("step", [1e-3, 5e-3])
@pytest.mark.parametrize("is_restored", [False, True])
def test_commands_after_impacts_do_not_change_rebounds(step: float, is_restored: bool) -> None:
    """The velocity after an impact is that of the middle of its step; there are two impacts."""
    material = Material(friction=0.5, restitution=0.8)
    ball = Thing((0.0, 0.0, 1.1), Sphere(radius=0.1), material=material)
    world = with_cart(scene(ball, material=material, step=step, as_dart=False))
    plain, commanded = Simulation(world), Simulation(world)
    for simulation in (plain, commanded):
        simulation.command("line", "rail", 0.1)
    was_touching = False
    for number in range(round(1.3 / step)):
        plain.step()
        is_touching = bool(plain.data.ncon)
        if is_restored and (is_touching or was_touching or number % 25 == 0):
            state = commanded.state()
            commanded = Simulation(world)
            commanded.restore(state)
        commanded.command("line", "rail", 0.1)
        commanded.step()
        was_touching = is_touching
    heights = [simulation.poses()["thing0"]["body"].position[2] for simulation in (plain, commanded)]
    assert heights[0] == pytest.approx(heights[1], abs=1e-9)


def spinning_top(step: float, *, has_box: bool) -> World:
    """Return a heavy top on a ball joint, alone or beside a box that rests."""
    moment = ((6e-4, 0.0, 0.0), (0.0, 6e-4, 0.0), (0.0, 0.0, 5e-4))
    body = Body(
        name="body",
        pose=Pose((3.0, 0.0, 3.0), quaternion_from_rotation_vector((0.0, 0.7, 0.0))),
        inertial=Inertial(mass=0.5, center_of_mass=(0.0, 0.0, 0.05), moment=moment),
        initial_angular_velocity_body=(0.0, 0.0, 100.0),
    )
    joint = Joint(name="joint", type=Spherical(), parent=None, child="body")
    world = scene(Thing((0.0, 0.0, 0.1)), step=step, as_dart=False)
    top = Model(name="top", bodies=NamedList([body]), joints=NamedList([joint]))
    return replace(world, models=NamedList([*(world.models if has_box else ()), top]))


def test_steps_are_divided_beside_a_body_that_rests() -> None:
    """The error estimate leaves out only what contacts act on."""
    exact, alone, beside = (
        Simulation(spinning_top(step, has_box=has_box)) for step, has_box in ((2e-5, False), (1e-3, False), (1e-3, True))
    )
    for simulation in (exact, alone, beside):
        simulation.run(0.2)
    quaternions = [np.array(simulation.poses()["top"]["body"].wxyz) for simulation in (exact, alone, beside)]
    errors = [2.0 * math.acos(min(1.0, abs(float(quaternions[0] @ other)))) for other in quaternions[1:]]
    assert max(errors) < 1e-3
    assert errors[1] == pytest.approx(errors[0], rel=0.1)


def test_velocities_of_overlapping_bodies_that_jump_are_not_extrapolated(corpus: Path) -> None:
    """Bodies of this robot overlap at the start, and are separated by impulses without an approach."""
    world = ossature.load(corpus / "corpus/openrave/darpa-arm.zae", base="by-rule")
    simulation = Simulation(world, contact=ContactOptions(ignore_link_overlaps=False))
    positions, speeds = [np.array(simulation.data.qpos)], [0.0]
    for _ in range(400):
        simulation.step()
        positions.append(np.array(simulation.data.qpos))
        speeds.append(float(np.abs(simulation.data.qvel).max()))
    steps = np.abs(np.diff(positions, axis=0)).max(axis=1) / simulation.time_step
    beside = np.maximum(steps[:-1], steps[1:])
    assert steps.max() > 20.0
    assert (np.array(speeds[1:-1]) <= 1.2 * beside + 0.1).all()
