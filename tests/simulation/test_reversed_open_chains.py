"""Open chains whose joints are stated from the tip to the base, with types that cannot be passed from child to parent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ossature
from ossature import model as m
from ossature.diagnostics import Action, Report
from ossature.model import Body, Coordinate, Inertial, Joint, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector

POSES = {
    "base": Pose((0.2, -0.1, 0.3), quaternion_from_rotation_vector((0.4, 0.2, -0.3))),
    "arm": Pose((-0.3, 0.4, 0.5), quaternion_from_rotation_vector((-0.5, 0.3, 0.7))),
    "hand": Pose((0.1, 0.6, -0.2), quaternion_from_rotation_vector((0.2, -0.6, 0.1))),
}
FRAME = Pose((0.1, 0.05, -0.2), quaternion_from_rotation_vector((0.3, 0.5, -0.2)))
START = (0.5, -0.3, 0.4)


def transform(rotation: Rotation | None = None, translation: tuple[float, ...] = (0.0, 0.0, 0.0)) -> np.ndarray:
    result = np.eye(4)
    result[:3, 3] = translation
    if rotation is not None:
        result[:3, :3] = rotation.as_matrix()
    return result


MOTIONS = {
    "ball with springs": (m.Spherical(), transform(Rotation.from_rotvec(START)), 2.0),
    "ball": (m.Spherical(), transform(Rotation.from_rotvec(START)), 0.0),
    "euler": (m.Euler(order="xyz"), transform(Rotation.from_euler("XYZ", START)), 2.0),
    "slides": (m.Translational(), transform(None, START), 2.0),
    "planar": (m.Planar(), transform(Rotation.from_euler("Z", START[2]), (*START[:2], 0.0)), 2.0),
}


def chain(kind: m.JointType, stiffness: float, *, is_fixed: bool) -> World:
    """Return a base that is fixed or turned by 0.6 rad, and an arm whose joint has the base as its child; the hand follows."""
    inertial = Inertial(mass=1.0, moment=((0.1, 0.0, 0.0), (0.0, 0.12, 0.0), (0.0, 0.0, 0.14)))
    bodies = [Body(name=name, pose=pose, inertial=inertial) for name, pose in POSES.items()]
    root_type = m.Fixed() if is_fixed else m.Revolute(axis=(0.0, 1.0, 0.0))
    root = () if is_fixed else (Coordinate(initial_position=0.6),)
    coordinates = tuple([Coordinate(initial_position=value, stiffness=stiffness) for value in START])
    joints = [
        Joint(name="wrist", type=m.Prismatic(axis=(1.0, 0.0, 0.0)), parent="arm", child="hand", coordinates=(Coordinate(),)),
        Joint(name="shoulder", type=kind, parent="arm", child="base", pose=FRAME, coordinates=coordinates),
        Joint(name="root", type=root_type, parent=None, child="base", coordinates=root),
    ]
    return World(models=NamedList([Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))]))


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("name", MOTIONS)
def test_it_starts_at_its_initial_positions(name: str, is_fixed: bool, report: Report) -> None:
    kind, motion, stiffness = MOTIONS[name]
    world = chain(kind, stiffness, is_fixed=is_fixed)
    at_rest = {body: pose.matrix() for body, pose in POSES.items()}
    base = at_rest["base"] @ (np.eye(4) if is_fixed else transform(Rotation.from_rotvec((0.0, 0.6, 0.0))))
    frame = FRAME.matrix()
    arm = base @ frame @ np.linalg.inv(np.linalg.inv(at_rest["arm"]) @ at_rest["base"] @ frame @ motion)
    hand = arm @ np.linalg.inv(at_rest["arm"]) @ at_rest["hand"]
    simulation = Simulation(world, report=report)
    for found in (simulation.poses()["m"], ossature.poses(world)["m"]):
        for body, expected in {"base": base, "arm": arm, "hand": hand}.items():
            np.testing.assert_allclose(found[body].matrix(), expected, atol=1e-9)
    np.testing.assert_allclose(simulation.positions()["m"]["shoulder"], START, atol=1e-9)


def moving(kind: m.JointType, stiffness: float, *, is_fixed: bool) -> World:
    """Return the chain with velocities of all its joints."""
    world = chain(kind, stiffness, is_fixed=is_fixed)
    model = world.models[0]
    joints = [
        replace(joint, coordinates=[replace(one, initial_velocity=0.3 + 0.2 * i) for i, one in enumerate(joint.coordinates)])
        for joint in model.joints
    ]
    return replace(world, models=[replace(model, pose=FRAME, joints=NamedList(joints))])


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("name", MOTIONS)
def test_it_starts_with_its_initial_velocities(name: str, is_fixed: bool, report: Report) -> None:
    kind, _, stiffness = MOTIONS[name]
    world = moving(kind, stiffness, is_fixed=is_fixed)
    found = Simulation(world, report=report).velocities()["m"]
    for joint in world.models[0].joints:
        np.testing.assert_allclose(found[joint.name], joint.initial_velocities, atol=1e-9)


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("suffix", [".xml", ".yaml"])
@pytest.mark.parametrize("name", ["ball with springs", "euler"])
def test_other_formats_start_with_the_same_motion(name: str, suffix: str, is_fixed: bool, tmp_path: Path) -> None:
    kind, _, stiffness = MOTIONS[name]
    world = moving(kind, stiffness, is_fixed=is_fixed)
    ossature.save(world, tmp_path / f"written{suffix}")
    read = Simulation(ossature.load(tmp_path / f"written{suffix}"))
    for keyframe in ossature.load(tmp_path / f"written{suffix}").models[0].keyframes:
        read.apply_keyframe(keyframe.name)
    (found,) = read.body_states().values()
    for body, expected in Simulation(world).body_states()["m"].items():
        np.testing.assert_allclose(found[body].position, expected.position, atol=1e-9)
        np.testing.assert_allclose(found[body].linear_velocity, expected.linear_velocity, atol=1e-9)
        np.testing.assert_allclose(found[body].angular_velocity_body, expected.angular_velocity_body, atol=1e-9)


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("suffix", [".skel", ".xml"])
@pytest.mark.parametrize("name", MOTIONS)
def test_a_locked_joint_keeps_its_initial_positions(name: str, suffix: str, is_fixed: bool, tmp_path: Path) -> None:
    """Also after a conversion: the pose of the arm in the base does not change."""
    kind, motion, stiffness = MOTIONS[name]
    model = chain(kind, stiffness, is_fixed=is_fixed).models[0]
    locked = replace(model.joints["shoulder"], actuation=m.Actuation.LOCKED)
    world = World(models=[replace(model, joints=model.joints.replaced(locked))])
    frame, rest = FRAME.matrix(), {body: pose.matrix() for body, pose in POSES.items()}
    expected = frame @ np.linalg.inv(np.linalg.inv(rest["arm"]) @ rest["base"] @ frame @ motion)
    if suffix == ".xml":
        ossature.save(world, tmp_path / "written.xml")
        world = ossature.load(tmp_path / "written.xml")
    simulation = Simulation(world)
    for keyframe in world.models[0].keyframes:
        simulation.apply_keyframe(keyframe.name)
    for tolerance in (1e-9, 1e-3 if suffix == ".xml" else 1e-5):  # at the start, and after a while: welds of MuJoCo are soft
        poses = simulation.poses()["m"]
        found = np.linalg.inv(poses["base"].matrix()) @ poses["arm"].matrix()
        np.testing.assert_allclose(found, expected, atol=tolerance)
        simulation.step(100)


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("suffix", [".skel", ".dae", ".xml"])
def test_a_reversed_ball_joint_with_an_initial_state_is_written_as_a_joint(suffix: str, is_fixed: bool, tmp_path: Path) -> None:
    """It closes no loop: also the formats without loops have it, and the motion is the same."""
    world = moving(m.Spherical(), 0.0, is_fixed=is_fixed)
    ledger = ossature.convert(world, tmp_path / f"written{suffix}").ledger
    assert not [entry for entry in ledger if entry.action is Action.DROPPED and "shoulder" in entry.path]
    runs = []
    for each in (world, ossature.load(tmp_path / f"written{suffix}")):
        simulation = Simulation(each, time_step=2.5e-4, integrator="leapfrog", report=Report())
        for keyframe in each.models[0].keyframes:
            simulation.apply_keyframe(keyframe.name)
        assert not simulation.compiled.model.neq
        simulation.step(400)
        (bodies,) = simulation.body_states().values()
        runs.append({name: (*body.position, *body.linear_velocity) for name, body in bodies.items()})
    for name, expected in runs[0].items():
        np.testing.assert_allclose(runs[1][name], expected, atol=1e-5)
