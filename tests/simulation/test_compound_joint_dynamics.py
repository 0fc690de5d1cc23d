"""Dynamics of joints with several axes, compared with the same mechanism of single-axis joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.kinematics import poses, reverse_coordinates, reversed_joint
from ossature.model import Actuation, Axis, Body, Compound, Coordinate, Inertial, Joint, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector, unit

MOMENT = ((0.02, 0.001, 0.0), (0.001, 0.03, 0.002), (0.0, 0.002, 0.025))
FEATHER = Inertial(mass=1e-9, moment=((1e-12, 0.0, 0.0), (0.0, 1e-12, 0.0), (0.0, 0.0, 1e-12)))
SLIDE = Axis(direction=unit((1.0, 0.2, 0.3)), is_revolute=False)
TURN = Axis(direction=unit((0.1, 1.0, -0.2)))
WORLD_JOINT = Pose((0.1, 0.2, 0.3), quaternion_from_rotation_vector((0.2, -0.3, 0.4)))
COORDINATES = (
    Coordinate(initial_position=0.2, initial_velocity=-0.5, damping=0.1),
    Coordinate(initial_position=-0.7, initial_velocity=1.5, stiffness=2.0, spring_reference=0.3),
)


def world(model: Model) -> World:
    return World(time_step=1e-3, models=NamedList([model]))


def bob(name: str = "bob") -> Body:
    inertial = Inertial(mass=0.7, center_of_mass=(0.05, 0.0, -0.3), moment=MOMENT)
    return Body(name=name, pose=WORLD_JOINT, inertial=inertial)


def in_one(*axes: Axis) -> Model:
    joint = Joint(name="j", type=Compound(axes=axes), parent=None, child="bob", coordinates=COORDINATES)
    return Model(name="m", bodies=NamedList([bob()]), joints=NamedList([joint]))


def single(axis: Axis) -> m.JointType:
    return m.Revolute(axis=axis.direction) if axis.is_revolute else m.Prismatic(axis=axis.direction)


def in_two(first: Axis, second: Axis) -> Model:
    """Return the mechanism with a body between the two axes that weighs next to nothing."""
    middle = Body(name="middle", pose=WORLD_JOINT, inertial=FEATHER)
    joints = [
        Joint(name="a", type=single(first), parent=None, child="middle", coordinates=COORDINATES[:1]),
        Joint(name="b", type=single(second), parent="middle", child="bob", coordinates=COORDINATES[1:]),
    ]
    return Model(name="m", bodies=NamedList([middle, bob()]), joints=NamedList(joints))


@pytest.mark.parametrize("axes", [(SLIDE, TURN), (TURN, SLIDE)], ids=["slide, turn", "turn, slide"])
def test_a_compound_joint_moves_as_two_joints_do(axes: tuple[Axis, Axis], report: Report) -> None:
    one, two = (Simulation(world(model), report=report) for model in (in_one(*axes), in_two(*axes)))
    for _ in range(10):
        one.step(100)
        two.step(100)
        together = (*two.positions()["m"]["a"], *two.positions()["m"]["b"])
        np.testing.assert_allclose(one.positions()["m"]["j"], together, atol=1e-6)
        speeds = (*two.velocities()["m"]["a"], *two.velocities()["m"]["b"])
        np.testing.assert_allclose(one.velocities()["m"]["j"], speeds, atol=1e-6)


def test_poses_follow_from_coordinates(report: Report) -> None:
    described = world(in_one(SLIDE, TURN))
    simulation = Simulation(described, report=report)
    simulation.step(300)
    expected = poses(described, simulation.positions())["m"]["bob"]
    np.testing.assert_allclose(simulation.poses()["m"]["bob"].matrix(), expected.matrix(), atol=1e-12)


def test_a_compound_joint_without_axes_is_fixed(report: Report) -> None:
    joint = Joint(name="j", type=Compound(axes=()), parent=None, child="bob")
    simulation = Simulation(world(Model(name="m", bodies=NamedList([bob()]), joints=NamedList([joint]))), report=report)
    simulation.step(10)
    np.testing.assert_allclose(simulation.poses()["m"]["bob"].matrix(), WORLD_JOINT.matrix(), atol=1e-15)


def world_of_joint(joint: Joint) -> World:
    """Return two bodies without gravity, the second one fixed to the world."""
    bodies = [bob("a"), replace(bob("b"), pose=Pose((0.4, 0.1, 0.0)))]
    fixed = Joint(name="held", type=m.Fixed(), parent=None, child="b")
    model = Model(name="m", bodies=NamedList(bodies), joints=NamedList([joint, fixed]))
    return replace(world(model), gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("actuation", [Actuation.FORCE, Actuation.VELOCITY, Actuation.SERVO])
@pytest.mark.parametrize(
    "kind",
    [Compound(axes=(SLIDE, TURN)), m.Universal(axis1=TURN.direction, axis2=SLIDE.direction)],
    ids=["compound", "universal"],
)
def test_commands_of_a_reversed_joint(kind: m.JointType, actuation: Actuation) -> None:
    limits = (m.Range(lower=-50.0, upper=50.0), m.Range(lower=-60.0, upper=60.0))
    coordinates = tuple(Coordinate(effort_limits=effort) for effort in limits)
    against = Joint(name="j", type=kind, parent="a", child="b", coordinates=coordinates, actuation=actuation)
    along = reversed_joint(against, world_of_joint(against).models["m"])
    assert along is not None
    first, second = (Simulation(world_of_joint(joint), report=Report()) for joint in (against, along))
    command = (0.25, -0.5)
    first.command("m", "j", command)
    second.command("m", "j", reverse_coordinates(along, command))
    for simulation in (first, second):
        simulation.step(200)
    for name in ("a", "b"):
        np.testing.assert_allclose(
            first.poses()["m"][name].matrix(), second.poses()["m"][name].matrix(), atol=1e-12, err_msg=name
        )
    if actuation is not Actuation.FORCE:
        assert first.velocities()["m"]["j"] == pytest.approx(command, abs=1e-3)


@pytest.mark.parametrize("joint_type", [m.PointOnLine(), m.PointOnPlane()], ids=["line", "plane"])
def test_each_axis_of_a_point_joint_has_its_own_spring_and_damper(joint_type: m.JointType) -> None:
    """A body that spins about one axis of its joint frame decays and oscillates as this axis alone does."""
    inertia, damping, stiffness, rest, speed, time = 0.03, 0.02, 0.5, 0.4, 1.5, 0.5
    coordinates = [Coordinate()] * joint_type.degrees_of_freedom
    coordinates[-1] = Coordinate(initial_velocity=speed, damping=damping, stiffness=stiffness, spring_reference=rest)
    body = Body(name="top", inertial=Inertial(mass=1.0, moment=((0.02, 0, 0), (0, 0.025, 0), (0, 0, inertia))))
    joint = Joint(name="j", type=joint_type, parent=None, child="top", coordinates=tuple(coordinates))
    model = Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]))
    simulation = Simulation(World(gravity=(0.0, 0.0, 0.0), time_step=1e-3, models=NamedList([model])))
    simulation.step(round(time * 1e3))
    decay = damping / (2.0 * inertia)
    rate = np.sqrt(stiffness / inertia - decay**2)
    sine = (speed - decay * rest) / rate
    angle = rest + np.exp(-decay * time) * (-rest * np.cos(rate * time) + sine * np.sin(rate * time))
    assert simulation.positions()["m"]["j"][-1] == pytest.approx(angle, abs=1e-5)
