"""Links that overlap in the initial state, in MJCF files of robots of other formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import ossature
from ossature.diagnostics import Action, Report
from ossature.model import World
from overlapping_links import link, neck

EXCLUDE = '<exclude body1="head" body2="trunk"/>'


@pytest.mark.parametrize(
    ("world", "is_excluded"),
    [
        (neck(0.15), True),
        (neck(0.2 - 2e-3), True),
        (neck(0.2 - 1e-4), False),
        (neck(0.17, 1.5), False),
        (neck(0.25, 0.0, link("loose", -0.1)), False),
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
    ossature.save(neck(0.15), tmp_path / "robot.xml")
    text = (tmp_path / "robot.xml").read_text()
    (tmp_path / "colliding.xml").write_text(text.replace(EXCLUDE, ""))
    ossature.save(ossature.load(tmp_path / "colliding.xml"), tmp_path / "again.xml")
    assert "<exclude" not in (tmp_path / "again.xml").read_text()


def test_links_that_do_not_collide_are_not_examined(tmp_path: Path) -> None:
    world = neck(0.15)
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
