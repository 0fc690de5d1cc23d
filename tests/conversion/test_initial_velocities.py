"""Written files start with the velocities of the World, whatever the pose of the model and however a body is connected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.model import Body, Coordinate, Floating, Inertial, Joint, Model, NamedList, World
from ossature.spatial import Pose, normalized, rotation_matrix

INERTIAL = Inertial(mass=2.0, center_of_mass=(0.1, -0.2, 0.3), moment=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5)))
TURNED = Pose((3.0, 2.0, 1.0), normalized((1.0, -0.4, 0.3, 0.6)))
POSE = Pose((1.0, 0.5, 0.0), normalized((1.0, 0.2, 0.3, 0.4)))


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


def motion(world: World) -> np.ndarray:
    """Return position, velocity of the origin and angular velocity of the only body at the start, in the world."""
    simulation = ossature.Simulation(world)
    if world.models[0].keyframes:
        simulation.apply_keyframe("home")
    (body,) = next(iter(simulation.body_states().values())).values()
    angular = rotation_matrix(body.wxyz) @ np.array(body.angular_velocity_body)
    return np.concatenate([body.position, body.linear_velocity, angular])


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("make", [with_free_joint, without_joint])
@pytest.mark.parametrize("suffix", [".skel", ".yaml", ".dae", ".xml"])
def test_velocities_are_preserved(suffix: str, make, is_turned: bool, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    world = make(is_turned=is_turned)
    path = tmp_path / f"written{suffix}"
    ossature.save(world, path)
    expected = motion(world)
    assert np.abs(expected[3:]).min() > 0.01
    np.testing.assert_allclose(motion(ossature.load(path)), expected, atol=1e-12)


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
