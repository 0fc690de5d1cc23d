"""Commanded joints of every type and actuation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.kinematics import poses
from ossature.model import Actuation, Range
from ossature.simulation import SampledSignal, Simulation
from small_worlds import one_joint, position, velocity

KINDS = [
    m.Revolute(),
    m.Prismatic(),
    m.Screw(),
    m.Universal(),
    m.Spherical(),
    m.Euler(),
    m.Planar(),
    m.Translational(),
    m.Floating(),
]


class TestActuation:
    @pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
    def test_velocity_is_followed(self, kind: m.JointType, report: Report) -> None:
        simulation = Simulation(one_joint(kind, Actuation.VELOCITY, gravity=True), report=report)
        # One coordinate moves: then rotation vectors and angles are integrals too.
        wanted = [0.0] * kind.degrees_of_freedom
        wanted[-1] = 0.5
        simulation.command("m", "j", wanted)
        simulation.run(1.0)
        np.testing.assert_allclose(position(simulation), wanted, atol=1e-6)
        np.testing.assert_allclose(velocity(simulation), wanted, atol=1e-5)

    @pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
    def test_acceleration_is_followed(self, kind: m.JointType, report: Report) -> None:
        simulation = Simulation(one_joint(kind, Actuation.ACCELERATION, gravity=True), report=report)
        wanted = [0.0] * kind.degrees_of_freedom
        wanted[0] = 0.4
        simulation.command("m", "j", wanted)
        simulation.run(1.0)
        assert velocity(simulation)[0] == pytest.approx(0.4, rel=1e-4)
        assert position(simulation)[0] == pytest.approx(0.4 * 0.001**2 * 1000 * 1001 / 2.0, rel=1e-4)

    @pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
    def test_locked_joints_stay(self, kind: m.JointType, report: Report) -> None:
        world = one_joint(kind, Actuation.LOCKED, gravity=True, initial_position=0.3)
        simulation = Simulation(world, report=report)
        simulation.run(0.5)
        assert position(simulation) == pytest.approx([0.3] * kind.degrees_of_freedom)
        expected = poses(world)["m"]["b"].matrix()
        np.testing.assert_allclose(simulation.poses()["m"]["b"].matrix(), expected, atol=1e-12)

    def test_a_screw_feels_mass_and_moment(self, report: Report) -> None:
        pitch = 2.0
        simulation = Simulation(one_joint(m.Screw(pitch=pitch), Actuation.FORCE), report=report)
        simulation.command("m", "j", 2.0)
        simulation.run(0.5)
        # Per radian it advances pitch/2π, so the mass adds (pitch/2π)² to the moment of 1 kg·m².
        assert velocity(simulation)[0] == pytest.approx(2.0 * 0.5 / (1.0 + (pitch / math.tau) ** 2), rel=1e-4)

    @pytest.mark.parametrize(
        "kind", [kind for kind in KINDS if not isinstance(kind, m.Screw)], ids=lambda kind: type(kind).__name__
    )
    def test_force_accelerates(self, kind: m.JointType, report: Report) -> None:
        simulation = Simulation(one_joint(kind, Actuation.FORCE), report=report)
        wanted = [0.0] * kind.degrees_of_freedom
        wanted[-1] = 2.0
        simulation.command("m", "j", wanted)
        simulation.run(0.5)
        # 1 kg and 1 kg·m²: the force is the acceleration.
        assert velocity(simulation)[-1] == pytest.approx(1.0, rel=1e-6)

    def test_force_is_limited(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Revolute(), effort_limits=Range(lower=-1.0, upper=1.5)), report=report)
        simulation.command("m", "j", 100.0)
        simulation.run(1.0)
        assert velocity(simulation)[0] == pytest.approx(1.5, rel=1e-6)

    def test_servo_gives_way_beyond_its_limit(self, report: Report) -> None:
        world = one_joint(m.Revolute(), Actuation.SERVO, effort_limits=Range(lower=-2.0, upper=2.0))
        simulation = Simulation(world, report=report)
        assert report.take("servo-changes-integrator")
        simulation.command("m", "j", 1.0)
        simulation.run(0.25)
        assert velocity(simulation)[0] == pytest.approx(0.5, abs=5e-3)
        simulation.run(0.75)
        assert velocity(simulation)[0] == pytest.approx(1.0, abs=1e-3)

    def test_servo_without_limit_follows_at_once(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Revolute(), Actuation.SERVO, gravity=True), report=report)
        simulation.command("m", "j", 1.0)
        # Each step leaves one part in ten thousand of the error.
        simulation.step(3)
        assert velocity(simulation)[0] == pytest.approx(1.0, abs=2e-6)

    def test_a_function_of_time_is_followed_exactly(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Revolute(), Actuation.VELOCITY, gravity=True), report=report)
        simulation.command("m", "j", math.sin)
        simulation.run(1.0)
        assert position(simulation)[0] == pytest.approx(1.0 - math.cos(1.0), abs=1e-7)

    def test_a_table_is_followed_exactly(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Prismatic(), Actuation.VELOCITY), report=report)
        simulation.command("m", "j", SampledSignal([0.0, 0.3, 0.5], [0.0, 1.0, -1.0]))
        simulation.run(1.0)
        assert position(simulation)[0] == pytest.approx(0.15 + 0.0 - 0.5, abs=1e-7)

    @pytest.mark.parametrize("actuation", [Actuation.PASSIVE, Actuation.LOCKED])
    def test_who_takes_no_command(self, actuation: Actuation, report: Report) -> None:
        simulation = Simulation(one_joint(m.Revolute(), actuation), report=report)
        with pytest.raises(ValueError, match="accepts no command"):
            simulation.command("m", "j", 1.0)

    def test_bad_commands(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Universal()), report=report)
        with pytest.raises(ValueError, match="2 values"):
            simulation.command("m", "j", 1.0)
        with pytest.raises(ValueError, match="finite"):
            simulation.command("m", "j", [math.nan, 0.0])
        with pytest.raises(KeyError, match="did you mean"):
            simulation.command("m", "jj", [0.0, 0.0])
        with pytest.raises(KeyError, match="no model"):
            simulation.command("nobody", "j", [0.0, 0.0])
