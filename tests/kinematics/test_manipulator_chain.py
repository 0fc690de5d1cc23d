"""Manipulators: their joints and the poses of their tips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from complete_robot import robot
from openrave_comparison import active_joints, with_passive_joints
from openrave_reference import ReferenceBody, corpus_file, reference, referenced_files
from ossature.kinematics import (
    Arm,
    ArmError,
    arm_joints,
    base_of,
    find_arm,
    find_manipulator,
    gripper_joints,
    tip_pose,
)
from ossature.model import Actuation, Body, Coordinate, Floating, Joint, Model, NamedList, Range, Revolute, World

CLOSE = 1e-9


@pytest.mark.one_in(3)
@pytest.mark.corpus
@pytest.mark.parametrize("name", referenced_files())
def test_manipulators_are_those_of_openrave(name: str, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENRAVE_DATA", str(corpus / "corpus" / "openrave-elements"))
    world, report = ossature.read(corpus_file(corpus, name))
    assert world is not None, str(report)
    for read, body in zip(world.models, reference(corpus, name).bodies, strict=False):
        model = with_passive_joints(read, body)
        compare_joints(model, body)
        compare_tips(model, body)


def compare_joints(model: Model, body: ReferenceBody) -> None:
    numbers = {id(joint): number for number, joint in enumerate(active_joints(model))}
    for manipulator, theirs in zip(model.manipulators, body.manipulators, strict=True):
        assert [numbers[id(joint)] for joint in arm_joints(model, manipulator)] == list(theirs.arm), manipulator.name
        assert [numbers[id(joint)] for joint in gripper_joints(model, manipulator)] == list(theirs.gripper_numbers)
        assert tuple(gripper.joint for gripper in manipulator.gripper) == theirs.gripper


def compare_tips(model: Model, body: ReferenceBody) -> None:
    active = active_joints(model)
    zero = {joint.name: (0.0,) * joint.degrees_of_freedom for joint in active}
    for manipulator, theirs in zip(model.manipulators, body.manipulators, strict=True):
        np.testing.assert_allclose(manipulator.pose.matrix(), theirs.pose_tip, atol=CLOSE)
        np.testing.assert_allclose(tip_pose(model, manipulator, zero).matrix(), theirs.pose_zero, atol=CLOSE)
        for sample in body.samples:
            positions = {joint.name: (value,) for joint, value in zip(active, sample.values, strict=True)}
            found = tip_pose(model, manipulator, positions).matrix()
            np.testing.assert_allclose(found, sample.tips[manipulator.name], atol=CLOSE)


def joint(name: str, parent: str | None, child: str, **options: object) -> Joint:
    return Joint(name=name, type=Revolute(), parent=parent, child=child, **options)  # type: ignore[arg-type]


def fork() -> Model:
    """Return a body with two arms of two joints each."""
    names = ("trunk", "left1", "left2", "right1", "right2")
    held = Coordinate(position_limits=Range(lower=0.5, upper=0.5))
    return Model(
        name="fork",
        bodies=NamedList([Body(name=name) for name in names]),
        joints=NamedList(
            [
                joint("waist", None, "trunk"),
                joint("a", "trunk", "left1"),
                joint("b", "left1", "left2"),
                joint("c", "trunk", "right1", coordinates=(held,)),
                joint("d", "right1", "right2"),
            ]
        ),
    )


def names_of(model: Model, base: str | None, tip: str, last: str | None = None) -> list[str]:
    return [joint.name for joint in arm_joints(model, Arm(base=base, tip=tip, chain_end=last))]


def test_path_between_bodies() -> None:
    model = fork()
    assert names_of(model, "trunk", "left2") == ["a", "b"]
    assert names_of(model, None, "left2") == ["waist", "a", "b"]
    assert names_of(model, "left2", "right2") == ["b", "a", "d"]  # c has no room
    assert names_of(model, "trunk", "left2", last="left1") == ["a"]
    assert names_of(model, "left1", "left1") == []


def test_locked_and_passive_joints_are_excluded() -> None:
    model = fork()
    for actuation in (Actuation.PASSIVE, Actuation.LOCKED):
        joints = [replace(joint, actuation=actuation) if joint.name == "a" else joint for joint in model.joints]
        assert names_of(replace(model, joints=NamedList(joints)), "trunk", "left2") == ["b"]
    assert names_of(replace(model, static=True), "trunk", "left2") == []


def test_coupled_joints_are_replaced_by_their_sources() -> None:
    model = robot().models["arm"]
    manipulator = model.manipulators[0]
    assert [joint.name for joint in arm_joints(model, replace(manipulator, base="upper", tip="hand", chain_end=None))] == [
        "shoulder"
    ]


def test_chains_that_end_before_the_tip() -> None:
    model = robot().models["arm"]
    manipulator = replace(model.manipulators[0], base="base", tip="hand", chain_end="base")
    assert arm_joints(model, manipulator) == ()


def test_errors_name_the_unknown_body() -> None:
    model = fork()
    with pytest.raises(ArmError, match="no body 'left3': did you mean 'left"):
        names_of(model, "trunk", "left3")
    loose = replace(model, joints=NamedList([joint for joint in model.joints if joint.name not in ("waist", "a")]))
    with pytest.raises(ArmError, match="no joints connect 'trunk' and 'left2'"):
        names_of(loose, "trunk", "left2")


def test_default_base() -> None:
    model = fork()
    assert base_of(model, "left2") is None
    floating = Joint(name="waist", type=Floating(), parent=None, child="trunk")
    joints = NamedList([floating if joint.name == "waist" else joint for joint in model.joints])
    assert base_of(replace(model, joints=joints), "left2") == "trunk"


def test_manipulators_are_found_by_name() -> None:
    world = robot()
    assert find_manipulator(world)[1] is world.models["arm"].manipulators[0]
    with pytest.raises(ArmError, match="no manipulator 'leg'"):
        find_manipulator(world, "leg")
    with pytest.raises(ArmError, match="no model 'legs'"):
        find_manipulator(world, None, "legs")
    with pytest.raises(ArmError, match=r"specify a tip body .*, such as 'left2', 'right2'$"):
        find_manipulator(World(models=NamedList([fork()])))
    twice = replace(world, models=NamedList([*world.models, replace(world.models["arm"], name="other")]))
    with pytest.raises(ArmError, match="several manipulators: arm/"):
        find_manipulator(twice)
    with pytest.raises(ArmError, match="several models have a body 'hand'"):
        find_arm(twice, "hand")
    assert find_arm(twice, "hand", model="other")[0].name == "other"
    with pytest.raises(ArmError, match="no body 'hnd': did you mean 'hand'"):
        find_arm(world, "hnd")
