"""Coupled coordinates have the values of their formulas."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from ossature.kinematics import (
    FormulaCycleError,
    UndefinedFormulaError,
    UnknownSourceError,
    joint_positions,
    model_poses,
    poses,
    sorted_coupled_coordinates,
    with_initial_coupled_positions,
)
from ossature.model import (
    Body,
    Coordinate,
    Coupling,
    Expression,
    Joint,
    JointPosition,
    Model,
    NamedList,
    Range,
    Revolute,
    Universal,
    World,
)
from ossature.spatial import Pose
from random_expressions import line, number, of


def at(joint: str, coordinate: int = 0) -> JointPosition:
    return JointPosition(joint=joint, coordinate=coordinate)


def chain(formulas: dict[str, Expression], **fields: object) -> Model:
    """Links of one metre along x, one on the other, turning about z by joints of the given names."""
    bodies, joints, parent = [], [], None
    for name, formula in formulas.items():
        is_free = formula == number(0.0)
        coordinate = Coordinate(coupling=None if is_free else Coupling(position=formula), **fields)  # type: ignore[arg-type]
        bodies.append(Body(name=f"body {name}", pose=Pose((float(len(bodies)), 0.0, 0.0))))
        joints.append(Joint(name=name, type=Revolute(), parent=parent, child=f"body {name}", coordinates=(coordinate,)))
        parent = f"body {name}"
    return Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))


FREE = number(0.0)
TWO = chain({"a": FREE, "b": line(at("a"), 0.5, 0.1)})


def angle(pose: Pose) -> float:
    return 2.0 * math.atan2(pose.wxyz[3], pose.wxyz[0])


def test_a_coupled_joint_has_the_position_of_its_formula() -> None:
    placed = model_poses(TWO, {"a": [0.4]})
    assert angle(placed["body b"]) == pytest.approx(0.4 + 0.3, abs=1e-15)
    assert placed["body b"].position == pytest.approx((math.cos(0.4), math.sin(0.4), 0.0), abs=1e-15)


def test_without_positions_the_initial_ones_are_used() -> None:
    assert angle(model_poses(TWO)["body b"]) == pytest.approx(0.1, abs=1e-15)


def test_given_positions_take_precedence_over_the_formula() -> None:
    assert angle(model_poses(TWO, {"b": [1.0]})["body b"]) == pytest.approx(1.0, abs=1e-15)


def test_limits_do_not_restrict_a_coupled_joint() -> None:
    model = chain({"a": FREE, "b": line(at("a"), 3.0)}, position_limits=Range(lower=-1.0, upper=1.0))
    assert joint_positions(model, {"a": [2.0]})["b"] == [6.0]


def test_couplings_of_couplings_in_any_order() -> None:
    model = chain({"d": line(at("c"), 2.0), "c": of("sine", at("b")), "b": line(at("a"), 0.5, 0.1), "a": FREE})
    assert [follower.joint.name for follower in sorted_coupled_coordinates(model)] == ["b", "c", "d"]
    expected = {"a": [0.8], "b": [0.5], "c": [math.sin(0.5)], "d": [2.0 * math.sin(0.5)]}
    assert joint_positions(model, {"a": [0.8]}) == expected


def test_a_coupling_to_a_joint_with_a_given_position() -> None:
    model = chain({"c": line(at("b"), 2.0), "b": line(at("a"), 0.5), "a": FREE})
    assert joint_positions(model, {"b": [0.3]})["c"] == [0.6]


def test_one_coordinate_of_several_is_coupled() -> None:
    joint = Joint(
        name="u",
        type=Universal(),
        parent=None,
        child="b",
        coordinates=(Coordinate(initial_position=0.2), Coordinate(coupling=Coupling(position=line(at("u"), -1.0)))),
    )
    model = Model(name="m", bodies=NamedList([Body(name="b")]), joints=NamedList([joint]))
    assert joint_positions(model, {}) == {"u": [0.2, -0.2]}
    assert joint_positions(model, {"u": [0.2, 0.7]}) == {"u": [0.2, 0.7]}


def test_a_cycle_is_named() -> None:
    model = chain({"a": line(at("b"), 1.0), "b": line(at("c"), 1.0), "c": line(at("a"), 1.0)})
    with pytest.raises(FormulaCycleError, match="a → b → c → a"):
        model_poses(model)
    with pytest.raises(ValueError, match="a → a"):
        poses(World(models=NamedList([chain({"a": line(at("a"), 1.0)})])))
    assert joint_positions(model, {"b": [0.25]})["c"] == [0.25]


def test_two_paths_to_one_source_are_not_a_cycle() -> None:
    model = chain({"d": of("add", at("b"), at("c")), "c": line(at("b"), 1.0), "b": line(at("a"), 1.0), "a": FREE})
    assert joint_positions(model, {"a": [0.5]})["d"] == [1.0]


def test_an_unknown_source_is_named() -> None:
    with pytest.raises(UnknownSourceError, match=r"joint 'b' is coupled to joint 'elbo', which does not exist \(.*'elbow'"):
        model_poses(chain({"elbow": FREE, "b": line(at("elbo"), 1.0)}))
    with pytest.raises(UnknownSourceError, match="coordinate 2 of joint 'elbow', which does not exist"):
        model_poses(chain({"elbow": FREE, "b": line(at("elbow", 2), 1.0)}))


def test_a_formula_without_a_value_is_named() -> None:
    model = chain({"a": FREE, "b": of("natural_logarithm", at("a"))})
    with pytest.raises(UndefinedFormulaError, match=r"b = ln\(a\) has no value at a = 0"):
        model_poses(model)
    assert joint_positions(model, {"a": [1.0]})["b"] == [0.0]


def test_a_long_chain_of_couplings() -> None:
    names = [f"j{number}" for number in range(3000)]
    formulas = {name: line(at(after), 1.0) for name, after in pairwise(names)}
    model = chain({**formulas, names[-1]: FREE})
    started = time.process_time()
    assert joint_positions(model, {names[-1]: [0.5]})["j0"] == [0.5]
    assert time.process_time() - started < 5.0


def test_initial_positions_of_coupled_joints() -> None:
    model = chain({"c": of("power", at("b"), 2.0), "b": line(at("a"), 0.5, 0.1), "a": FREE})
    moving = replace(model.joints["a"], coordinates=(Coordinate(initial_position=0.8, initial_velocity=3.0),))
    model = replace(model, joints=NamedList([*model.joints[:2], moving]))
    started = with_initial_coupled_positions(model)
    assert started.joints["b"].initial_positions == (0.5,)
    assert started.joints["b"].initial_velocities == (1.5,)
    assert started.joints["c"].initial_positions == (0.25,)
    assert started.joints["c"].initial_velocities == (2.0 * 0.5 * 1.5,)
    assert started.joints["a"] == moving
    unchanged = chain({"a": FREE})
    assert with_initial_coupled_positions(unchanged) is unchanged
