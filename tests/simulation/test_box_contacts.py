"""Contacts of boxes with each other and with a floor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Body, Collision, Inertial, Joint, Model, NamedList, World
from ossature.simulation import ContactOptions, Simulation
from ossature.spatial import Pose
from small_worlds import SMALL, box_world

BALL = Collision(geometry=m.Sphere(radius=0.1))


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
        simulation = Simulation(world, contact=ContactOptions(ignore_link_overlaps=False), report=report)
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
