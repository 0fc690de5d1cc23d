"""Collision queries at given joint positions, and inverse kinematics without collisions."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import ossature
from ossature.kinematics import Arm, FailureKind, Translation3D, find_arm, moved_bodies
from ossature.model import Body, Box, Collision, Coordinate, Fixed, Joint, Model, NamedList, Range, Revolute, World
from ossature.simulation import CollisionQuery
from ossature.spatial import Pose, Vector3

LINK = Collision(geometry=Box(size=(0.9, 0.1, 0.1)), pose=Pose((0.5, 0.0, 0.0)))
TURN = Coordinate(position_limits=Range(lower=-3.0, upper=3.0))


def arm(**options: object) -> Model:
    """Return two links of one metre along x that turn about z."""
    bodies = [
        Body(name="base", collisions=(Collision(geometry=Box(size=(0.3, 0.3, 0.1))),), self_collide=True),
        Body(name="upper", collisions=(LINK,), self_collide=True),
        Body(name="lower", pose=Pose((1.0, 0.0, 0.0)), collisions=(LINK,), self_collide=True),
        Body(name="tip", pose=Pose((2.0, 0.0, 0.0))),
    ]
    joints = [
        Joint(name="ground", type=Fixed(), parent=None, child="base"),
        Joint(name="shoulder", type=Revolute(), parent="base", child="upper", coordinates=(TURN,)),
        Joint(name="elbow", type=Revolute(), parent="upper", child="lower", coordinates=(TURN,)),
        Joint(name="flange", type=Fixed(), parent="lower", child="tip"),
    ]
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints), **options)  # type: ignore[arg-type]


def wall(position: Vector3) -> Model:
    box = Body(name="wall", pose=Pose(position), collisions=(Collision(geometry=Box(size=(0.4, 0.4, 0.4))),))
    return Model(name="room", static=True, bodies=NamedList([box]))


def test_pairs_at_given_positions() -> None:
    world = World(models=NamedList([arm(), wall((0.0, 1.0, 0.0))]))
    touching = CollisionQuery(world)
    assert touching.colliding_pairs("arm", {}) == ()
    found = touching.colliding_pairs("arm", {"shoulder": (math.pi / 2,)})
    assert set(map(frozenset, found)) == {frozenset(("upper", "room/wall")), frozenset(("lower", "room/wall"))}
    assert touching.colliding_pairs("arm", {}) == ()


def test_self_collisions_respect_the_filters_of_the_model() -> None:
    folded = {"elbow": (3.0,)}
    found = CollisionQuery(World(models=NamedList([arm()]))).colliding_pairs("arm", folded)
    assert set(map(frozenset, found)) == {frozenset(("base", "lower"))}
    ignoring = arm(ignored_pairs=(("base", "lower"),))
    assert CollisionQuery(World(models=NamedList([ignoring]))).colliding_pairs("arm", folded) == ()
    bodies = [replace(body, self_collide=False) for body in arm().bodies]
    assert (
        CollisionQuery(World(models=NamedList([replace(arm(), bodies=NamedList(bodies))]))).colliding_pairs("arm", folded) == ()
    )


def test_pairs_of_bodies_that_do_not_move_are_ignored() -> None:
    model = arm()
    assert moved_bodies(model, Arm(base="base", tip="tip")) == {"upper", "lower", "tip"}
    assert moved_bodies(model, Arm(base="upper", tip="tip")) == {"lower", "tip"}
    floating = replace(model, joints=NamedList([joint for joint in model.joints if joint.name != "ground"]))
    touching = CollisionQuery(World(models=NamedList([floating, wall((-0.3, 0.0, 0.0))])))
    assert touching.colliding_pairs("arm", {}) != ()
    assert touching.colliding_pairs("arm", {}, moved_bodies(model, Arm(base="base", tip="tip"))) == ()


def test_solutions_are_free_of_collisions() -> None:
    """Of the two ways to bend the elbow, one leads through the wall."""
    target = Translation3D(position=(1.2, 0.0, 0.0))
    for side in (1.0, -1.0):
        world = World(models=NamedList([arm(), wall((0.6, 0.7 * side, 0.0))]))
        result = ossature.inverse_kinematics(world, target, tip="tip", limit=8, avoid_collisions=True)
        assert [math.copysign(1.0, solution.positions["shoulder"][0]) for solution in result.solutions] == [-side]
        plain = ossature.inverse_kinematics(world, target, tip="tip", limit=8)
        assert len(plain.solutions) == 2


def test_colliding_bodies_are_named() -> None:
    world = World(models=NamedList([arm(), wall((1.2, 0.0, 0.0))]))
    result = ossature.inverse_kinematics(world, Translation3D(position=(1.2, 0.0, 0.0)), tip="tip", avoid_collisions=True)
    assert result.failure is not None
    assert result.failure.kind is FailureKind.COLLISION
    assert all(set(pair) == {"lower", "room/wall"} for pair in result.failure.collisions)
    assert "room/wall" in result.failure.message


def test_arm_that_consists_of_a_tip() -> None:
    world = World(models=NamedList([arm()]))
    assert find_arm(world, "tip")[1] == Arm(base=None, tip="tip")
    with pytest.raises(ValueError, match="no joint between 'base' and 'base' can move"):
        ossature.inverse_kinematics(world, Translation3D(), tip="base", base="base")
