"""Grasps: valid and invalid ones, and the poses of grasped bodies."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ossature
from ossature.kinematics import GraspError, PossibleGrasps, add_grasp, find_body, grasped_bodies, remove_grasp
from ossature.model import Body, BodyPath, Coordinate, Fixed, Floating, Grasp, Joint, Model, NamedList, Revolute, World
from ossature.spatial import Pose, quaternion_from_rotation_vector

ANGLE = st.floats(-math.pi, math.pi)
VECTOR = st.tuples(*[st.floats(-2.0, 2.0)] * 3)
POSE = st.builds(lambda position, turn: Pose(position, quaternion_from_rotation_vector(turn)), VECTOR, VECTOR)
HAND = BodyPath(model="arm", body="hand")
CUP = BodyPath(model="cup", body="cup")
LID = BodyPath(model="lid", body="lid")


def arm() -> Model:
    """Return two links of one metre along x that turn about z and y."""
    bodies = [Body(name="base"), Body(name="upper"), Body(name="hand", pose=Pose((1.0, 0.0, 0.0)))]
    joints = [
        Joint(name="ground", type=Fixed(), parent=None, child="base"),
        Joint(name="shoulder", type=Revolute(), parent="base", child="upper", coordinates=(Coordinate(),)),
        Joint(name="elbow", type=Revolute(axis=(0.0, 1.0, 0.0)), parent="upper", child="hand", coordinates=(Coordinate(),)),
    ]
    return Model(name="arm", bodies=NamedList(bodies), joints=NamedList(joints))


IN_FRONT = Pose((2.0, 0.0, 0.0))


def thing(name: str, pose: Pose = IN_FRONT, joint: Joint | None = None) -> Model:
    """Return a body with a flap on a hinge."""
    hinge = Joint(name="hinge", type=Revolute(), parent=name, child="flap", coordinates=(Coordinate(),))
    bodies = [Body(name=name, pose=pose), Body(name="flap", pose=pose @ Pose((0.0, 0.5, 0.0)))]
    return Model(name=name, bodies=NamedList(bodies), joints=NamedList([hinge] if joint is None else [hinge, joint]))


def world(*models: Model, grasps: tuple[Grasp, ...] = ()) -> World:
    return World(models=NamedList([arm(), *models]), grasps=grasps)


def held(*models: Model) -> World:
    return add_grasp(world(*models), HAND, CUP)


def matrices(world: World, positions: dict[str, dict[str, list[float]]]) -> dict[str, dict[str, np.ndarray]]:
    placed = ossature.poses(world, positions)
    return {model: {body: pose.matrix() for body, pose in bodies.items()} for model, bodies in placed.items()}


@given(shoulder=ANGLE, elbow=ANGLE, hinge=ANGLE, pose=POSE)
def test_grasped_bodies_keep_their_pose_in_the_gripper(shoulder: float, elbow: float, hinge: float, pose: Pose) -> None:
    """The law of a grasp; what hangs on the held body by joints is where these put it."""
    grasping = held(thing("cup", pose))
    before = matrices(grasping, {})
    after = matrices(grasping, {"arm": {"shoulder": [shoulder], "elbow": [elbow]}, "cup": {"hinge": [hinge]}})
    free = matrices(world(thing("cup", pose)), {"cup": {"hinge": [hinge]}})
    for body in ("cup", "flap"):
        in_hand = np.linalg.inv(before["arm"]["hand"]) @ before["cup"]["cup"]
        in_cup = np.linalg.inv(free["cup"]["cup"]) @ free["cup"][body]
        np.testing.assert_allclose(after["cup"][body], after["arm"]["hand"] @ in_hand @ in_cup, atol=1e-12)


def test_released_bodies_do_not_move() -> None:
    moved = {"arm": {"shoulder": [1.0]}}
    assert ossature.poses(world(thing("cup")), moved)["cup"] == ossature.poses(world(thing("cup")))["cup"]
    released = remove_grasp(held(thing("cup")), CUP)
    assert ossature.poses(released, moved)["cup"] == ossature.poses(released)["cup"]
    assert ossature.poses(held(thing("cup")))["cup"] == ossature.poses(world(thing("cup")))["cup"]


def test_grasped_bodies_with_a_free_joint_move() -> None:
    floating = Joint(name="root", type=Floating(), parent=None, child="cup", coordinates=(Coordinate(),) * 6)
    moved = {"arm": {"shoulder": [math.pi / 2]}}
    assert ossature.poses(held(thing("cup", joint=floating)), moved)["cup"]["cup"].position == pytest.approx((0.0, 2.0, 0.0))


def test_grasped_bodies_attached_to_the_world_do_not_move() -> None:
    moved = {"arm": {"shoulder": [1.0]}}
    bolted = Joint(name="bolt", type=Fixed(), parent=None, child="cup")
    for cup in (thing("cup", joint=bolted), replace(thing("cup"), static=True)):
        assert ossature.poses(held(cup), moved)["cup"] == ossature.poses(held(cup))["cup"]


def test_a_chain_of_grasps_in_any_order() -> None:
    """The hand holds a cup, and the cup holds a lid."""
    grasps = (Grasp(link=CUP, body=LID), Grasp(link=HAND, body=CUP))
    lid = thing("lid", Pose((3.0, 0.0, 0.0)))
    for order in (grasps, grasps[::-1]):
        stacked = world(thing("cup"), lid, grasps=order)
        placed = ossature.poses(stacked, {"arm": {"shoulder": [math.pi / 2]}})
        assert placed["lid"]["lid"].position == pytest.approx((0.0, 3.0, 0.0))
        assert {body.model for body in grasped_bodies(stacked, [HAND])} == {"cup", "lid"}
        assert {body.model for body in grasped_bodies(stacked, [CUP])} == {"lid"}


def test_invalid_grasps() -> None:
    grasping = held(thing("cup"), thing("lid"))
    cases = {
        "'cup/cup' is already grasped by 'arm/hand': release it first": (BodyPath(model="lid", body="lid"), CUP),
        "'arm' has no body 'hnd': did you mean 'hand'": (BodyPath(model="arm", body="hnd"), LID),
        "no model 'lit': did you mean 'lid'": (HAND, BodyPath(model="lit", body="lid")),
        "'arm/hand' cannot grasp 'arm/base': joints connect them": (HAND, BodyPath(model="arm", body="base")),
        "'cup/flap' cannot grasp 'cup/cup': joints connect them": (BodyPath(model="cup", body="flap"), CUP),
    }
    for message, (gripper_body, taken) in cases.items():
        with pytest.raises(GraspError, match=message):
            add_grasp(
                grasping if taken == CUP and gripper_body.model == "lid" else replace(grasping, grasps=()), gripper_body, taken
            )
    with pytest.raises(GraspError, match="'arm' has no body 'thumb'"):
        add_grasp(world(thing("cup")), HAND, CUP, ["thumb"])
    with pytest.raises(GraspError, match="'lid/lid' is not grasped: the grasped bodies are cup/cup"):
        remove_grasp(grasping, LID)


def test_mutual_grasps_are_invalid() -> None:
    around = (Grasp(link=CUP, body=LID), Grasp(link=BodyPath(model="lid", body="flap"), body=CUP))
    with pytest.raises(GraspError, match="'lid/flap' cannot grasp 'cup/cup', which grasps it"):
        ossature.poses(world(thing("cup"), thing("lid"), grasps=around), {"arm": {"shoulder": [1.0]}})


def test_bodies_are_found_by_unambiguous_names() -> None:
    several = world(thing("cup"), thing("lid"), Model(name="ball", bodies=NamedList([Body(name="sphere")])))
    assert find_body(several, "arm/hand") == find_body(several, "hand") == HAND
    assert find_body(several, "ball") == BodyPath(model="ball", body="sphere")
    with pytest.raises(GraspError, match="several models have a body 'flap': cup/flap, lid/flap"):
        find_body(several, "flap")
    with pytest.raises(GraspError, match="no body 'hnad': did you mean 'hand'"):
        find_body(several, "hnad")


def test_cyclic_grasps_are_invalid() -> None:
    things = [thing(name) for name in ("a", "b", "c")]
    a, b, c = (BodyPath(model=name, body=name) for name in ("a", "b", "c"))
    possible = PossibleGrasps(world(*things))
    possible.add(Grasp(link=a, body=b))
    possible.add(Grasp(link=b, body=c))
    with pytest.raises(GraspError, match="'c/c' cannot grasp 'a/a', which grasps it"):
        possible.add(Grasp(link=c, body=a))
    possible.add(Grasp(link=HAND, body=a))
