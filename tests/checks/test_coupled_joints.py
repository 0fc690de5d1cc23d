"""Checks of formulas by which joints follow others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ossature import model as m
from ossature.checks import check
from ossature.diagnostics import Report
from ossature.model import Coordinate, NamedList, Range, World
from random_expressions import line, of

from .worlds_and_cases import (
    UNIT_RANGE,
    Cases,
    J,
    find_none,
    find_one,
    following,
    good_body,
    good_joint,
    loop,
    numbered,
    partial,
    world_of,
)


def coupled(factor: float, limits: Range = UNIT_RANGE) -> World:
    """Return two joints with limits of ±1 and the given ones, of which the second has the first's position times a factor."""
    position = m.Operation(operator=m.Operator.MULTIPLY, operands=(m.Number(value=factor), m.JointPosition(joint="j")))
    follower = Coordinate(position_limits=limits, coupling=m.Coupling(position=position))
    leader = good_joint(coordinates=(Coordinate(position_limits=UNIT_RANGE if factor > 0.0 else Range(lower=0.0, upper=1.0)),))
    return world_of(
        good_body(), good_body("c"), joints=(leader, good_joint("k", parent="b", child="c", coordinates=(follower,)))
    )


def coupled_chain(factor: float) -> World:
    """Return three joints, the first without limits; the last has limits, and the position of the second times a factor."""

    def follow(leader: str, by: float) -> tuple[Coordinate, ...]:
        return (Coordinate(position_limits=UNIT_RANGE, coupling=m.Coupling(position=line(m.JointPosition(joint=leader), by))),)

    joints = (
        good_joint(coordinates=(Coordinate(),)),
        good_joint("k", parent="b", child="c", coordinates=follow("j", -1.5)),
        good_joint("l", parent="c", child="d", coordinates=follow("k", factor)),
    )
    return world_of(good_body(), good_body("c"), good_body("d"), joints=joints)


BAD: Cases = {
    "formula-cycle": (
        lambda: following(line(m.JointPosition(joint="k"), 0.5)),
        lambda: world_of(
            good_body(),
            good_body("c"),
            joints=(
                good_joint(coordinates=(Coordinate(coupling=m.Coupling(position=m.JointPosition(joint="k"))),)),
                good_joint("k", parent="b", child="c", coordinates=(Coordinate(coupling=m.Coupling(position=J)),)),
            ),
        ),
    ),
    "undefined-formula": (
        lambda: following(of("divide", 1.0, J)),
        lambda: following(of("root", J, 2.0)),
        lambda: following(of("divide", 1.0, of("multiply", 0.0, 1.0))),
    ),
    "inconsistent-derivative": (
        lambda: following(line(J, 1.0), partial(1, J)),
        lambda: following(line(J, 0.5), partial(2, m.Number(value=0.5))),
        lambda: following(of("sine", J), partial(1, of("sine", J))),
        lambda: following(line(J, 0.5), partial(1, m.Number(value=0.501))),
    ),
    "unreachable-coupled-position": (
        lambda: coupled(5.0),
        lambda: coupled(-1.0, Range(lower=0.0, upper=1.0)),
        lambda: coupled_chain(-1.2),
    ),
}

NEARLY: Cases = {
    "formula-cycle": (
        lambda: world_of(
            good_body(),
            good_body("c"),
            good_body("d"),
            joints=(
                good_joint(),
                good_joint("k", parent="b", child="c", coordinates=(Coordinate(coupling=m.Coupling(position=J)),)),
                good_joint(
                    "l",
                    parent="c",
                    child="d",
                    coordinates=(
                        Coordinate(
                            coupling=m.Coupling(position=of("add", J, m.JointPosition(joint="k"))),
                        ),
                    ),
                ),
            ),
        ),
    ),
    "undefined-formula": (
        lambda: following(of("root", of("add", 4.0, J), 2.0)),
        lambda: following(of("arc_tangent", of("divide", 1.0, J))),
    ),
    "inconsistent-derivative": (
        lambda: following(line(J, 1.0 / 3.0), partial(1, m.Number(value=0.333333)), partial(2, m.Number(value=0.0))),
        lambda: following(of("sine", J), partial(1, of("cosine", J)), partial(2, of("negate", of("sine", J)))),
    ),
    "unreachable-coupled-position": (
        lambda: coupled(1.0),
        lambda: coupled(1.04),
        lambda: coupled(-1.0, Range(lower=-1.0, upper=0.0)),
        lambda: coupled(5.0, m.UNBOUNDED),
        lambda: coupled_chain(-0.9),
    ),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)


def test_a_wrong_derivative_is_told_with_its_error() -> None:
    (finding,) = check(following(line(J, 1.0), partial(1, J))).take("inconsistent-derivative")
    assert "the first derivative of k = 1 * j + 0 by j is stated as j, but is 1: error" in finding.message
    assert "at j = -3.142" in finding.message


def test_a_cycle_is_told_with_its_chain() -> None:
    (finding,) = check(BAD["formula-cycle"][1]()).take("formula-cycle")
    assert finding.message == "cyclic coupling: j → k → j"


def test_an_undefined_formula_is_told_with_its_place() -> None:
    (finding,) = check(following(of("root", J, 2.0))).take("undefined-formula")
    assert finding.message == "joint 'k': k = root(j, 2) has no value, for example at j = -3.142"
    assert finding.hint is not None and "of 256 positions" in finding.hint


def test_a_loop_with_a_senseless_formula_is_no_trouble() -> None:
    world = loop(m.Fixed(), 0.0)
    bad = good_joint("k", child="c", coordinates=(Coordinate(coupling=m.Coupling(position=m.JointPosition(joint="k"))),))
    model = world.models[0]
    world = replace(world, models=NamedList([replace(model, joints=NamedList([model.joints[0], bad, model.joints[2]]))]))
    assert {finding.rule.name for finding in check(world)} == {"formula-cycle"}
