"""Worlds that cannot be simulated: the reason is a finding."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from equations_of_motion import equations_of_motion
from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Body, Collision, Inertial, Joint, Model, NamedList, Range, World
from ossature.simulation import Simulation, SimulationError
from small_worlds import SMALL, UNIT, one_joint


class TestWhatCannotBeSimulated:
    def impossible(self, moment: m.Inertial) -> World:
        world = one_joint(m.Floating())
        model = world.models["m"]
        body = replace(model.bodies["b"], inertial=moment)
        return replace(world, models=NamedList([replace(model, bodies=NamedList([body]))]))

    @pytest.mark.parametrize(
        "inertial",
        [
            Inertial(mass=1.0, moment=((1.0, 2.0, 0.0), (2.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
            Inertial(mass=-1.0, moment=UNIT),
            Inertial(mass=0.0, moment=((0.0, 0.0, 0.0),) * 3),
            Inertial(mass=math.nan, moment=UNIT),
        ],
    )
    def test_impossible_inertia(self, inertial: Inertial, report: Report) -> None:
        with pytest.raises(SimulationError, match=r"m/b|'j'|no moving body of 'm'"):
            Simulation(self.impossible(inertial), report=report)
        assert report.take("nonphysical-inertia")
        report.take("inertia-not-positive-definite")

    def test_moments_that_no_mass_has_count_as_specified(self, report: Report) -> None:
        moment = ((1.0, 0.2, 0.0), (0.2, 1.5, 0.0), (0.0, 0.0, 5.0))
        world = self.impossible(Inertial(mass=1.0, moment=moment))
        simulation = Simulation(world, report=report)
        assert report.take("inertia-violates-triangle-inequality")
        joint = world.models["m"].joints[0].name
        mass_matrix, _ = equations_of_motion(simulation, "m", [joint], {joint: (0.0,) * 6}, {joint: (0.0,) * 6})
        assert mass_matrix[:3, :3] == pytest.approx(np.array(moment), rel=1e-12)

    def test_a_thin_rod_is_possible(self, report: Report) -> None:
        rod = Inertial(mass=1.0, moment=((0.1 + 0.2, 0.0, 0.0), (0.0, 0.1, 0.0), (0.0, 0.0, 0.2)))
        Simulation(self.impossible(rod), report=report).step(3)

    def test_too_deep_a_chain(self, report: Report) -> None:
        names = [f"b{number}" for number in range(1200)]
        bodies = [Body(name=name, inertial=Inertial(moment=SMALL)) for name in names]
        joints = [
            Joint(name=f"j{name}", type=m.Revolute(), parent=parent, child=name)
            for parent, name in zip([None, *names], names, strict=False)
        ]
        world = World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))
        with pytest.raises(SimulationError):
            Simulation(world, report=report)
        (finding,) = report.take("chain-too-deep")
        assert "1200" in finding.message

    def test_a_joint_without_its_body(self, report: Report) -> None:
        world = one_joint(m.Revolute())
        model = world.models["m"]
        for joint in (replace(model.joints["j"], child="nobody"), replace(model.joints["j"], parent="nobody")):
            for static in (False, True):
                changed = replace(model, joints=NamedList([joint]), static=static)
                with pytest.raises(SimulationError):
                    Simulation(replace(world, models=NamedList([changed])), report=report)
                assert report.take("unknown-body")

    def test_limits_that_nothing_meets(self, report: Report) -> None:
        world = one_joint(m.Revolute())
        model = world.models["m"]
        coordinate = replace(model.joints["j"].coordinates[0], position_limits=Range(lower=1.0, upper=-1.0))
        joint = replace(model.joints["j"], coordinates=(coordinate,))
        world = replace(world, models=NamedList([replace(model, joints=NamedList([joint]))]))
        simulation = Simulation(world, report=report)
        (found,) = report.take("reversed-limits")
        assert found.path == "m/j"
        simulation.run(0.01)
        unlimited = Simulation(world, enforce_limits=False)
        unlimited.run(0.01)
        assert simulation.positions() == unlimited.positions()

    def test_divergence_is_told(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Prismatic()), report=report)
        simulation.command("m", "j", 1e300)
        with pytest.raises(SimulationError):
            simulation.run(1.0)
        assert report.take("simulation-diverged")

    def test_a_plane_that_moves(self, report: Report) -> None:
        world = one_joint(m.Prismatic())
        model = world.models["m"]
        body = replace(model.bodies["b"], collisions=(Collision(geometry=m.Plane()),))
        Simulation(replace(world, models=NamedList([replace(model, bodies=NamedList([body]))])), report=report)
        assert report.take("unsupported-collision-shape")

    def test_steps_backward(self, report: Report) -> None:
        with pytest.raises(ValueError, match="must not be negative"):
            Simulation(one_joint(m.Revolute()), report=report).step(-1)

    def test_bad_time_steps(self, report: Report) -> None:
        for step in (0.0, -1.0, math.nan):
            with pytest.raises(ValueError, match="time step"):
                Simulation(one_joint(m.Revolute()), report=report, time_step=step)
