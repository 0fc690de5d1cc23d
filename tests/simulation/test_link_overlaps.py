"""Bodies that joints connect and that overlap at the start: their contacts cannot separate them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature.diagnostics import Report
from ossature.model import BodyPath, Grasp, Model, NamedList, World
from ossature.model.edit import with_values
from ossature.simulation import CollisionQuery, CompiledModel, ContactOptions, NeedsCompilingError, Simulation
from overlapping_links import SIZE, link, neck

ALL_COLLIDE = ContactOptions(ignore_link_overlaps=False)


def with_ignored_pair(world: World) -> World:
    return replace(world, models=world.models.map(lambda model: replace(model, ignored_pairs=(("trunk", "head"),))))


def positions_after(simulation: Simulation, steps: int = 50) -> np.ndarray:
    simulation.step(steps)
    return simulation.data.qpos.copy()


def test_links_that_overlap_move_as_if_their_pair_were_ignored(report: Report) -> None:
    simulation = Simulation(neck(), report=report)
    (finding,) = report.take("ignored-overlap")
    assert "'head' and 'trunk' (50 mm)" in finding.message
    assert np.array_equal(positions_after(simulation), positions_after(Simulation(with_ignored_pair(neck()))))
    assert simulation.diagnostics.energy.gain < 1e-9


def test_their_contacts_are_simulated_on_request(report: Report) -> None:
    simulation = Simulation(neck(), contact=ALL_COLLIDE, report=report)
    simulation.step(1)
    assert report.take("initial-overlap")
    assert simulation.data.ncon


def test_no_other_overlaps_are_ignored(report: Report) -> None:
    """Links that touch, or overlap slightly, and a body that no joint connects with them."""
    for world in (neck(0.2), neck(0.2 - 1e-5), neck(0.25, 0.0, link("loose", -0.1))):
        simulation = Simulation(world, report=report)
        simulation.step(1)
        assert simulation.data.ncon
    assert "loose" in str(report.take("initial-overlap")[0])


@pytest.mark.parametrize("overlap", np.geomspace(3e-5, 9e-4, 5))
def test_slight_overlaps_are_ignored(overlap: float, report: Report) -> None:
    world = neck(SIZE - float(overlap))
    simulation = Simulation(world, report=report)
    assert report.take("ignored-overlap")
    assert np.array_equal(positions_after(simulation), positions_after(Simulation(with_ignored_pair(world))))


def test_compliant_contacts_of_slight_overlaps_are_simulated(report: Report) -> None:
    simulation = Simulation(neck(SIZE - 5e-4), contact=ContactOptions(time_constant=0.02), report=report)
    simulation.step(1)
    assert simulation.data.ncon
    assert not report.take("ignored-overlap")


def test_a_robot_at_rest_without_gravity_stays_at_rest(corpus: Path) -> None:
    """Its fingers and its hands overlap by 0.14 mm to 1 mm; friction locks a wrist, so that a contact moved it with 10 J."""
    simulation = Simulation(ossature.load(corpus / "corpus/openrave/man1.zae"), report=Report())
    assert not simulation.data.qvel.any()
    assert not simulation.engine.compiled.model.opt.gravity.any()
    before = simulation.data.qpos.copy()
    assert np.array_equal(positions_after(simulation, 300), before)
    assert not simulation.data.qvel.any()


def test_collision_queries_find_all_overlaps() -> None:
    query = CollisionQuery(neck())
    assert query.colliding_pairs("robot", {}) == (("trunk", "head"),)


def test_values_that_change_what_overlaps_need_compiling() -> None:
    """In both directions: whether a pair is ignored does not depend on how a World was compiled."""
    overlapping, apart = neck(0.17), neck(0.17, 1.5)
    for before, after in ((overlapping, apart), (apart, overlapping)):
        compiled = CompiledModel.from_world(before)
        with pytest.raises(NeedsCompilingError):
            compiled.with_world(after)
        anew = compiled.compile_anew(after)
        assert {one.rule.name for one in anew.findings} == ({"ignored-overlap"} if after is overlapping else set())


def test_values_that_do_not_change_what_overlaps_are_changed() -> None:
    world = with_values(neck(), {"robot/tilt.damping": 0.3})
    changed = CompiledModel.from_world(neck()).with_world(world)
    assert [one.rule.name for one in changed.findings] == ["ignored-overlap"]
    assert np.array_equal(positions_after(Simulation(changed)), positions_after(Simulation(world)))


def test_grasps_do_not_change_what_is_ignored() -> None:
    world = neck(0.15, 0.0)
    ball = Model(name="ball", bodies=NamedList([replace(link("ball", 0.4), self_collide=False)]))
    simulation = Simulation(replace(world, models=NamedList([*world.models, ball])))
    ignored = simulation.engine.compiled.contacts.ignored_overlaps
    simulation.grasp(BodyPath(model="robot", body="head"), BodyPath(model="ball", body="ball"))
    assert simulation.engine.compiled.contacts.ignored_overlaps == ignored != ()
    assert [type(one) for one in simulation.grasps] == [Grasp]
    simulation.step(20)
    assert simulation.diagnostics.energy.gain < 1e-6


@pytest.mark.parametrize(
    "name",
    ["usd/from_urdf/quanserQCar/QCar.usda", "usd/from_urdf/turtlebot_arm/turtlebot_arm.usda", "openrave/pumagripper.zae"],
)
def test_real_robots_do_not_gain_energy_from_overlaps(name: str, corpus: Path) -> None:
    if name.startswith("usd/"):
        pytest.importorskip("pxr")
    report = Report()
    recording = Simulation(ossature.load(corpus / "corpus" / name), report=report).run(0.1)
    assert recording.diagnostics is not None
    assert recording.diagnostics.energy.gain < 1e-6
    names = {one.rule.name for one in report}
    assert "ignored-overlap" in names
    assert names.isdisjoint({"initial-overlap", "energy-gained", "energy-lost", "tolerance-not-met"})
