"""What is read from a written file is compared with the World also if elements have other names in it, or models are joined."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.conversion import convert
from ossature.conversion.round_trip_differences import uncovered_differences
from ossature.model import Body, Collision, Joint, Model, NamedList, Sphere, World
from random_mechanisms import random_mechanism
from random_models import random_robot, random_tree

FILES = PROJECT / "tests" / "mjcf" / "files"

HOPPER = """
<mujoco model="hopper">
  <worldbody>
    <geom type="box" size="5 5 0.5"/>
    <body name="torso" pos="0 0 1"><joint name="hip" axis="0 1 0"/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""


def several_models(seed: int, folder: Path) -> World:
    robot, tree, mechanism = random_robot(seed).models[0], random_tree(seed), random_mechanism(seed, folder).models[0]
    named = {"robot": robot, "tree": tree, "another": random_tree(seed + 100), "mechanism": mechanism}
    return World(name="several", models=[replace(model, name=name) for name, model in named.items()])


@pytest.mark.parametrize("suffix", [".urdf", ".skel"])
def test_the_ground_of_mjcf_has_another_name(suffix: str, tmp_path: Path) -> None:
    source = tmp_path / "hopper.xml"
    source.write_text(HOPPER)
    done = convert(source, tmp_path / f"out{suffix}", verify=True)
    assert [one.written for one in done.ledger.names] == ["world_2"]
    assert done.differences == ()


@pytest.mark.parametrize("suffix", [".xml", ".yaml"])
def test_joined_models_are_compared(suffix: str, tmp_path: Path) -> None:
    world = several_models(0, tmp_path)
    path = tmp_path / f"out{suffix}"
    ledger = ossature.save(world, path)
    again = ossature.load(path)
    assert uncovered_differences(world, again, ledger, tolerance=1e-9) == []
    joined = again.models[0]
    index, heavy = [(index, body) for index, body in enumerate(joined.bodies) if body.inertial.mass > 0.0][-1]
    changed = replace(heavy, inertial=replace(heavy.inertial, mass=2.0 * heavy.inertial.mass))
    bodies = [changed if number == index else body for number, body in enumerate(joined.bodies)]
    wrong = replace(again, models=[replace(joined, bodies=NamedList(bodies))])
    found = uncovered_differences(world, wrong, ledger, tolerance=1e-9)
    assert [one.path for one in found] == [f"{joined.name}/{heavy.name}.inertial.mass"]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".xml", ".yaml"])
@pytest.mark.parametrize("seed", range(1, 20))
def test_many_joined_models_are_compared(suffix: str, seed: int, tmp_path: Path) -> None:
    assert convert(several_models(seed, tmp_path), tmp_path / f"out{suffix}", verify=True).differences == ()


@pytest.mark.parametrize("name", ["robot", "gripper"])
def test_a_file_of_mujoco_twice(name: str, tmp_path: Path) -> None:
    first = ossature.load(FILES / f"{name}.xml")
    world = replace(first, models=[first.models[0], replace(first.models[0], name="second")])
    ledger = ossature.save(world, tmp_path / "out.xml")
    again = ossature.load(tmp_path / "out.xml")
    assert uncovered_differences(world, again, ledger, tolerance=1e-9) == []


def test_equal_names_of_bodies_and_joints(tmp_path: Path) -> None:
    ball = Collision(geometry=Sphere(radius=0.1))
    bodies = [Body(name="world", collisions=(ball,)), Body(name="", collisions=(ball, ball))]
    joints = [Joint(name="world", type=ossature.model.Fixed(), parent=None, child="world")]
    world = World(models=[Model(name="", bodies=NamedList(bodies), joints=NamedList(joints))])
    done = convert(world, tmp_path / "out.skel", verify=True)
    assert {(one.name, one.written) for one in done.ledger.names} >= {("world", "world_2"), ("", "Unknown body")}


CHRONO = """
model:
  name: spinning
  bodies:
    - {name: base, fixed: true, location: [0, 0, 0]}
    - {name: rotor, location: [0, 0, 1], mass: 1.0, inertia: {moments: [0.1, 0.1, 0.1]}, initial_angular_velocity: [0, 0, 6]}
  joints:
    - {name: axle, type: REVOLUTE, body1: rotor, body2: base, location: [0, 0, 1], axis: [0, 0, 1]}
"""


def test_initial_velocities_of_bodies_with_joints_are_in_the_ledger(tmp_path: Path) -> None:
    (tmp_path / "spinning.yaml").write_text(f"chrono-version: 10.0\n{CHRONO}")
    done = convert(tmp_path / "spinning.yaml", tmp_path / "out.xml", verify=True)
    (entry,) = [entry for entry in done.ledger if entry.path == "spinning/rotor.initial_angular_velocity_body"]
    assert entry.action == "rewritten"
    assert done.ledger.covers("spinning/axle.coordinates[0].initial_velocity")


def test_urdf_has_the_model_with_most_degrees_of_freedom(tmp_path: Path) -> None:
    ground = Model(
        name="ground",
        bodies=NamedList([Body(name="floor")]),
        joints=NamedList([Joint(name="weld", type=ossature.model.Fixed(), parent=None, child="floor")]),
    )
    world = World(models=[ground, replace(random_tree(3), name="robot")])
    ledger = ossature.save(world, tmp_path / "out.urdf")
    assert ossature.load(tmp_path / "out.urdf").models.names() == ("robot",)
    assert [entry.path for entry in ledger if "contains one robot" in entry.detail] == ["ground"]


def test_the_limits_and_shapes_that_mujoco_approximates(tmp_path: Path) -> None:
    cone = Collision(geometry=ossature.model.Cone(radius=0.1, length=0.2))
    hinge = Joint(
        name="hinge",
        type=ossature.model.Revolute(axis=(0.0, 0.0, 1.0)),
        parent=None,
        child="link",
        coordinates=(ossature.model.Coordinate(position_limits=ossature.model.Range(lower=-1.0, upper=1.0), friction=0.1),),
    )
    model = Model(name="m", bodies=NamedList([Body(name="link", collisions=(cone,))]), joints=NamedList([hinge]))
    done = convert(World(models=[model]), tmp_path / "out.xml", verify=True)
    approximated = {entry.path: entry.error for entry in done.ledger if entry.action == "approximated"}
    same = {entry.path for entry in done.ledger if entry.action == "rewritten"}
    assert {f"m/hinge.coordinates[0].{field} (softness)" for field in ("position_limits", "friction")} <= same
    assert approximated["m/link.collisions[0].geometry"] == pytest.approx(0.1 * (1.0 - np.cos(np.pi / 32)))
