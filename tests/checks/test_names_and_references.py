"""Checks of names, and of what refers to bodies and joints by their names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ossature import model as m
from ossature.checks import check
from ossature.diagnostics import Report
from ossature.model import Model, NamedList, World
from random_expressions import line

from .worlds_and_cases import (
    FIXED,
    Cases,
    J,
    chain,
    find_none,
    find_one,
    following,
    good_body,
    good_joint,
    numbered,
    partial,
    world_of,
)


def holding(*held: str, ignored_bodies: tuple[str, ...] = ()) -> World:
    """Return a World in which a body on a joint holds others, given by the names of their models and their own."""
    hand = m.BodyPath(model="m", body="b")
    pairs = [m.BodyPath(model=model, body=body) for model, body in zip(held[::2], held[1::2], strict=True)]
    grasps = [m.Grasp(link=hand, body=body, ignored_bodies=ignored_bodies) for body in pairs]
    thing = Model(name="n", bodies=NamedList([good_body("a")]))
    return replace(world_of(), models=NamedList([*world_of().models, thing]), grasps=tuple(grasps))


def equipped(**fields: object) -> World:
    world = world_of()
    return replace(world, models=NamedList([replace(world.models[0], **fields)]))


def arm(**fields: object) -> m.Manipulator:
    return replace(m.Manipulator(name="arm", base="b", tip="b"), **fields)


def sampled(joint: str, **fields: object) -> World:
    """Return a World with an arm of one joint, whose solver samples a joint."""
    second = good_joint("k", parent="b", child="c", coordinates=(replace(m.UNCONSTRAINED_COORDINATE, **fields),))
    solver = m.IkSolver(type=m.IkType.TRANSLATION_3D, free_joints=(m.IkFreeJoint(joint=joint, step=0.1),))
    found = world_of(good_body(), good_body("c"), joints=(good_joint(), second))
    manipulators = NamedList([arm(tip="c", solvers=(solver,))])
    return replace(found, models=NamedList([replace(found.models["m"], manipulators=manipulators)]))


BAD: Cases = {
    "missing-name": (
        lambda: world_of(joints=(good_joint(name=" "),)),
        lambda: world_of(good_body(frames=(m.Frame(name=""),))),
        lambda: World(models=NamedList([Model(name="")])),
    ),
    "duplicate-name": (
        lambda: world_of(good_body(), good_body("c"), joints=(good_joint(), good_joint(child="c"))),
        lambda: world_of(good_body(), good_body()),
        lambda: world_of(good_body(frames=(m.Frame(name="f"), m.Frame(name="f")))),
        lambda: World(models=NamedList([Model(name="m"), Model(name="m")])),
    ),
    "joint-named-like-body": (lambda: world_of(joints=(good_joint("b"),)),),
    "unknown-body": (
        lambda: world_of(joints=(good_joint(), good_joint("k", child="nobody"))),
        lambda: world_of(joints=(good_joint(), good_joint("k", parent="B"))),
    ),
    "unknown-joint": (
        lambda: following(line(m.JointPosition(joint="J"), 1.0)),
        lambda: following(line(m.JointPosition(joint="j", coordinate=1), 1.0)),
        lambda: following(line(J, 1.0), partial(1, m.Number(value=1.0), joint="l")),
        lambda: following(line(J, 1.0), partial(1, m.JointPosition(joint="l"))),
        lambda: equipped(manipulators=NamedList([arm(gripper=(m.GripperJoint(joint="g"),))])),
        lambda: equipped(
            manipulators=NamedList([arm(solvers=(m.IkSolver(type=m.IkType.RAY_4D, free_joints=(m.IkFreeJoint(joint="f"),)),))])
        ),
        lambda: equipped(actuators=NamedList([m.Actuator(name="motor", joint="k")])),
    ),
    "self-connection": (
        lambda: world_of(joints=(good_joint(), good_joint("k", parent="b"))),
        lambda: world_of(joints=(good_joint(parent="b"),)),
    ),
    "disconnected-body": (lambda: world_of(good_body(), good_body("c", collisions=()), gravity=(0.0, 0.0, 0.0)),),
    "ineffective-free-joint": (
        lambda: sampled("j"),
        lambda: sampled("k", position_limits=m.Range(lower=0.0, upper=0.0)),
    ),
    "invalid-grasp": (
        lambda: holding("n", "A"),
        lambda: holding("k", "a"),
        lambda: holding("m", "b"),
        lambda: holding("n", "a", ignored_bodies=("thumb",)),
        lambda: holding("n", "a", "n", "a"),
    ),
}

NEARLY: Cases = {
    "missing-name": (lambda: world_of(joints=(good_joint(name="0"),)), lambda: World(name="")),
    "duplicate-name": (
        lambda: world_of(good_body("b", frames=(m.Frame(name="b"),)), joints=(good_joint("b"),)),
        lambda: World(models=NamedList([Model(name="m"), Model(name="M")])),
    ),
    "joint-named-like-body": (lambda: world_of(joints=(good_joint("b_joint"),)),),
    "unknown-body": (chain,),
    "unknown-joint": (
        lambda: following(line(J, 1.0), partial(1, m.Number(value=1.0))),
        lambda: equipped(
            manipulators=NamedList([arm(gripper=(m.GripperJoint(joint="j"),))]),
            actuators=NamedList([m.Actuator(name="k", joint="j")]),
        ),
    ),
    "self-connection": (chain,),
    "disconnected-body": (
        lambda: world_of(good_body(), good_body("c")),
        lambda: world_of(good_body(), good_body("c", initial_velocity=(1.0, 0.0, 0.0), collisions=()), gravity=(0.0, 0.0, 0.0)),
        lambda: world_of(good_body(), good_body("c"), joints=()),
        lambda: world_of(good_body(), good_body("c", collisions=()), joints=(FIXED,), gravity=(0.0, 0.0, 0.0)),
        lambda: World(
            models=NamedList(
                [Model(name="m", bodies=NamedList([good_body(), good_body("c")]), joints=NamedList([FIXED]), static=True)]
            )
        ),
    ),
    "ineffective-free-joint": (lambda: sampled("k"),),
    "invalid-grasp": (lambda: holding("n", "a"),),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)


def test_hints_name_what_was_meant() -> None:
    report = check(world_of(joints=(good_joint(), good_joint("k", parent="B"))))
    (unknown,) = report.take("unknown-body")
    assert unknown.hint == "did you mean 'b'?"
