"""Joints of several coordinates that are written as single ones: at the same coordinates bodies are at the same places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from complete_robot import MOMENT
from equations_of_motion import equations_of_motion
from ossature import model as m
from ossature.conversion import save
from ossature.model import (
    Axis,
    Body,
    Coordinate,
    Coupling,
    Inertial,
    Joint,
    JointPosition,
    JointType,
    Model,
    NamedList,
    Range,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose, Vector3, quaternion_from_rotation_vector, unit

TILTED: Vector3 = unit((1.0, -2.0, 0.5))
ACROSS: Vector3 = unit((2.0, 1.0, 0.0))
TYPES: dict[str, JointType] = {
    "revolute": m.Revolute(axis=TILTED),
    "prismatic": m.Prismatic(axis=TILTED),
    "screw": m.Screw(axis=TILTED, pitch=0.3),
    "cylindrical": m.Cylindrical(axis=TILTED),
    "universal": m.Universal(axis1=TILTED, axis2=ACROSS),
    "euler xyz": m.Euler(order="xyz"),
    "euler zyx": m.Euler(order="zyx"),
    "translational": m.Translational(),
    "translational2d": m.Translational2D(axis1=TILTED, axis2=ACROSS),
    "planar": m.Planar(axis1=TILTED, axis2=ACROSS),
    "compound": m.Compound(axes=(Axis(direction=TILTED), Axis(direction=ACROSS, is_revolute=False), Axis(direction=ACROSS))),
    "anchors": m.Compound(
        axes=(Axis(direction=TILTED, anchor=(0.1, -0.2, 0.3)), Axis(direction=ACROSS, anchor=(0.3, 0.0, 0.1)))
    ),
}
POSES = {
    "in the child's frame": Pose(),
    "turned": Pose(wxyz=quaternion_from_rotation_vector((0.3, -0.2, 0.5))),
    "apart": Pose((0.1, 0.2, -0.3), quaternion_from_rotation_vector((0.3, -0.2, 0.5))),
}
TOLERANCE = 1e-12


def world_of(joint_type: JointType, pose: Pose) -> World:
    placed = Pose((0.5, 0.1, -0.2), quaternion_from_rotation_vector((0.2, 0.4, -0.1)))
    inertial = Inertial(mass=1.5, center_of_mass=(0.1, 0.0, 0.2), moment=MOMENT)
    bodies = [Body(name="base", inertial=inertial), Body(name="arm", pose=placed, inertial=inertial)]
    # Without limits a planar joint is written as one.
    limited = (Coordinate(velocity_limits=Range(-9.0, 9.0)),) * 3 if isinstance(joint_type, m.Planar) else ()
    joints = [
        Joint(name="held", type=m.Fixed(), parent=None, child="base"),
        Joint(name="j", type=joint_type, parent="base", child="arm", pose=pose, coordinates=limited),
    ]
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))


def written_and_read(world: World, folder: Path) -> World:
    save(world, folder / "robot.urdf")
    return ossature.load(folder / "robot.urdf")


def singles(world: World) -> list[str]:
    """Return the joints that move by themselves."""
    return [
        joint.name for joint in world.models[0].joints if joint.degrees_of_freedom and joint.coordinates[0].coupling is None
    ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("pose", POSES.values(), ids=POSES)
@pytest.mark.parametrize("joint_type", TYPES.values(), ids=TYPES)
def test_places_and_motion(joint_type: JointType, pose: Pose, tmp_path: Path) -> None:
    world = world_of(joint_type, pose)
    again = written_and_read(world, tmp_path)
    names = singles(again)
    assert len(names) == joint_type.degrees_of_freedom
    random = np.random.default_rng(5)
    simulations = Simulation(world), Simulation(again)
    for _ in range(5):
        q, v = random.uniform(-1.0, 1.0, (2, len(names))).tolist()
        apart = {name: (value,) for name, value in zip(names, q, strict=True)}
        speeds = {name: (value,) for name, value in zip(names, v, strict=True)}
        for body in ("base", "arm"):
            expected = ossature.poses(world, {"m": {"j": q}})["m"][body].matrix()
            found = ossature.poses(again, {"m": apart})["m"][body].matrix()
            np.testing.assert_allclose(found, expected, atol=TOLERANCE)
        M, c = equations_of_motion(simulations[0], "m", ["j"], {"j": q}, {"j": v})
        M_again, c_again = equations_of_motion(simulations[1], "m", names, apart, speeds)
        np.testing.assert_allclose(M_again, M, atol=1e-10)
        np.testing.assert_allclose(c_again, c, atol=1e-10)


def test_a_joint_that_follows_a_coordinate_follows_its_part(tmp_path: Path) -> None:
    world = world_of(TYPES["universal"], Pose())
    model = world.models[0]
    formula = Coupling(position=JointPosition(joint="j", coordinate=1))
    bodies = [*model.bodies, Body(name="hand", inertial=Inertial(moment=MOMENT))]
    joint = Joint(name="f", type=m.Prismatic(), parent="arm", child="hand", coordinates=(Coordinate(coupling=formula),))
    world = replace(
        world, models=NamedList([replace(model, bodies=NamedList(bodies), joints=NamedList([*model.joints, joint]))])
    )
    again = written_and_read(world, tmp_path)
    assert again.models[0].joints["f"].coordinates[0].coupling == Coupling(position=JointPosition(joint="j_2"))
    expected = ossature.poses(world, {"m": {"j": (0.3, -0.4)}})["m"]["hand"].matrix()
    found = ossature.poses(again, {"m": {"j_1": (0.3,), "j_2": (-0.4,)}})["m"]["hand"].matrix()
    np.testing.assert_allclose(found, expected, atol=TOLERANCE)


def with_references(joint_type: JointType) -> World:
    """Return a World with elements that refer to a coordinate of a joint with several."""
    bodies = [Body(name=name, inertial=Inertial(mass=1.0, moment=MOMENT)) for name in ("a", "b")]
    count = len(Joint(name="j", type=joint_type, parent="a", child="b").coordinates)
    positions = tuple([0.1 + 0.1 * number for number in range(count)])
    keyframe = m.Keyframe(name="k", joints=(m.KeyframeJoint(joint="j", positions=positions),))
    channel = m.Channel(model="m", joint="j", coordinate=1, times=(0.0, 1.0), values=(0.0, 0.5))
    model = Model(
        name="m",
        bodies=NamedList(bodies),
        joints=NamedList([Joint(name="j", type=joint_type, parent="a", child="b")]),
        actuators=NamedList([m.Actuator(name="motor", joint="j", transmission=m.JointTransmission(coordinate=1))]),
        tendons=NamedList([m.Tendon(name="t", path=m.JointSum(terms=(m.JointTerm(joint="j", coordinate=1),)))]),
        sensors=NamedList([m.Sensor(name="encoder", body="b", type="base_encoder", description=m.Encoder(joint="j"))]),
        keyframes=NamedList([keyframe]),
    )
    return World(models=NamedList([model]), trajectories=NamedList([m.Trajectory(name="move", channels=(channel,))]))


SPHERICAL = m.Compound(axes=(Axis(direction=TILTED, is_revolute=False), m.SphericalMotion()))


@pytest.mark.parametrize("joint_type", [TYPES["anchors"], SPHERICAL], ids=["anchors", "spherical"])
def test_elements_refer_to_the_parts_of_split_joints(joint_type: JointType, tmp_path: Path) -> None:
    world = with_references(joint_type)
    ossature.convert(world, tmp_path / "split.dae", verify=True)
    again = ossature.load(tmp_path / "split.dae")
    model = again.models["m"]
    assert "j" not in model.joints
    assert {part.joint for part in model.keyframes["k"].joints} <= set(model.joints.names())
    positions = {part.joint: part.positions for part in model.keyframes["k"].joints if part.positions is not None}
    expected = ossature.poses(world, {"m": {"j": world.models[0].keyframes["k"].joints[0].positions}})["m"]
    found = ossature.poses(again, {"m": positions})["m"]
    between = expected["a"].inverse() @ expected["b"], found["a"].inverse() @ found["b"]
    np.testing.assert_allclose(between[0].matrix(), between[1].matrix(), atol=1e-12)
    (channel,) = again.trajectories["move"].channels
    assert (channel.joint, channel.coordinate) == ("j_2", 0)
    assert model.actuators["motor"].joint == "j_2"
    assert model.sensors["encoder"].description.joint == "j_1"
