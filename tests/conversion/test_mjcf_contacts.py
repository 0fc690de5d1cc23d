"""What a written MJCF file keeps of rigid contacts, which MJCF cannot ask for: MuJoCo's own run against ours."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from ossature.assets import MeshStore
from ossature.diagnostics import Ledger, Report
from ossature.model import Body, Box, Collision, DartStepping, Inertial, Material, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.simulation.mjcf_export import write_mjcf
from ossature.spatial import IDENTITY_WXYZ, Pose, Vector3, quaternion_from_rotation_vector

G = 9.81
STEP = 1e-3
HALF = 0.1
FRICTION = 0.5


def box_on_a_plate(
    height: float,
    velocity: Vector3 = (0.0, 0.0, 0.0),
    slope: float = 0.0,
    restitution: float | None = None,
    friction: float = FRICTION,
) -> World:
    """Return a cube above a plate, which is inclined about y and whose upper side goes through the origin."""
    inclined = Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector((0.0, slope, 0.0)))
    material = Material(name="wood", friction=friction, restitution=restitution)
    size = 2.0 * HALF
    cube = Body(
        name="cube",
        pose=inclined @ Pose((0.0, 0.0, height), IDENTITY_WXYZ),
        inertial=Inertial(mass=1.0, moment=((size**2 / 6.0, 0.0, 0.0), (0.0, size**2 / 6.0, 0.0), (0.0, 0.0, size**2 / 6.0))),
        collisions=(Collision(geometry=Box(size=(size, size, size)), material=material),),
        initial_velocity=velocity,
    )
    plate = Body(
        name="plate",
        pose=inclined @ Pose((0.0, 0.0, -0.5), IDENTITY_WXYZ),
        collisions=(Collision(geometry=Box(size=(20.0, 20.0, 1.0)), material=material),),
    )
    models = [Model(name="ground", static=True, bodies=NamedList([plate])), Model(name="thing", bodies=NamedList([cube]))]
    return World(gravity=(0.0, 0.0, -G), time_step=STEP, hints=(DartStepping(),), models=NamedList(models))


def paths(world: World, steps: int, velocity: Vector3 = (0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
    """Return where the cube is after each step here, and in MuJoCo with the written file, shape (steps, 3) each."""
    simulation = Simulation(world, report=Report())
    model = mujoco.MjModel.from_xml_string(write_mjcf(world, Ledger(), meshes=MeshStore(), report=Report()))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qvel[:3] = velocity  # which the file drops, as the ledger states: the cube has no joint
    here, there = [], []
    for _ in range(steps):
        simulation.step()
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        here.append(simulation.poses()["thing"]["cube"].position)
        there.append(data.body("cube").xpos.copy())
    return np.array(here), np.array(there)


def test_rigid_contacts_are_approximated() -> None:
    ledger = Ledger()
    write_mjcf(box_on_a_plate(HALF, restitution=0.5), ledger, meshes=MeshStore(), report=Report())
    lines = ledger.lines()
    where, detail = "ground.bodies, thing.bodies", "rigid contacts become compliant with a time constant of 8 time steps"
    assert any(line.startswith(f"approximated: {where}: {detail}") for line in lines)
    shapes = ("ground/plate", "thing/cube")
    collisions = ", ".join(f"{shape}.collisions[0].material.restitution (0.5)" for shape in shapes)
    assert f"dropped: {collisions}: restitution of a material, which the format does not support" in lines


def test_a_fall_is_the_same_up_to_the_impact_and_ends_at_the_same_height() -> None:
    here, there = paths(box_on_a_plate(1.0 + HALF), 2000)
    hit = math.floor(math.sqrt(2.0 / G) / STEP)
    np.testing.assert_allclose(there[: hit - 2], here[: hit - 2], rtol=0.0, atol=1e-9)
    sunk, risen = HALF - there[:, 2].min(), there[hit + 50 :, 2].max() - HALF
    assert 0.014 < sunk < 0.016, "docs/contacts.md states 15 mm"
    assert 0.011 < risen < 0.013, "docs/contacts.md states 12 mm"
    assert abs(here[hit + 2 :, 2] - HALF).max() < 1e-5
    np.testing.assert_allclose(there[-1], here[-1], rtol=0.0, atol=1e-6)


def test_a_sliding_cube_floats_and_stops_at_the_same_place() -> None:
    velocity = (3.0, 0.0, 0.0)
    here, there = paths(box_on_a_plate(HALF, velocity, friction=1.0), 1000, velocity)
    distance = 9.0 / (2.0 * G)
    assert here[-1, 0] == pytest.approx(distance, rel=4e-3)
    assert there[-1, 0] == pytest.approx(distance, rel=4e-3)
    assert abs(here[:, 2] - HALF).max() < 2e-5
    assert 0.0085 < there[:, 2].max() - HALF < 0.0095, "docs/contacts.md states 9 mm"


def test_sticking_and_sliding_on_a_slope() -> None:
    here, there = paths(box_on_a_plate(HALF, slope=math.radians(20.0)), 2000)
    assert np.linalg.norm(here[-1] - here[999]) < 1e-6, "it sticks"
    assert np.linalg.norm(there[-1] - there[999]) < 1e-6, "it creeps by less than 1 µm/s"
    slope = math.radians(35.0)
    here, there = paths(box_on_a_plate(HALF, slope=slope), 1000)
    travelled = 0.5 * G * (math.sin(slope) - FRICTION * math.cos(slope))
    assert np.linalg.norm(here[-1] - here[0]) == pytest.approx(travelled, rel=3e-3)
    assert np.linalg.norm(there[-1] - there[0]) == pytest.approx(travelled, rel=3e-3)
