"""Differences between two states: none for equal ones, and those of every field."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ossature.kinematics.state_diff import StateDifference, state_differences
from ossature.model import FrameState, LinkState, ModelState, NamedList, State, Twist, Wrench
from ossature.spatial import Pose, Quaternion, Vector3, quaternion_from_rotation_vector

NUMBERS = st.floats(-3.0, 3.0)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
POSES = st.builds(lambda at, turn: Pose(at, quaternion_from_rotation_vector(turn)), VECTORS, VECTORS)
TWISTS = st.builds(lambda linear, angular: Twist(linear=linear, angular=angular), VECTORS, VECTORS)
WRENCHES = st.builds(lambda force, torque: Wrench(force=force, torque=torque), VECTORS, VECTORS)


def state_of(poses: list[Pose], twists: list[Twist], wrench: Wrench | None = None) -> State:
    """Return a state of a link in a model in a frame, in this order."""
    link = LinkState(name="link", pose=poses[0], twist=twists[0], wrench=wrench)
    model = ModelState(name="m", parent="f", pose=poses[1], twist=twists[1], links=NamedList([link]))
    frame = FrameState(name="f", pose=poses[2], twist=twists[2])
    return State(frames=NamedList([frame]), models=NamedList([model]))


STATES = st.builds(state_of, st.lists(POSES, min_size=3, max_size=3), st.lists(TWISTS, min_size=3, max_size=3), WRENCHES)


def with_model(state: State, model: ModelState) -> State:
    return replace(state, models=NamedList([model]))


def with_link(state: State, **fields: object) -> State:
    model = state.models[0]
    return with_model(state, replace(model, links=NamedList([replace(model.links[0], **fields)])))  # type: ignore[arg-type]


def negated(pose: Pose) -> Pose:
    w, x, y, z = pose.wxyz
    return Pose(pose.position, (-w, -x, -y, -z))


def found(first: State, second: State, tolerance: float = 1e-9) -> dict[tuple[str, str], float | None]:
    return {(one.path, one.quantity): one.amount for one in state_differences(first, second, tolerance)}


@given(STATES)
def test_a_state_does_not_differ_from_itself(state: State) -> None:
    assert state_differences(state, state) == []


@given(STATES)
def test_opposite_quaternions_are_equal_rotations(state: State) -> None:
    model, frame = state.models[0], state.frames[0]
    turned = replace(
        with_link(state, pose=negated(model.links[0].pose)), frames=NamedList([replace(frame, pose=negated(frame.pose))])
    )
    assert state_differences(state, with_model(turned, replace(turned.models[0], pose=negated(model.pose)))) == []


@given(STATES, VECTORS.filter(lambda turn: 1e-6 < math.hypot(*turn) < math.pi))
def test_the_angle_of_a_rotation_is_reported(state: State, turn: Vector3) -> None:
    pose = state.models[0].links[0].pose
    other = with_link(state, pose=pose @ Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector(turn)), twist=None)
    amounts = found(with_link(state, twist=None), other)
    assert amounts.keys() == {("m/link", "rotation")}
    assert amounts["m/link", "rotation"] == pytest.approx(math.hypot(*turn), rel=1e-7)


@given(STATES, WRENCHES)
def test_wrenches_are_compared(state: State, wrench: Wrench) -> None:
    before = state.models[0].links[0].wrench
    amounts = found(state, with_link(state, wrench=wrench), -1.0)
    assert amounts["m/link", "force"] == pytest.approx(math.dist(before.force, wrench.force))
    assert amounts["m/link", "torque"] == pytest.approx(math.dist(before.torque, wrench.torque))
    assert state_differences(state, with_link(state, wrench=None)) == [
        StateDifference(path="m/link", quantity="the wrench", amount=None)
    ]


PLACE = Pose((1.0, 2.0, 3.0), quaternion_from_rotation_vector((0.1, -0.4, 0.2)))
STATE = state_of([PLACE] * 3, [Twist()] * 3)


def test_the_frame_of_a_model_is_compared() -> None:
    model = STATE.models[0]
    aside = found(STATE, with_model(STATE, replace(model, pose=replace(PLACE, position=(1.0, 2.0, 3.5)))))
    assert aside["m", "position"] == pytest.approx(0.5)
    assert aside["m/link", "position"] == pytest.approx(0.5)
    moving = found(STATE, with_model(STATE, replace(model, twist=Twist(linear=(0.0, 0.25, 0.0)))))
    assert moving["m", "linear velocity"] == pytest.approx(0.25)
    elsewhere = found(STATE, with_model(STATE, replace(model, parent=None)))
    assert elsewhere["m", "rotation"] == pytest.approx(math.hypot(0.1, -0.4, 0.2))


def test_frames_are_compared() -> None:
    (frame,) = STATE.frames
    faster = replace(STATE, frames=NamedList([replace(frame, twist=Twist(angular=(0.0, 0.0, 0.5)))]))
    assert found(STATE, faster)["f", "angular velocity"] == pytest.approx(0.5)
    more = replace(STATE, frames=NamedList([frame, FrameState(name="g", parent="f")]))
    assert found(STATE, more) == {("g", "the frame"): None}


def test_different_parents_with_equal_poses_are_not_a_difference() -> None:
    model = STATE.models[0]
    assert found(STATE, with_model(STATE, replace(model, parent=None, pose=PLACE @ PLACE))) == {}


def test_a_rotation_by_180_degrees() -> None:
    wxyz: Quaternion = (0.0, 1.0, 0.0, 0.0)
    one, other = (state_of([pose] * 1 + [Pose()] * 2, [Twist()] * 3) for pose in (Pose(), Pose(wxyz=wxyz)))
    assert found(one, other) == {("m/link", "rotation"): pytest.approx(math.pi)}
