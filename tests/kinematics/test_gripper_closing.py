"""Closing and opening grippers: fingers stop at their limits or at contacts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ossature.kinematics import GripperError, close_or_open_gripper, fingers_of
from ossature.model import (
    Actuation,
    Body,
    Box,
    Collision,
    Coordinate,
    Coupling,
    Fixed,
    GripperJoint,
    Joint,
    JointPosition,
    Manipulator,
    Model,
    NamedList,
    Prismatic,
    Range,
    World,
)
from ossature.simulation import CollisionQuery
from ossature.spatial import Pose
from random_expressions import line

OPEN, SHUT = 0.1, 0.0
FINGER = (Collision(geometry=Box(size=(0.02, 0.02, 0.1))),)
"""Fingers of a width of 0.02 m, whose middles are as far from the palm's as their coordinates say."""
LIMITS = Range(lower=SHUT, upper=OPEN)


def finger(side: str, direction: float, coordinate: Coordinate | None = None) -> tuple[Body, Joint]:
    """Return a finger that slides outwards to one side, and its joint."""
    body = Body(name=side, collisions=FINGER, self_collide=True)
    joint = Joint(
        name=f"{side}_slide",
        type=Prismatic(axis=(direction, 0.0, 0.0)),
        parent="palm",
        child=side,
        coordinates=(coordinate or Coordinate(position_limits=LIMITS, initial_position=OPEN),),
    )
    return body, joint


def hand(*gripper: GripperJoint, right: Coordinate | None = None) -> Model:
    """Return a palm with two fingers that slide towards each other."""
    (left_body, left_joint), (right_body, right_joint) = finger("left", -1.0), finger("right", 1.0, right)
    return Model(
        name="hand",
        bodies=NamedList([Body(name="palm"), left_body, right_body]),
        joints=NamedList([Joint(name="held", type=Fixed(), parent=None, child="palm"), left_joint, right_joint]),
        manipulators=NamedList([Manipulator(name="hand", base="palm", tip="palm", gripper=gripper or BOTH)]),
    )


BOTH = tuple(GripperJoint(joint=f"{side}_slide", closing_directions=(-1.0,)) for side in ("left", "right"))


def thing(width: float, x: float) -> Model:
    body = Body(name="thing", pose=Pose((x, 0.0, 0.0)), collisions=(Collision(geometry=Box(size=(width, 0.02, 0.02))),))
    return Model(name="thing", bodies=NamedList([body]))


def moved(model: Model, *others: Model, closing: bool = True, **positions: tuple[float, ...]) -> dict[str, float]:
    touching = CollisionQuery(World(models=NamedList([model, *others])))
    found = close_or_open_gripper(
        model,
        model.manipulators[0],
        closing=closing,
        positions=positions,
        depths=lambda at: touching.penetration_depths(model.name, at),
    )
    return {name: value for name, (value,) in found.items()}


def test_fingers_move_to_their_limits_without_collision_checks() -> None:
    model = hand()
    shut = {"left_slide": (SHUT,), "right_slide": (SHUT,)}
    assert close_or_open_gripper(model, model.manipulators[0], closing=True) == shut
    there = {"left_slide": (OPEN,), "right_slide": (OPEN,)}
    assert close_or_open_gripper(model, model.manipulators[0], closing=False, positions=shut) == there


def test_the_sign_is_the_closing_direction() -> None:
    model = hand(GripperJoint(joint="left_slide", closing_directions=(1.0,)), GripperJoint(joint="right_slide"))
    (only,) = fingers_of(model, model.manipulators[0])
    assert only.position == JointPosition(joint="left_slide", coordinate=0)
    assert close_or_open_gripper(model, model.manipulators[0], closing=True, positions={"left_slide": (0.05,)}) == {
        "left_slide": (OPEN,)
    }


def test_fingers_stop_at_each_other_in_the_middle() -> None:
    """They are 0.02 m wide, so that they touch where both stand 0.01 m from the middle."""
    assert moved(hand()) == pytest.approx({"left_slide": 0.01, "right_slide": 0.01}, abs=1e-6)


@given(width=st.floats(0.005, 0.1), shift=st.floats(-0.02, 0.02))
@settings(max_examples=20, deadline=None)
def test_each_finger_stops_at_its_contact(width: float, shift: float) -> None:
    """Closed forms: from the middle to the thing's side, and half a finger more."""
    found = moved(hand(), thing(width, shift))
    right, left = width / 2.0 + 0.01 + shift, width / 2.0 + 0.01 - shift
    assert found == pytest.approx({"left_slide": max(left, 0.0), "right_slide": max(right, 0.0)}, abs=2e-6)


def test_opening_releases_and_stops_at_outer_obstacles() -> None:
    """A finger that is pressed into a thing may leave it; a post outside stops the other one."""
    post = replace(thing(0.02, 0.07), name="post")
    found = moved(hand(), thing(0.05, 0.0), post, closing=False, left_slide=(0.033,), right_slide=(0.033,))
    assert found == pytest.approx({"left_slide": OPEN, "right_slide": 0.05}, abs=1e-6)


def test_closing_on_a_body_in_contact_moves_nothing() -> None:
    start = {"left_slide": (0.034,), "right_slide": (0.034,)}
    assert moved(hand(), thing(0.05, 0.0), **start) == pytest.approx(
        {name: value for name, (value,) in start.items()}, abs=1e-6
    )


def test_a_coupled_finger_stops_its_source() -> None:
    formula = Coupling(position=line(JointPosition(joint="left_slide"), 1.0))
    model = hand(*BOTH, right=Coordinate(position_limits=LIMITS, coupling=formula, initial_position=OPEN))
    found = moved(model, thing(0.02, 0.03))
    assert found == pytest.approx({"left_slide": 0.05}, abs=1e-6)


def test_grippers_that_cannot_close_are_rejected() -> None:
    model = hand()
    with pytest.raises(GripperError, match="the gripper of 'hand' cannot close: the manipulator has no gripper joints"):
        fingers_of(model, replace(model.manipulators[0], gripper=()))
    locked = [replace(joint, actuation=Actuation.LOCKED) for joint in model.joints]
    with pytest.raises(GripperError, match="no joint of left_slide, right_slide is independent"):
        fingers_of(replace(model, joints=NamedList(locked)), model.manipulators[0])
    endless = hand(right=Coordinate(position_limits=Range(lower=-math.inf, upper=OPEN)))
    with pytest.raises(GripperError, match="joint 'right_slide' has no limit in the closing direction"):
        close_or_open_gripper(endless, endless.manipulators[0], closing=True)
