"""Ossature's own extensions: they come back as they were, and nonsense in them is a finding."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from complete_robot import robot
from ossature import model as m
from ossature.diagnostics import Ledger, Report, Source
from ossature.formats.collada import read_collada, write_collada
from ossature.formats.collada.native_extension.codec import node_of, value_of
from ossature.formats.collada.rules import INVALID_EXTENSION
from ossature.spatial import Pose
from ossature.syntax import xml, xml_parser
from xml_mutations import ALL

VALUES: list[Any] = [
    m.Screw(pitch=0.25),
    m.Coordinate(name=' a "b" <c>\t&', position_limits=m.Range(lower=-float("inf"), upper=1e-320), continuous=True),
    m.Joint(name="j", type=m.Planar(), parent=None, child="b", pose=Pose((1.0, 2.0, 3.0)), actuation=m.Actuation.SERVO),
    m.MultiSphere(balls=(m.Ball(radius=0.1, position=(0.0, 0.0, 1.0)), m.Ball(radius=0.2, position=(0.0, 0.0, 0.0)))),
    m.SoftSkin(geometry=m.Cylinder(radius=1.0, length=2.0), subdivisions=(3, 4, 5)),
    m.ForceMap(deformations=(0.0, 1.0), velocities=(0.5,), forces=((0.0, 1.0),)),
    m.Inertial(moment=((1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0))),
    m.Euler(order="zyx"),
    m.Coupling(position=m.Operation(operator=m.Operator.ADD, operands=(m.Number(value=1.0), m.JointPosition(joint="j")))),
    m.Material(name="", friction=0.0),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_come_back(value: Any) -> None:
    text = xml.compact(node_of(value))
    node = xml_parser.parse(Source("value", text.encode()), Report())
    assert node is not None
    assert value_of([type(value)], node) == value


@pytest.mark.parametrize(
    "text",
    [
        "<Screw pitch='fast'/>",
        "<Screw pitch='nan'/>",
        "<Screw pitch='inf'/>",
        "<Screw axis='0 0'/>",
        "<Screw length='1'/>",
        "<Screw unset='pitch'/>",
        "<Revolute/>",
        "<Screw><axis/></Screw>",
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    node = xml_parser.parse(Source("value", text.encode()), Report())
    assert node is not None
    with pytest.raises(ValueError):
        value_of([m.Screw], node)


def written(world: m.World) -> str:
    return write_collada(world, Ledger())


def test_findings() -> None:
    joint = m.Joint(name="j", type=m.Screw(), parent="base", child="upper")
    arm = replace(robot().models[0], joints=m.NamedList([joint]))
    text = written(replace(robot(), models=m.NamedList([arm]), grasps=()))
    report = Report()
    world = read_collada(Source("written", text.replace("<Screw/>", "<Worm/>").encode()), report)
    assert world is not None
    (finding,) = [found for found in report if found.rule is INVALID_EXTENSION]
    assert "type" in finding.message
    assert finding.location is not None and finding.location.line > 1
    assert isinstance(world.models[0].joints["j"].type, m.Cylindrical)


def test_mutations() -> None:
    """Whatever stands in a document, reading it gives a World or findings."""
    text, source = written(robot()), random.Random(0)
    for _ in range(60):
        mutation = source.choice(ALL)
        changed = mutation(text, source)
        read_collada(Source("changed", changed.encode("utf-8", "replace")), Report())


@pytest.mark.parametrize("count", [70, 200])
def test_long_chains(count: int) -> None:
    """A chain that would be too deep for readers of XML is cut, and the joint between the parts carried whole."""
    bodies = [m.Body(name=f"b{index}", pose=Pose((0.0, 0.0, 0.1 * index))) for index in range(count)]
    joints = [
        m.Joint(name=f"j{index}", type=m.Revolute(), parent=f"b{index - 1}" if index else None, child=f"b{index}")
        for index in range(count)
    ]
    world = m.World(models=m.NamedList([m.Model(name="chain", bodies=m.NamedList(bodies), joints=m.NamedList(joints))]))
    again = read_collada(Source("written", written(world).encode()), Report())
    assert again is not None
    assert again.models[0].joints == world.models[0].joints
    assert again.models[0].bodies.names() == world.models[0].bodies.names()
