"""Closed forms, actuation, contacts, commands, and models that cannot be simulated."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import PROJECT
from equations_of_motion import equations_of_motion
from ossature import model as m
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.kinematics import poses
from ossature.model import Actuation, Body, Collision, Coordinate, DartStepping, Inertial, Joint, Model, NamedList, Range, World
from ossature.simulation import SampledSignal, Simulation, SimulationError, read_commands
from ossature.spatial import Pose, quaternion_from_rotation_vector

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SMALL = ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01))


def one_joint(kind: m.JointType, actuation: Actuation = Actuation.FORCE, gravity: bool = False, **coordinate: object) -> World:
    """Return a World of one body of 1 kg and 1 kg·m² on one joint."""
    coordinates = tuple(Coordinate(**coordinate) for _ in range(kind.degrees_of_freedom))  # type: ignore[arg-type]
    joint = Joint(name="j", type=kind, parent=None, child="b", coordinates=coordinates, actuation=actuation)
    body = Body(name="b", inertial=Inertial(mass=1.0, moment=UNIT))
    gravity_vector = (0.0, 0.0, -9.81) if gravity else (0.0, 0.0, 0.0)
    return World(
        gravity=gravity_vector,
        hints=(DartStepping(),),
        models=NamedList([Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]))]),
    )


def position(simulation: Simulation) -> tuple[float, ...]:
    return simulation.positions()["m"]["j"]


def velocity(simulation: Simulation) -> tuple[float, ...]:
    return simulation.velocities()["m"]["j"]


def box_world(*poses_of_boxes: Pose, static_floor: bool = True, **body: object) -> World:
    floor = Body(name="floor", pose=Pose((0.0, 0.0, -0.5)), collisions=(Collision(geometry=m.Box(size=(4.0, 4.0, 1.0))),))
    models = [Model(name="ground", static=True, bodies=NamedList([floor]))] if static_floor else []
    for number, pose in enumerate(poses_of_boxes):
        box = Body(
            name="box",
            pose=pose,
            inertial=Inertial(mass=1.0, moment=SMALL),
            collisions=(Collision(geometry=m.Box(size=(0.2, 0.2, 0.2))),),
            **body,  # type: ignore[arg-type]
        )
        joint = Joint(name="j", type=m.Floating(), parent=None, child="box")
        models.append(Model(name=f"box{number}", bodies=NamedList([box]), joints=NamedList([joint])))
    return World(models=NamedList(models))


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


class TestContacts:
    def test_a_box_rests_at_the_right_height(self, report: Report) -> None:
        simulation = Simulation(box_world(Pose((0.0, 0.0, 0.3))), report=report)
        simulation.run(2.0)
        state = simulation.body_states()["box0"]["box"]
        assert state.position[2] == pytest.approx(0.1, abs=1e-3)
        assert np.abs(state.linear_velocity).max() < 1e-3

    def test_different_models_collide(self, report: Report) -> None:
        simulation = Simulation(box_world(Pose((0.0, 0.0, 0.1)), Pose((0.0, 0.0, 0.35))), report=report)
        simulation.run(2.0)
        assert simulation.poses()["box1"]["box"].position[2] == pytest.approx(0.3, abs=2e-3)

    def test_collisions_can_be_switched_in_a_run(self, report: Report) -> None:
        simulation = Simulation(box_world(Pose((0.0, 0.0, 0.1))), report=report)
        simulation.run(0.5)
        simulation.set_collidable("box0", "box", False)
        simulation.run(0.5)
        assert simulation.poses()["box0"]["box"].position[2] < -0.5
        simulation = Simulation(box_world(Pose((0.0, 0.0, 0.1))), report=report)
        simulation.set_collidable("box0", "box", False)
        simulation.set_collidable("box0", "box", True)
        simulation.run(0.5)
        assert simulation.poses()["box0"]["box"].position[2] > 0.09

    def test_soft_bodies_can_be_switched_too(self, report: Report) -> None:
        world = box_world(Pose((0.0, 0.0, 0.1)))
        model = world.models["box0"]
        skin = m.SoftSkin(geometry=m.Box(size=(0.2, 0.2, 0.2)), vertex_stiffness=1000.0, damping=1.0)
        soft = replace(model.bodies["box"], collisions=(), soft_skin=skin)
        world = replace(world, models=NamedList([world.models["ground"], replace(model, bodies=NamedList([soft]))]))
        simulation = Simulation(world, report=report)
        assert report.take("soft-skin-contact-approximated")
        simulation.set_collidable("box0", "box", False)
        simulation.set_collidable("box0", "box", True)
        simulation.run(0.5)
        assert simulation.poses()["box0"]["box"].position[2] > 0.09
        simulation.set_collidable("box0", "box", False)
        simulation.run(0.5)
        assert simulation.poses()["box0"]["box"].position[2] < -0.5

    @pytest.mark.parametrize(("first", "second", "touch"), [(True, True, True), (True, False, False), (False, False, False)])
    def test_self_collision(self, first: bool, second: bool, touch: bool, report: Report) -> None:
        collision = (Collision(geometry=m.Sphere(radius=0.1)),)
        inertial = Inertial(mass=1.0, moment=SMALL)
        bodies = [
            Body(name="root", inertial=inertial),
            Body(name="a", pose=Pose((-0.05, 0.0, 0.0)), inertial=inertial, collisions=collision, self_collide=first),
            Body(name="b", pose=Pose((0.05, 0.0, 0.0)), inertial=inertial, collisions=collision, self_collide=second),
        ]
        slide = m.Prismatic(axis=(1.0, 0.0, 0.0))
        joints = [
            Joint(name="r", type=m.Prismatic(axis=(0.0, 1.0, 0.0)), parent=None, child="root"),
            Joint(name="a", type=slide, parent="root", child="a"),
            Joint(name="b", type=slide, parent="root", child="b"),
        ]
        world = World(
            gravity=(0.0, 0.0, 0.0), models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))])
        )
        simulation = Simulation(world, report=report)
        simulation.run(2.0)
        assert bool(report.take("initial-overlap")) is touch
        gap = simulation.poses()["m"]["b"].position[0] - simulation.poses()["m"]["a"].position[0]
        assert (gap > 0.15) is touch
        # Bodies that begin inside one another and touch gain energy from nowhere.
        assert bool(report.take("energy-gained")) is touch

    def test_bodies_that_a_joint_connects_never_touch(self, report: Report) -> None:
        collision = (Collision(geometry=m.Sphere(radius=0.1)),)
        inertial = Inertial(mass=1.0, moment=SMALL)
        bodies = [
            Body(name="a", inertial=inertial, collisions=collision, self_collide=True),
            Body(name="b", pose=Pose((0.05, 0.0, 0.0)), inertial=inertial, collisions=collision, self_collide=True),
        ]
        joints = [
            Joint(name="f", type=m.Floating(), parent=None, child="a"),
            Joint(name="s", type=m.Prismatic(axis=(1.0, 0.0, 0.0)), parent="a", child="b"),
        ]
        world = World(
            gravity=(0.0, 0.0, 0.0), models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))])
        )
        simulation = Simulation(world, report=report)
        simulation.run(0.2)
        assert simulation.data.ncon == 0

    def test_forty_articulated_models_do_not_run_out_of_bits(self, report: Report) -> None:
        models = []
        for number in range(40):
            bodies = [
                Body(name="a", pose=Pose((3.0 * number, 0.0, 0.0)), inertial=Inertial(moment=SMALL), collisions=(BALL,)),
                Body(name="b", pose=Pose((3.0 * number, 0.05, 0.0)), inertial=Inertial(moment=SMALL), collisions=(BALL,)),
                Body(name="c", pose=Pose((3.0 * number, 0.1, 0.0)), inertial=Inertial(moment=SMALL), collisions=(BALL,)),
            ]
            joints = [
                Joint(name="f", type=m.Floating(), parent=None, child="a"),
                Joint(name="g", type=m.Revolute(), parent="a", child="b"),
                Joint(name="h", type=m.Revolute(), parent="b", child="c"),
            ]
            models.append(Model(name=f"m{number}", bodies=NamedList(bodies), joints=NamedList(joints)))
        simulation = Simulation(World(gravity=(0.0, 0.0, 0.0), models=NamedList(models)), report=report)
        simulation.step(2)
        assert simulation.data.ncon == 0


BALL = Collision(geometry=m.Sphere(radius=0.1))


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


class TestRecordings:
    def test_velocities_agree_with_differences_of_places(self, report: Report) -> None:
        path = PROJECT / "tests" / "skel" / "files" / "joints.skel"
        world = read_skel(Source(str(path), path.read_bytes()), Report())
        assert world is not None
        # Driven joints jump to their velocity in the first step; here all are to move by themselves.
        passive = [
            replace(model, joints=NamedList([replace(joint, actuation=Actuation.PASSIVE) for joint in model.joints]))
            for model in world.models
        ]
        simulation = Simulation(replace(world, models=NamedList(passive)), report=report, time_step=1e-5)
        assert report.take("unenforced-velocity-limit")
        recording = simulation.run(2e-5, sample=1e-5)
        mean = (recording.linear_velocities[0] + recording.linear_velocities[2]) / 2.0
        differences = (recording.positions[2] - recording.positions[0]) / 2e-5
        np.testing.assert_allclose(differences, mean, atol=2e-3)

    def test_files(self, report: Report, tmp_path: Path) -> None:
        recording = Simulation(one_joint(m.Floating(), gravity=True), report=report).run(0.01, sample=0.005)
        recording.save(tmp_path / "run.json")
        samples = json.loads((tmp_path / "run.json").read_text())["samples"]
        assert [sample["time"] for sample in samples] == pytest.approx([0.0, 0.005, 0.01])
        body = samples[-1]["bodies"]["m"]["b"]
        assert set(body) == {"position", "wxyz", "linear_velocity", "angular_velocity_body"}
        recording.save(tmp_path / "run.csv")
        lines = (tmp_path / "run.csv").read_text().splitlines()
        assert len(lines) == 4
        assert lines[0].startswith("time,m/b.position[0]")
        assert float(lines[-1].split(",")[3]) == body["position"][2]

    def test_samples_do_not_disturb(self, report: Report) -> None:
        world = box_world(Pose((0.0, 0.0, 0.12), quaternion_from_rotation_vector((0.2, 0.1, 0.0))))
        plain, sampled = Simulation(world, report=report), Simulation(world, report=report)
        plain.run(0.5)
        sampled.run(0.5, sample=0.001)
        assert np.array_equal(plain.data.qpos, sampled.data.qpos)
        assert report.take("initial-overlap")

    def test_poses_agree_with_kinematics(self, report: Report) -> None:
        for path in (PROJECT / "tests" / "skel" / "files").glob("*.skel"):
            world = read_skel(Source(str(path), path.read_bytes()), Report(), folder=path.parent)
            assert world is not None
            simulation = Simulation(world, report=Report())
            expected = poses(world)
            for model, bodies in simulation.poses().items():
                for body, pose in bodies.items():
                    np.testing.assert_allclose(pose.matrix(), expected[model][body].matrix(), atol=1e-12)
            for model, joints in simulation.positions().items():
                for joint, values in joints.items():
                    assert values == pytest.approx(world.models[model].joints[joint].initial_positions, abs=1e-12)


class TestCommandFiles:
    def read(self, tmp_path: Path, name: str, text: str, report: Report) -> dict[tuple[str, str], SampledSignal]:
        (tmp_path / name).write_text(text)
        return read_commands(tmp_path / name, one_joint(m.Universal()), report)

    def test_csv_and_json_say_the_same(self, tmp_path: Path, report: Report) -> None:
        csv = self.read(tmp_path, "c.csv", "time,m/j[0],m/j[1]\n0,1,2\n1,3,4\n", report)
        as_json = self.read(tmp_path, "c.json", '{"m/j": [[0, 1, 2], [1, 3, 4]]}', report)
        for time in (-1.0, 0.0, 0.25, 1.0, 2.0):
            np.testing.assert_array_equal(csv["m", "j"].at(time), as_json["m", "j"].at(time))
            np.testing.assert_array_equal(csv["m", "j"].integral(0, time), as_json["m", "j"].integral(0, time))

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("c.csv", ""),
            ("c.csv", "t,m/j\n"),
            ("c.csv", "time,m/k\n0,1\n"),
            ("c.csv", "time,m/j\n0,1\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n0,1\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n0,1,x\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n1,1,1\n0,1,1\n"),
            ("c.csv", "time,m/j[0],m/j[1]\n0,nan,1\n"),
            ("c.json", "{"),
            ("c.json", "[]"),
            ("c.json", '{"m/j": [[0, 1]]}'),
            ("c.json", '{"m/j": 3}'),
            ("c.json", '{"m/nobody": []}'),
            ("c.json", '{"m/j": []}'),
            ("c.csv", "time,m/j[0],m/j[1]\n0,1," + "1" * 200_000 + "\n"),
            ("c.csv", "time,m/j[" + "9" * 5000 + "]\n0,1\n"),
            ("c.json", '{"m/j": [[0, 1, 1' + "0" * 400 + "]]}"),
            ("c.json", '{"m/j": [[0, 1, 1' + "0" * 5000 + "]]}"),
            ("c.json", '{"m/j": [[0, true, 1]]}'),
            ("c.json", '{"m/j": [[0, "1", 1]]}'),
            ("c.json", '{"m/j": {"0": [1, 2]}}'),
            ("c.json", "[" * 100_000),
        ],
    )
    def test_bad_files(self, name: str, text: str, tmp_path: Path, report: Report) -> None:
        assert not self.read(tmp_path, name, text, report)
        findings = report.take("invalid-command-file")
        assert findings
        assert all(finding.location is not None for finding in findings)

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("c.csv", "time,m/j[0],m/j[1],m/j[1]\n0,1,2,3\n"),
            ("c.json", '{"m/j": [[0, 1, 2]], "m/j": [[0, 3, 4]]}'),
        ],
    )
    def test_a_coordinate_that_is_commanded_twice(self, name: str, text: str, tmp_path: Path, report: Report) -> None:
        self.read(tmp_path, name, text, report)
        assert len(report.take("invalid-command-file")) == 1

    def test_a_bad_row_is_told_with_its_line(self, tmp_path: Path, report: Report) -> None:
        self.read(tmp_path, "c.csv", "time,m/j[0],m/j[1]\n\n0,1,2\n1,x,2\n", report)
        (finding,) = report.take("invalid-command-file")
        assert finding.location is not None
        assert finding.location.line == 4

    def test_a_joint_whose_name_ends_in_brackets(self, tmp_path: Path, report: Report) -> None:
        world = one_joint(m.Revolute())
        model = world.models["m"]
        joint = replace(model.joints["j"], name="j[1]")
        world = replace(world, models=NamedList([replace(model, joints=NamedList([joint]))]))
        (tmp_path / "c.csv").write_text("time,m/j[1]\n0,1\n")
        assert read_commands(tmp_path / "c.csv", world, report)["m", "j[1]"].at(0.0)[0] == 1.0

    def test_table_areas(self) -> None:
        table = SampledSignal([0.0, 1.0, 3.0], [0.0, 2.0, 0.0])
        assert table.integral(-1.0, 4.0)[0] == pytest.approx(3.0)
        assert table.integral(0.5, 2.0)[0] == pytest.approx(0.75 + 1.5)
