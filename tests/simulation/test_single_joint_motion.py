"""Motion of a body on one joint: closed forms, and energy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Coordinate, Inertial, Model, NamedList, Range
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector
from small_worlds import box_world, one_joint, position, velocity


class TestClosedForms:
    def test_free_fall_of_the_engines_step(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Floating(), gravity=True), report=report)
        simulation.run(1.0)
        h, n = 0.001, 1000
        assert position(simulation)[5] == pytest.approx(-9.81 * h * h * n * (n + 1) / 2.0, rel=1e-9)
        assert velocity(simulation)[5] == pytest.approx(-9.81, rel=1e-9)

    def test_spring_keeps_its_energy_at_small_steps(self, report: Report) -> None:
        world = one_joint(m.Prismatic(), stiffness=100.0, initial_position=0.1)
        simulation = Simulation(world, report=report, time_step=1e-5)
        simulation.run(2.0 * math.pi / 10.0)
        assert position(simulation)[0] == pytest.approx(0.1, abs=1e-4)

    def test_damping_is_exponential(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Revolute(), damping=2.0, initial_velocity=1.0), report=report, time_step=1e-4)
        simulation.run(1.0)
        assert velocity(simulation)[0] == pytest.approx(math.exp(-2.0), rel=1e-3)

    def test_coulomb_friction_stops_in_finite_time(self, report: Report) -> None:
        simulation = Simulation(one_joint(m.Revolute(), friction=2.0, initial_velocity=1.0), report=report)
        simulation.run(0.25)
        assert velocity(simulation)[0] == pytest.approx(0.5, abs=5e-3)
        simulation.run(0.75)
        assert abs(velocity(simulation)[0]) < 1e-4

    def test_screw_advances_with_its_pitch(self, report: Report) -> None:
        world = one_joint(m.Screw(axis=(0.0, 0.0, 1.0), pitch=0.2), initial_velocity=math.tau)
        simulation = Simulation(world, report=report)
        simulation.run(1.0)
        assert position(simulation)[0] == pytest.approx(math.tau, rel=1e-6)
        assert simulation.poses()["m"]["b"].position[2] == pytest.approx(0.2, rel=1e-6)

    def test_spinning_body_keeps_its_angular_momentum(self, report: Report) -> None:
        world = one_joint(m.Spherical())
        body = replace(world.models["m"].bodies["b"], inertial=Inertial(mass=1.0, moment=((1, 0, 0), (0, 2, 0), (0, 0, 2.5))))
        coordinates = tuple(Coordinate(initial_velocity=v) for v in (1.0, 2.0, 3.0))
        joint = replace(world.models["m"].joints["j"], coordinates=coordinates)
        spinning = Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]))
        simulation = Simulation(replace(world, models=NamedList([spinning])), report=report, time_step=1e-4)
        before = self.angular_momentum(simulation)
        simulation.run(1.0)
        np.testing.assert_allclose(self.angular_momentum(simulation), before, rtol=1e-3)

    @staticmethod
    def angular_momentum(simulation: Simulation) -> np.ndarray:
        state = simulation.body_states()["m"]["b"]
        rotation = simulation.poses()["m"]["b"].matrix()[:3, :3]
        return rotation @ (np.diag([1.0, 2.0, 2.5]) @ state.angular_velocity_body)

    def test_limits_hold_and_can_be_switched_off(self, report: Report) -> None:
        world = one_joint(m.Prismatic(), gravity=True, position_limits=Range(lower=-0.5, upper=0.5))
        held = Simulation(world, report=report)
        held.run(2.0)
        assert position(held)[0] == pytest.approx(-0.5, abs=2e-3)
        falling = Simulation(world, report=report, enforce_limits=False)
        falling.run(1.0)
        assert position(falling)[0] < -4.0

    def test_bodies_without_gravity_float(self, report: Report) -> None:
        world = one_joint(m.Floating(), gravity=True)
        model = world.models["m"]
        body = replace(model.bodies["b"], gravity=False)
        world = replace(world, models=NamedList([replace(model, bodies=NamedList([body]))]))
        simulation = Simulation(world, report=report)
        simulation.run(1.0)
        assert position(simulation) == pytest.approx([0.0] * 6, abs=1e-12)


class TestEnergy:
    def test_a_weightless_body_keeps_it(self, report: Report) -> None:
        world = one_joint(m.Prismatic(), gravity=True, initial_velocity=1.0)
        model = world.models["m"]
        body = replace(model.bodies["b"], gravity=False)
        simulation = Simulation(replace(world, models=NamedList([replace(model, bodies=NamedList([body]))])), report=report)
        simulation.run(1.0)
        assert simulation.energy() == pytest.approx((0.0, 0.5), abs=1e-9)

    def test_weight_and_springs_are_counted(self, report: Report) -> None:
        world = one_joint(m.Prismatic(), gravity=True, stiffness=20.0, spring_reference=0.1, initial_position=0.4)
        simulation = Simulation(world, report=report)
        assert simulation.energy() == pytest.approx((9.81 * 0.4 + 20.0 * 0.3**2 / 2.0, 0.0))

    def test_asking_does_not_disturb(self, report: Report) -> None:
        world = box_world(Pose((0.0, 0.0, 0.12), quaternion_from_rotation_vector((0.2, 0.1, 0.0))))
        plain, asked = Simulation(world, report=report), Simulation(world, report=report)
        for _ in range(200):
            plain.step()
            asked.step()
            asked.energy()
        assert np.array_equal(plain.data.qpos, asked.data.qpos)
        assert report.take("initial-overlap")
