"""Velocities of jointed bodies are written as velocities of their joints, as far as joints and loops allow them.

The expected numbers are those that DART and MuJoCo compute from the written files, and closed forms of impacts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from ossature.diagnostics import Action, Report
from ossature.model import NamedList, World
from random_mechanisms import random_mechanism

SEEDS = range(16)
ROD = """chrono-version: 10.0
model:
  name: m
  bodies:
    - {{name: ground, fixed: true, location: [0, 0, 0]}}
    - {{name: rod, location: [0, 0, 0], mass: 2.0, com: {{location: [0.5, 0, 0]}}, inertia: {{moments: [0.1, 0.3, 0.3]}},
       {motion}}}
  joints:
    - {{name: hinge, type: REVOLUTE, body1: rod, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}}
"""


def moving_mechanism(seed: int, folder: Path) -> World:
    """Return a mechanism, with loops or without, whose bodies have velocities that its joints do not allow."""
    world = random_mechanism(seed, folder)
    random = np.random.default_rng(seed)
    model = world.models[0]
    bodies = [
        body
        if body.name == "ground" or random.random() < 0.3
        else replace(
            body,
            initial_velocity=tuple(random.normal(size=3).tolist()),
            initial_angular_velocity_body=tuple(random.normal(size=3).tolist()),
        )
        for body in model.bodies
    ]
    return replace(world, models=NamedList([replace(model, bodies=NamedList(bodies), motors=NamedList())]))


def start_of_simulation(world: World) -> dict[str, np.ndarray]:
    """Return velocity of the origin (axes of the world) and angular velocity (axes of the body) of each body."""
    (states,) = ossature.Simulation(world, report=Report()).body_states().values()
    return {name: np.concatenate([state.linear_velocity, state.angular_velocity_body]) for name, state in states.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_dart_starts_with_the_velocities_of_the_simulation(seed: int, tmp_path: Path) -> None:
    dart = pytest.importorskip("dartpy")
    world = moving_mechanism(seed, tmp_path)
    ossature.save(world, tmp_path / "m.skel")
    skeleton = dart.utils.SkelParser.readWorld(str(tmp_path / "m.skel")).getSkeleton(0)
    for name, expected in start_of_simulation(world).items():
        body = skeleton.getBodyNode(name)
        rotation = body.getWorldTransform().rotation()
        found = np.concatenate([body.getLinearVelocity(), rotation.T @ body.getAngularVelocity()])
        np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("seed", SEEDS)
def test_mujoco_starts_with_the_velocities_of_the_simulation(seed: int, tmp_path: Path) -> None:
    world = moving_mechanism(seed, tmp_path)
    ossature.save(world, tmp_path / "m.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    for name, expected in start_of_simulation(world).items():
        velocity = np.zeros(6)
        number = model.body(name).id
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, number, velocity, 0)
        found = np.concatenate([velocity[3:], data.xmat[number].reshape(3, 3).T @ velocity[:3]])
        np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=name)


@pytest.mark.parametrize(
    ("motion", "rate", "change"),
    [
        # Both velocities agree with the hinge.
        ("initial_linear_velocity: [0, 1.5, 0], initial_angular_velocity: [0, 0, 3]", 3.0, None),
        # Angular momentum about the hinge: 2 kg * 0.5 m * 1.5 m/s = (0.3 + 2 * 0.25) kg m2 * rate.
        ("initial_linear_velocity: [0, 1.5, 0]", 1.875, 1.875),
        # 0.3 kg m2 * 4 rad/s; the hinge prevents the motion along it.
        ("initial_linear_velocity: [0, 0, 5], initial_angular_velocity: [0, 0, 4]", 1.5, None),
    ],
)
@pytest.mark.parametrize("suffix", [".skel", ".xml"])
def test_a_hinged_rod(suffix: str, motion: str, rate: float, change: float | None, tmp_path: Path) -> None:
    (tmp_path / "rod.yaml").write_text(ROD.format(motion=motion))
    ledger = ossature.convert(tmp_path / "rod.yaml", tmp_path / f"out{suffix}", report=Report()).ledger
    world = ossature.load(tmp_path / f"out{suffix}")
    simulation = ossature.Simulation(world)
    if suffix == ".xml":
        simulation.apply_keyframe("home")
    (velocities,) = simulation.velocities().values()
    np.testing.assert_allclose(velocities["hinge"], [rate], atol=1e-14)
    errors = {entry.path: entry.error for entry in ledger if entry.action is Action.APPROXIMATED and entry.error}
    if change is not None:
        assert errors["m/rod.initial_angular_velocity_body"] == pytest.approx(change)
    if "[0, 0, 5]" in motion:
        assert errors["m/rod.initial_velocity"] == pytest.approx(np.hypot(5.0, 0.75))
    assert not [entry for entry in ledger if entry.action is Action.DROPPED and "velocity" in entry.path]
