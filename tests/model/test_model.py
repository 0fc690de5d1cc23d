"""Joints, ranges, models and worlds as values."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path

import pytest

from conftest import PROJECT
from ossature import model as m
from ossature.diagnostics import Location, Report, Source
from ossature.diagnostics.counted_nouns import counted
from ossature.formats.skel import read_skel
from ossature.model import (
    UNCONSTRAINED_COORDINATE,
    Body,
    Coordinate,
    Inertial,
    Joint,
    JointType,
    Model,
    NamedList,
    Range,
    World,
)

DEGREES_OF_FREEDOM = {
    m.Fixed: 0,
    m.Revolute: 1,
    m.Prismatic: 1,
    m.Screw: 1,
    m.Universal: 2,
    m.Cylindrical: 2,
    m.PointOnLine: 4,
    m.PointOnPlane: 5,
    m.Translational2D: 2,
    m.Spherical: 3,
    m.Euler: 3,
    m.Translational: 3,
    m.Planar: 3,
    m.Floating: 6,
}
TURN_AND_SLIDE = m.Compound(axes=(m.Axis(), m.Axis(is_revolute=False)))


def joint(kind: JointType, *coordinates: Coordinate) -> Joint:
    return Joint(name="j", type=kind, parent=None, child="b", coordinates=coordinates)


def test_every_kind_of_joint_is_counted() -> None:
    assert set(JointType.__args__) == {*DEGREES_OF_FREEDOM, m.Compound}  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", DEGREES_OF_FREEDOM)
def test_a_joint_has_a_coordinate_for_each_degree_of_freedom(kind: type[JointType]) -> None:
    check_count(kind(), DEGREES_OF_FREEDOM[kind])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_compound_joint_has_a_coordinate_for_each_axis(count: int) -> None:
    check_count(m.Compound(axes=TURN_AND_SLIDE.axes[:count]), count)


def check_count(kind: JointType, count: int) -> None:
    plain = joint(kind)
    assert plain.coordinates == (UNCONSTRAINED_COORDINATE,) * count
    assert plain.degrees_of_freedom == count
    assert plain.initial_positions == plain.initial_velocities == (0.0,) * count
    with pytest.raises(ValueError, match=f"'j' has {counted(count, 'degree of freedom')}, not {count + 1}"):
        joint(kind, *[UNCONSTRAINED_COORDINATE] * (count + 1))


def test_initial_values() -> None:
    first, second = Coordinate(initial_position=1.0), Coordinate(initial_velocity=2.0)
    turning = joint(m.Universal(), first, second)
    assert turning.initial_positions == (1.0, 0.0)
    assert turning.initial_velocities == (0.0, 2.0)


def test_ranges() -> None:
    assert not Range().bounded
    assert Range(lower=0.0).bounded
    assert Range(upper=0.0).bounded


def test_sums() -> None:
    bodies = NamedList([Body(name="a", inertial=Inertial(mass=2.0)), Body(name="b", inertial=Inertial(mass=3.0))])
    model = Model(name="m", bodies=bodies, joints=NamedList([joint(m.Floating()), joint(m.Revolute())]))
    assert model.mass == 5.0
    assert model.degrees_of_freedom == 7
    assert dataclasses.replace(model, static=True).degrees_of_freedom == 0


def test_the_place_takes_no_part_in_equality() -> None:
    here = Location(Source("f", b"<a/>"), 0)
    assert Body(name="b", origin=here) == Body(name="b")
    assert hash(Body(name="b", origin=here)) == hash(Body(name="b"))


def test_values_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        World().name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("path", sorted((PROJECT / "examples").glob("*.skel")), ids=lambda path: path.stem)
def test_a_world_can_be_pickled(path: Path) -> None:
    world = read_skel(Source(path.name, path.read_bytes()), Report())
    again = pickle.loads(pickle.dumps(world))  # noqa: S301  # its own bytes
    assert again == world
    assert hash(again) == hash(world)
