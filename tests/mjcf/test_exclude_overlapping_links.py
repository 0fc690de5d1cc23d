"""Links that overlap in the initial state, in MJCF files of robots of other formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from ossature import model as m
from ossature.diagnostics import Action, Report
from ossature.model import Body, Collision, Coordinate, Inertial, Joint, Model, NamedList, World
from ossature.spatial import Pose

EXCLUDE = '<exclude body1="head" body2="trunk"/>'


def link(name: str, x: float, size: float = 0.2) -> Body:
    shape = Collision(geometry=m.Box(size=(size, 0.1, 0.1)))
    moment = ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01))
    return Body(name=name, pose=Pose((x, 0.0, 0.0)), inertial=Inertial(moment=moment), collisions=(shape,), self_collide=True)


def hinge(name: str, parent: str | None, child: str, position: float = 0.0) -> Joint:
    axis = m.Revolute(axis=(0.0, 0.0, 1.0))
    return Joint(name=name, type=axis, parent=parent, child=child, coordinates=(Coordinate(initial_position=position),))


def robot(distance: float, position: float = 0.0, *extra: Body) -> World:
    """Return a robot with three links, of which the first and the last overlap unless the joint between them turns."""
    bodies = [link("trunk", 0.0), link("neck", 0.5 * distance, size=0.02), link("head", distance), *extra]
    joints = [hinge("base", None, "trunk"), hinge("pan", "trunk", "neck"), hinge("tilt", "neck", "head", position)]
    return World(models=NamedList([Model(name="robot", bodies=NamedList(bodies), joints=NamedList(joints))]))


@pytest.mark.parametrize(
    ("world", "is_excluded"),
    [
        (robot(0.15), True),
        (robot(0.2 - 2e-3), True),
        (robot(0.2 - 1e-4), False),
        (robot(0.17, 1.5), False),
        (robot(0.25, 0.0, link("loose", -0.1)), False),
    ],
)
def test_overlapping_links_are_excluded(world: World, is_excluded: bool, tmp_path: Path) -> None:
    ledger = ossature.save(world, tmp_path / "robot.xml")
    entries = [entry.detail for entry in ledger if entry.action is Action.APPROXIMATED and "overlap" in entry.detail]
    assert (EXCLUDE in (tmp_path / "robot.xml").read_text()) == bool(entries) == is_excluded
    simulation = ossature.Simulation(ossature.load(tmp_path / "robot.xml"))
    simulation.step(50)  # without the keyframe: the head of one robot has turned back
    assert (simulation.data.ncon == 0) == is_excluded


def test_mjcf_files_keep_their_contacts(tmp_path: Path) -> None:
    ossature.save(robot(0.15), tmp_path / "robot.xml")
    text = (tmp_path / "robot.xml").read_text()
    (tmp_path / "colliding.xml").write_text(text.replace(EXCLUDE, ""))
    ossature.save(ossature.load(tmp_path / "colliding.xml"), tmp_path / "again.xml")
    assert "<exclude" not in (tmp_path / "again.xml").read_text()


def test_links_that_do_not_collide_are_not_examined(tmp_path: Path) -> None:
    world = robot(0.15)
    separate = world.models.map(
        lambda model: replace(model, bodies=model.bodies.map(lambda body: replace(body, self_collide=False)))
    )
    ledger = ossature.save(replace(world, models=separate), tmp_path / "robot.xml")
    assert not [entry for entry in ledger if "overlap" in entry.detail]


@pytest.mark.parametrize("name", ["openrave/pumagripper.zae", "usd/from_mjcf/agility_cassie/cassie.usda"])
def test_real_robots_do_not_push_themselves_apart(name: str, corpus: Path, tmp_path: Path) -> None:
    world = ossature.load(corpus / "corpus" / name)
    report = Report()
    ossature.Simulation(world, report=report)
    assert report.take("ignored-overlap")
    ossature.save(world, tmp_path / "robot.xml")
    simulation = ossature.Simulation(ossature.load(tmp_path / "robot.xml"))
    simulation.step(1)
    assert not simulation.data.ncon
