"""Written files start with the velocities of the World, whatever the pose of the model and however a body is connected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Action, Report
from ossature.kinematics.apply_state import apply_state
from ossature.model import (
    Body,
    Coordinate,
    Fixed,
    Floating,
    Inertial,
    Joint,
    LinkState,
    Model,
    ModelState,
    NamedList,
    Prismatic,
    Revolute,
    State,
    Twist,
    World,
)
from ossature.spatial import Pose, normalized, rotation_matrix

INERTIAL = Inertial(mass=2.0, center_of_mass=(0.1, -0.2, 0.3), moment=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5)))
TURNED = Pose((3.0, 2.0, 1.0), normalized((1.0, -0.4, 0.3, 0.6)))
POSE = Pose((1.0, 0.5, 0.0), normalized((1.0, 0.2, 0.3, 0.4)))


SUFFIXES = (".skel", ".yaml", ".dae", ".xml", ".usda")


def tolerance_of(suffix: str) -> float:
    """Return the rounding errors of velocities in a format, which OpenUSD stores with 32 bits."""
    return 1e-6 if suffix == ".usda" else 1e-12


def with_free_joint(*, is_turned: bool) -> World:
    """Return a World with a free joint that has positions and velocities."""
    values = np.random.default_rng(1).normal(scale=0.5, size=(6, 2)).tolist()
    coordinates = tuple(Coordinate(initial_position=q, initial_velocity=v) for q, v in values)
    pose = Pose((0.1, 0.2, 0.3), normalized((1.0, 0.3, -0.2, 0.5)))
    joint = Joint(name="j", type=Floating(), parent=None, child="b", pose=pose, coordinates=coordinates)
    bodies, model_pose = NamedList([Body(name="b", pose=POSE, inertial=INERTIAL)]), TURNED if is_turned else Pose()
    return World(models=NamedList([Model(name="m", pose=model_pose, bodies=bodies, joints=NamedList([joint]))]))


def without_joint(*, is_turned: bool) -> World:
    """Return a World with a floating body that has velocities."""
    body = Body(
        name="b",
        pose=POSE,
        inertial=INERTIAL,
        initial_velocity=(0.3, -0.4, 0.5),
        initial_angular_velocity_body=(-0.6, 0.7, 0.8),
    )
    return World(models=NamedList([Model(name="m", pose=TURNED if is_turned else Pose(), bodies=NamedList([body]))]))


def in_world(wxyz: Sequence[float], vector: Sequence[float]) -> np.ndarray:
    """Return a vector in axes of the world from its components in a rotated frame."""
    return np.asarray(rotation_matrix((wxyz[0], wxyz[1], wxyz[2], wxyz[3])) @ np.array(vector))


def motion(world: World) -> np.ndarray:
    """Return position, velocity of the origin and angular velocity of the only body at the start, in the world."""
    simulation = ossature.Simulation(world)
    if world.models[0].keyframes:
        simulation.apply_keyframe("home")
    (body,) = next(iter(simulation.body_states().values())).values()
    return np.concatenate([body.position, body.linear_velocity, in_world(body.wxyz, body.angular_velocity_body)])


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("make", [with_free_joint, without_joint])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_velocities_are_preserved(suffix: str, make, is_turned: bool, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    world = make(is_turned=is_turned)
    path = tmp_path / f"written{suffix}"
    ossature.save(world, path)
    expected = motion(world)
    assert np.abs(expected[3:]).min() > 0.01
    np.testing.assert_allclose(motion(ossature.load(path)), expected, atol=tolerance_of(suffix))


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("make", [with_free_joint, without_joint])
def test_dart_reads_the_velocities(make, is_turned: bool, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    dart = pytest.importorskip("dartpy")
    world = make(is_turned=is_turned)
    path = tmp_path / "written.skel"
    ossature.save(world, path)
    body = dart.utils.SkelParser.readWorld(str(path)).getSkeleton(0).getBodyNode(0)
    position = body.getWorldTransform().translation()
    read = np.concatenate([position, body.getLinearVelocity(), body.getAngularVelocity()])
    np.testing.assert_allclose(read, motion(world), atol=1e-12)


def floating_arm() -> World:
    """Return a World with a robot that floats, in a rotated model frame: two links on joints, of which one moves."""
    base = Body(name="base", pose=POSE, inertial=INERTIAL)
    links = [Body(name=name, pose=Pose((x, 0.5, 1.0)), inertial=INERTIAL) for name, x in (("l1", 1.5), ("l2", 2.0))]
    joints = [
        Joint(
            name="j1",
            type=Revolute(axis=(0.0, 0.6, 0.8)),
            parent="base",
            child="l1",
            coordinates=(Coordinate(initial_position=0.3, initial_velocity=1.5),),
        ),
        Joint(name="j2", type=Prismatic(axis=(1.0, 0.0, 0.0)), parent="l1", child="l2"),
    ]
    model = Model(name="m", pose=TURNED, bodies=NamedList([base, *links]), joints=NamedList(joints))
    return World(models=NamedList([model]), gravity=(0.0, 0.0, 0.0))


def moving_arm() -> tuple[World, State]:
    """Return a floating arm in motion, as a World and as the state that it was applied from."""
    world = floating_arm()
    twist = Twist(linear=(0.4, -0.5, 0.6), angular=(0.7, 0.8, -0.9))
    link = LinkState(name="base", pose=POSE, twist=twist)
    state = State(name=world.name, models=NamedList([ModelState(name="m", pose=TURNED, links=NamedList([link]))]))
    return apply_state(world, state), state


def body_motions(simulation: ossature.Simulation) -> dict[str, np.ndarray]:
    bodies = next(iter(simulation.body_states().values()))
    return {
        name: np.concatenate([body.position, body.linear_velocity, in_world(body.wxyz, body.angular_velocity_body)])
        for name, body in bodies.items()
    }


def test_a_floating_robot_starts_with_the_velocities_of_its_base_and_joints() -> None:
    world, _ = moving_arm()
    report = Report()
    found = body_motions(ossature.Simulation(world, report=report))
    assert not report.take("initial-velocity-changed")
    axes = (TURNED @ POSE).wxyz
    np.testing.assert_allclose(found["base"][3:6], in_world(axes, (0.4, -0.5, 0.6)), atol=1e-12)
    np.testing.assert_allclose(found["base"][6:], in_world(axes, (0.7, 0.8, -0.9)), atol=1e-12)
    axis = in_world(TURNED.wxyz, (0.0, 0.6, 0.8))  # the joint frame has the axes of the model
    np.testing.assert_allclose(found["l1"][6:], found["base"][6:] + 1.5 * axis, atol=1e-12)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_motion_of_a_floating_robot_is_preserved(suffix: str, tmp_path: Path) -> None:
    world, _ = moving_arm()
    path = tmp_path / f"written{suffix}"
    ledger = ossature.save(world, path)
    assert not any(entry.action is Action.DROPPED and "initial_" in entry.path for entry in ledger)
    again = ossature.Simulation(ossature.load(path))
    if again.world.models[0].keyframes:
        again.apply_keyframe("home")
    expected, found = body_motions(ossature.Simulation(world)), body_motions(again)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=max(1e-9, tolerance_of(suffix)), err_msg=name)


def test_velocities_of_joints_become_those_of_bodies_in_openusd(tmp_path: Path) -> None:
    """Joints of OpenUSD have no velocities; a body that a joint connects to another one does not move freely."""
    world = floating_arm()
    fixed = Joint(name="fixed", type=Fixed(), parent=None, child="base")
    model = replace(world.models[0], joints=world.models[0].joints.with_(fixed))
    world = replace(world, models=NamedList([model]))
    path = tmp_path / "written.usda"
    ledger = ossature.convert(world, path, verify=True).ledger
    assert not any(entry.action is Action.DROPPED for entry in ledger)
    expected, found = body_motions(ossature.Simulation(world)), body_motions(ossature.Simulation(ossature.load(path)))
    assert np.linalg.norm(expected["l2"][3:6]) > 0.5
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, atol=1e-6, err_msg=name)


def test_a_saved_world_continues_with_the_velocities_of_the_run() -> None:
    simulation = ossature.Simulation(moving_arm()[0])
    simulation.run(0.1)
    continued = ossature.Simulation(simulation.to_world())
    for name, values in body_motions(simulation).items():
        np.testing.assert_allclose(body_motions(continued)[name], values, atol=1e-9, err_msg=name)
