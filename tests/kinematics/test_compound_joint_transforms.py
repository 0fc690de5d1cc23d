"""Compound joints: rotations about and translations along several axes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import trimesh

from ossature.kinematics import motion_pose, poses, reverse_coordinates, reversed_joint
from ossature.model import Axis, Body, Compound, Joint, Model, NamedList, World
from ossature.spatial import Pose, quaternion_from_rotation_vector, unit

AXES = (
    Axis(direction=(0.0, 1.0, 0.0)),
    Axis(direction=unit((1.0, 2.0, 2.0)), is_revolute=False),
    Axis(direction=unit((1.0, -1.0, 0.5))),
    Axis(direction=(0.0, 0.0, 1.0), is_revolute=False),
    Axis(direction=(1.0, 0.0, 0.0)),
)
POSITIONS = (0.4, -0.3, 1.2, 0.7, -2.5)
PLACE = Pose((0.1, -0.2, 0.3), quaternion_from_rotation_vector((0.3, 0.2, -0.5)))
STAND = Pose((1.0, 0.5, -0.3), quaternion_from_rotation_vector((-0.2, 0.9, 0.1)))


def matrix(axis: Axis, value: float) -> np.ndarray:
    if axis.is_revolute:
        return trimesh.transformations.rotation_matrix(value, axis.direction)
    return trimesh.transformations.translation_matrix(value * np.array(axis.direction))


@pytest.mark.parametrize("count", range(len(AXES) + 1))
def test_transforms_are_products_of_matrices(count: int) -> None:
    expected = np.eye(4)
    for axis, value in zip(AXES[:count], POSITIONS, strict=False):
        expected = expected @ matrix(axis, value)
    found = motion_pose(Compound(axes=AXES[:count]), POSITIONS[:count]).matrix()
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_too_few_coordinates() -> None:
    with pytest.raises(ValueError, match="a compound joint has 5 coordinates, not 4"):
        motion_pose(Compound(axes=AXES), POSITIONS[:4])


def pair(joint: Joint) -> World:
    bodies = (Body(name="a", pose=PLACE), Body(name="b", pose=STAND))
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList([joint]))]))


def test_reversed_joints_move_the_bodies_equally() -> None:
    joint = Joint(name="j", type=Compound(axes=AXES), parent="a", child="b", pose=PLACE)
    world = pair(joint)
    turned = reversed_joint(joint, world.models["m"])
    assert turned is not None
    here = poses(world, {"m": {"j": POSITIONS}})["m"]
    there = poses(pair(turned), {"m": {"j": reverse_coordinates(turned, POSITIONS)}})["m"]
    ways = [found["a"].inverse() @ found["b"] for found in (here, there)]
    np.testing.assert_allclose(ways[0].matrix(), ways[1].matrix(), atol=1e-14)


def test_a_reversed_joint_of_a_body_fixed_to_the_world() -> None:
    """The root is held to the world by its child's side, so that the tree runs against the joint."""
    joint = Joint(name="j", type=Compound(axes=AXES), parent="a", child="b", pose=PLACE)
    held = Joint(name="held", type=Compound(axes=()), parent=None, child="b")
    world = pair(joint)
    both = replace(world.models["m"], joints=NamedList([joint, held]))
    found = poses(replace(world, models=NamedList([both])), {"m": {"j": POSITIONS}})["m"]
    free = poses(world, {"m": {"j": POSITIONS}})["m"]
    np.testing.assert_allclose(found["b"].matrix(), STAND.matrix(), atol=1e-14)
    np.testing.assert_allclose(
        (found["a"].inverse() @ found["b"]).matrix(), (free["a"].inverse() @ free["b"]).matrix(), atol=1e-14
    )
    assert math.isclose(found["a"].position[0], (STAND @ free["b"].inverse() @ free["a"]).position[0], abs_tol=1e-14)
