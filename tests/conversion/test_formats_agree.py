"""One robot in every format that is read and written: the same bodies at the same places, moved by the same forces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from equations_of_motion import equations_of_motion
from ossature.assets import MeshStore
from ossature.formats import REGISTRY, Content
from ossature.kinematics import default_moment_of_inertia
from ossature.model import UNBOUNDED, Actuation, Model, NamedList, World
from ossature.simulation import Simulation

SUFFIXES = sorted(known.suffixes[0] for known in REGISTRY.own(Content.WORLD) if known.read and known.write)
ROBOT = PROJECT / "examples" / "palletizer.urdf"
JOINTS = ("turn", "shoulder", "elbow", "wrist", "left_slide", "right_slide")
TOLERANCE = 1e-9


def written_and_read(suffix: str, folder: Path) -> World:
    path = folder / f"palletizer{suffix}"
    ossature.save(ossature.load(ROBOT), path)
    return ossature.load(path)


def states() -> list[dict[str, dict[str, tuple[float, ...]]]]:
    random = np.random.default_rng(7)
    return [
        {kind: {name: (float(random.uniform(-1.0, 1.0)),) for name in JOINTS} for kind in ("positions", "velocities")}
        for _ in range(10)
    ]


def all_driven_by_forces(world: World) -> World:
    """Return the World with joints that move by themselves, for not every format says which follows which."""
    model = world.models[0]
    joints = [
        replace(
            joint,
            actuation=Actuation.FORCE,
            coordinates=tuple(replace(each, coupling=None, position_limits=UNBOUNDED) for each in joint.coordinates),
        )
        for joint in model.joints
    ]
    return replace(world, gravity=(0.0, 0.0, -9.81), models=NamedList([replace(model, joints=NamedList(joints))]))


def robot_of(world: World) -> Model:
    (model,) = world.models
    return model


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_bodies(suffix: str, tmp_path: Path) -> None:
    expected, found = robot_of(ossature.load(ROBOT)), robot_of(written_and_read(suffix, tmp_path))
    assert set(found.bodies.names()) == set(expected.bodies.names())
    assert {joint.name for joint in found.joints if joint.degrees_of_freedom} == set(JOINTS)
    for body in expected.bodies:
        again = found.bodies[body.name]
        assert again.inertial.mass == body.inertial.mass
        if body.inertial.mass:
            assert again.inertial.center_of_mass == pytest.approx(body.inertial.center_of_mass, abs=TOLERANCE)
        np.testing.assert_allclose(default_moment_of_inertia(again, MeshStore()), body.inertial.moment, atol=TOLERANCE)
        assert len(again.collisions) == len(body.collisions)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_places(suffix: str, tmp_path: Path) -> None:
    expected, found = ossature.load(ROBOT), written_and_read(suffix, tmp_path)
    for state in states():
        wanted = ossature.poses(expected, {"palletizer": state["positions"]})["palletizer"]
        placed = ossature.poses(found, {robot_of(found).name: state["positions"]})[robot_of(found).name]
        for name, pose in wanted.items():
            np.testing.assert_allclose(placed[name].matrix(), pose.matrix(), atol=TOLERANCE, err_msg=name)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equations_of_motion(suffix: str, tmp_path: Path) -> None:
    worlds = [all_driven_by_forces(world) for world in (ossature.load(ROBOT), written_and_read(suffix, tmp_path))]
    simulations = [(Simulation(world), robot_of(world).name) for world in worlds]
    for state in states():
        (M, c), (M_again, c_again) = [
            equations_of_motion(simulation, name, JOINTS, state["positions"], state["velocities"])
            for simulation, name in simulations
        ]
        np.testing.assert_allclose(M_again, M, atol=TOLERANCE)
        np.testing.assert_allclose(c_again, c, atol=TOLERANCE)
