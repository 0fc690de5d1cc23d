"""Checks of the axes of joints, and of the limits, friction and stiffness of their coordinates."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

import ossature
from conftest import PROJECT
from ossature import model as m
from ossature.checks import check
from ossature.diagnostics import Report
from ossature.model import Axis, Coordinate, Joint, Range, World
from ossature.model.joint import X_AXIS
from ossature.spatial import Vector3
from random_expressions import line

from .worlds_and_cases import (
    Cases,
    J,
    find_none,
    find_one,
    following,
    good_joint,
    numbered,
    on_the_ground,
    with_coordinate,
    world_of,
)


def ball(kind: m.JointType | None = None, **fields: object) -> Joint:
    """Return a ball joint, or another with a ball in it, whose last coordinate states something."""
    kind = kind or m.Spherical()
    last = replace(Coordinate(), **fields)  # type: ignore[arg-type]
    return good_joint(type=kind, coordinates=(*[Coordinate()] * (kind.degrees_of_freedom - 1), last))


def universal(axis1: Vector3, axis2: Vector3) -> World:
    return world_of(joints=(good_joint(type=m.Universal(axis1=axis1, axis2=axis2), coordinates=()),))


def compound(*axes: Axis, limit: float = math.inf) -> World:
    coordinates = tuple(Coordinate(position_limits=Range(upper=limit)) for _ in axes)
    return world_of(joints=(good_joint(type=m.Compound(axes=axes), coordinates=coordinates),))


BAD: Cases = {
    "non-unit-axis": (
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(0.0, 0.0, 2.0))),)),
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(0.0, 0.0, 0.0))),)),
        lambda: compound(Axis(), Axis(direction=(0.0, 3.0, 0.0), is_revolute=False)),
        lambda: on_the_ground(m.Plane(normal=(0.0, 0.0, 2.0))),
        lambda: on_the_ground(m.Plane(normal=(0.0, 0.0, 0.0))),
    ),
    "parallel-axes": (
        lambda: universal((1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)),
        lambda: world_of(joints=(good_joint(type=m.Planar(axis1=X_AXIS, axis2=X_AXIS), coordinates=()),)),
        lambda: world_of(joints=(good_joint(type=m.Translational2D(axis1=X_AXIS, axis2=X_AXIS), coordinates=()),)),
        lambda: compound(Axis(is_revolute=False), Axis(), Axis(), Axis(direction=X_AXIS)),
    ),
    "reversed-limits": tuple(
        [
            lambda name=name: with_coordinate(**{f"{name}_limits": Range(lower=1.0, upper=-1.0)})  # type: ignore[misc]
            for name in ("position", "velocity", "acceleration", "effort")
        ]
    ),
    "initial-position-outside-limits": (
        lambda: with_coordinate(position_limits=Range(lower=1.0, upper=2.0)),
        lambda: with_coordinate(velocity_limits=Range(lower=-1.0, upper=1.0), initial_velocity=1.5),
        lambda: following(line(J, 1.0, 0.5), position_limits=Range(lower=-0.25, upper=0.25)),
    ),
    "suspected-degrees": (
        lambda: with_coordinate(position_limits=Range(lower=-90.0, upper=90.0)),
        lambda: with_coordinate(position_limits=Range(lower=-180.0)),
        lambda: compound(Axis(), limit=180.0),
    ),
    "unenforced-position-limit": (
        lambda: world_of(joints=(ball(position_limits=Range(lower=-1.0, upper=1.0)),)),
        lambda: world_of(joints=(ball(m.PointOnLine(), position_limits=Range(lower=-1.0, upper=1.0)),)),
    ),
    "uneven-joint-friction": (lambda: world_of(joints=(ball(friction=1.0),)),),
    "negative-damping-or-stiffness": (
        lambda: with_coordinate(damping=-1.0),
        lambda: with_coordinate(friction=-1.0),
        lambda: with_coordinate(stiffness=-1.0),
    ),
}

NEARLY: Cases = {
    "non-unit-axis": (
        lambda: world_of(joints=(good_joint(type=m.Revolute(axis=(0.6, 0.8, 0.0))),)),
        lambda: on_the_ground(m.Plane(normal=(0.6, 0.0, 0.8))),
    ),
    "parallel-axes": (
        lambda: universal((1.0, 0.0, 0.0), (0.8, 0.6, 0.0)),
        lambda: compound(Axis(), Axis(is_revolute=False), Axis()),
    ),
    "reversed-limits": (lambda: with_coordinate(position_limits=Range(lower=0.0, upper=0.0)),),
    "initial-position-outside-limits": (
        lambda: with_coordinate(position_limits=Range(lower=0.0, upper=2.0)),
        lambda: with_coordinate(velocity_limits=Range(lower=-1.0, upper=1.0), initial_velocity=1.0),
        lambda: following(line(J, 1.0, 0.5), position_limits=Range(lower=0.25, upper=0.75)),
    ),
    "suspected-degrees": (
        lambda: with_coordinate(position_limits=Range(lower=-2.0 * math.tau, upper=2.0 * math.tau)),
        lambda: with_coordinate(position_limits=Range(lower=-1e6, upper=1e6)),
        lambda: compound(Axis(is_revolute=False), limit=180.0),
        lambda: world_of(
            joints=(good_joint(type=m.Prismatic(), coordinates=(Coordinate(position_limits=Range(lower=-90.0, upper=90.0)),)),)
        ),
    ),
    "unenforced-position-limit": (lambda: world_of(joints=(ball(velocity_limits=Range(lower=-1.0, upper=1.0)),)),),
    "uneven-joint-friction": (lambda: world_of(joints=(ball(damping=1.0),)),),
    "negative-damping-or-stiffness": (lambda: with_coordinate(damping=0.0, spring_reference=-1.0),),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)


def test_reversed_limits_may_be_those_of_a_joint_without_limits() -> None:
    (finding,) = check(with_coordinate(position_limits=Range(lower=1.0, upper=-1.0))).take("reversed-limits")
    assert "if the joint has no limits, as PyBullet interprets reversed ones, remove them" in (finding.hint or "")


def test_an_initial_position_is_distinguished_from_its_limit() -> None:
    text = (PROJECT / "examples" / "arm.skel").read_text()
    assert "<init_pos>0.5</init_pos>" in text
    (finding,) = ossature.check(text.replace("<init_pos>0.5</init_pos>", "<init_pos>1.90000015</init_pos>")).warnings
    expected = "joint 'lift' starts 1.5e-07 outside of its limits -1.9 to 1.9: a simulation moves it back to 1.9"
    assert finding.message == expected
