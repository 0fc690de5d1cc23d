"""Files start with the motion of free joints between moving bodies, also in formats without free joints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.kinematics import model_poses
from ossature.model import (
    Body,
    Coordinate,
    Cylindrical,
    Floating,
    Inertial,
    Joint,
    JointType,
    Keyframe,
    KeyframeJoint,
    Model,
    NamedList,
    Revolute,
    Spherical,
    Universal,
    World,
)
from ossature.spatial import Pose, normalized

INERTIAL = Inertial(mass=2.0, center_of_mass=(0.1, -0.2, 0.3), moment=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.5)))
AT_ZERO = (0.0,) * 6
DISPLACED = (0.1, -0.2, 0.3, 1.0, 2.0, 3.0)


def hinge(name: str, parent: str | None, child: str, position: float) -> Joint:
    coordinates = (Coordinate(initial_position=position, initial_velocity=0.9),)
    return Joint(name=name, type=Revolute(axis=(0.0, 0.6, 0.8)), parent=parent, child=child, coordinates=coordinates)


def free(parent: str | None, child: str, positions: tuple[float, ...]) -> Joint:
    coordinates = tuple([Coordinate(initial_position=q, initial_velocity=0.2 + q) for q in positions])
    pose = Pose((0.1, 0.2, 0.3), normalized((1.0, 0.3, -0.2, 0.5)))
    return Joint(name="free", type=Floating(), parent=parent, child=child, pose=pose, coordinates=coordinates)


def world_of(*joints: Joint) -> World:
    bodies = [
        Body(name=name, pose=Pose((x, 0.2, 1.0), normalized((1.0, x, 0.3, -0.2))), inertial=INERTIAL)
        for name, x in (("a", 0.5), ("b", 1.0), ("c", 1.5))
    ]
    pose = Pose((3.0, 2.0, 1.0), normalized((1.0, -0.4, 0.3, 0.6)))
    return World(models=NamedList([Model(name="m", pose=pose, bodies=NamedList(bodies), joints=NamedList(joints))]))


def motions(world: World) -> dict[str, np.ndarray]:
    """Return position, rotation and velocities of each body at the start, or in the only keyframe."""
    simulation = ossature.Simulation(world)
    for keyframe in world.models[0].keyframes:
        simulation.apply_keyframe(keyframe.name)
    (states,) = simulation.body_states().values()
    return {
        name: np.concatenate([state.position, state.wxyz, state.linear_velocity, state.angular_velocity_body])
        for name, state in states.items()
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize("positions", [AT_ZERO, DISPLACED])
@pytest.mark.parametrize(("parent", "child"), [("a", "b"), ("b", "a"), ("a", "c")])
@pytest.mark.parametrize("suffix", [".skel", ".yaml", ".dae", ".xml", ".usda"])
def test_bodies_start_with_the_same_motion(
    suffix: str, parent: str, child: str, positions: tuple[float, ...], tmp_path: Path
) -> None:
    world = world_of(hinge("first", None, "a", 0.7), free(parent, child, positions), hinge("second", "b", "c", 0.4))
    path = tmp_path / f"written{suffix}"
    ossature.save(world, path)
    found, expected = motions(ossature.load(path)), motions(world)
    for name in "abc":
        np.testing.assert_allclose(found[name], expected[name], atol=2e-6 if suffix == ".usda" else 1e-12)


@pytest.mark.parametrize("positions", [AT_ZERO, DISPLACED])
def test_sdformat_starts_with_the_pose_of_the_free_body(positions: tuple[float, ...], tmp_path: Path) -> None:
    """SDFormat has no initial positions of hinges: their children start at zero relative to a free body, which does not."""
    world = world_of(hinge("first", None, "a", 0.7), free("a", "b", positions), hinge("second", "b", "c", 0.4))
    ossature.save(world, tmp_path / "written.sdf")
    written = model_poses(ossature.load(tmp_path / "written.sdf").models[0])
    start = model_poses(world.models[0])
    np.testing.assert_allclose(written["b"].matrix(), start["b"].matrix(), atol=1e-14)
    relative = start["b"].inverse() @ model_poses(world.models[0], {"second": (0.0,)})["c"]
    np.testing.assert_allclose((written["b"].inverse() @ written["c"]).matrix(), relative.matrix(), atol=1e-14)


def test_a_body_with_another_joint_keeps_its_pose(tmp_path: Path) -> None:
    """A free joint beside a hinge constrains nothing, and must not move the hinge."""
    still = Coordinate()
    world = world_of(
        Joint(name="first", type=Revolute(), parent=None, child="a", coordinates=(still,)),
        free(None, "b", DISPLACED),
        Joint(name="second", type=Revolute(), parent="a", child="b", coordinates=(still,)),
    )
    ossature.save(world, tmp_path / "written.sdf")
    written = model_poses(ossature.load(tmp_path / "written.sdf").models[0])
    zero = model_poses(world.models[0], {"free": AT_ZERO})
    for name in "abc":
        np.testing.assert_allclose(written[name].matrix(), zero[name].matrix(), atol=1e-14)


@pytest.mark.parametrize(
    "kind", [Floating(), Universal(axis1=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0)), Spherical(), Cylindrical()]
)
def test_keyframes_of_joints_that_point_towards_the_root(kind: JointType, tmp_path: Path) -> None:
    """Parent and child of a joint are exchanged in MJCF; the numbers of a keyframe are then those of that joint."""
    values = DISPLACED[: kind.degrees_of_freedom]
    joint = replace(free("b", "a", AT_ZERO), type=kind, coordinates=(Coordinate(),) * len(values))
    keyframe = Keyframe(name="k", joints=(KeyframeJoint(joint="free", positions=values, velocities=values[::-1]),))
    world = world_of(Joint(name="first", type=Revolute(), parent=None, child="a"), joint)
    world = replace(world, models=world.models.map(lambda model: replace(model, keyframes=NamedList([keyframe]))))
    ossature.save(world, tmp_path / "written.xml")
    found, expected = motions(ossature.load(tmp_path / "written.xml")), motions(world)
    for name in "abc":
        np.testing.assert_allclose(found[name], expected[name], atol=1e-12)
