"""Commanded motions of joints of several coordinates: the reaction on the parent, reversed joints, and DART's motion."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import ossature
from ossature import model as m
from ossature.diagnostics import OssatureError, Report
from ossature.model import Actuation, Body, Coordinate, Inertial, Joint, Model, NamedList, World
from ossature.simulation import SampledSignal, Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector

STEP = 1e-3
FRAME = Pose((0.2, -0.1, 0.15), quaternion_from_rotation_vector((-0.4, 0.2, 0.3)))
COMMAND = (1.0, -2.0, 1.5, 0.4, 0.3, -0.6)
INERTIAS = {
    "a": Inertial(mass=1.5, center_of_mass=(0.1, 0.0, 0.2), moment=((0.3, 0.02, 0.0), (0.02, 0.25, 0.0), (0.0, 0.0, 0.2))),
    "b": Inertial(mass=0.8, center_of_mass=(0.0, 0.3, 0.0), moment=((0.2, 0.0, 0.03), (0.0, 0.22, 0.0), (0.03, 0.0, 0.3))),
}


def two_bodies(kind: m.JointType, actuation: Actuation, *joints: Joint, speed: float = 0.0) -> World:
    """Return two bodies without gravity, a joint from the first to the second one, and other joints."""
    coordinates = tuple([Coordinate(initial_velocity=speed * value) for value in COMMAND[: kind.degrees_of_freedom]])
    joint = Joint(name="j", type=kind, parent="a", child="b", pose=FRAME, coordinates=coordinates, actuation=actuation)
    bodies = [Body(name="a", inertial=INERTIAS["a"]), Body(name="b", pose=Pose((0.5, 0.2, 0.0)), inertial=INERTIAS["b"])]
    model = Model(name="m", bodies=NamedList(bodies), joints=NamedList([joint, *joints]))
    return World(time_step=STEP, gravity=(0.0, 0.0, 0.0), models=NamedList([model]))


def momenta(simulation: Simulation, count: int) -> np.ndarray:
    """Return linear and angular momentum about the origin in the middle of some steps, from differences of poses."""
    rows = []
    for _ in range(count):
        rows.append(simulation.poses()["m"])
        simulation.step(1)
    result = np.zeros((count - 1, 6))
    for number, (before, after) in enumerate(pairwise(rows)):
        for name, inertial in INERTIAS.items():
            start, end = before[name].matrix(), after[name].matrix()
            centre = np.array([*inertial.center_of_mass, 1.0])
            velocity = ((end - start) @ centre / STEP)[:3]
            middle, turn = 0.5 * (start + end), (end - start)[:3, :3] / STEP
            skew = turn @ middle[:3, :3].T
            spin = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
            rotated = middle[:3, :3] @ np.array(inertial.moment) @ middle[:3, :3].T
            linear = inertial.mass * velocity
            result[number] += np.concatenate([linear, np.cross((middle @ centre)[:3], linear) + rotated @ spin])
    return result


@pytest.mark.parametrize("actuation", [Actuation.VELOCITY, Actuation.ACCELERATION, Actuation.SERVO])
@pytest.mark.parametrize("kind", [m.Spherical(), m.Euler(), m.Floating()], ids=lambda kind: type(kind).__name__)
def test_a_commanded_motion_keeps_the_momentum_of_free_bodies(kind: m.JointType, actuation: Actuation) -> None:
    base = Joint(name="base", type=m.Floating(), parent=None, child="a")
    world = two_bodies(kind, actuation, base, speed=1.0 if actuation is Actuation.ACCELERATION else 0.0)
    simulation = Simulation(world, report=Report())
    simulation.command("m", "j", COMMAND[: kind.degrees_of_freedom])
    found = momenta(simulation, 200)[3:]
    largest = np.abs(found).max()
    drift = np.abs(found - found[0]).max()
    # Angular momenta of the bodies are of the order of 1 kg·m²/s; they cancel if the bodies start at rest.
    assert drift < 2e-3 * max(largest, 0.3), (drift, largest)


@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler", "semi-implicit-euler"])
@pytest.mark.parametrize("kind", [m.Prismatic(axis=(1.0, 0.0, 0.0)), m.Translational(), m.Revolute(axis=(0.0, 0.0, 1.0))])
def test_the_sample_after_a_command_has_the_commanded_velocity(kind: m.JointType, integrator: str) -> None:
    base = Joint(name="base", type=m.Fixed(), parent=None, child="a")
    simulation = Simulation(two_bodies(kind, Actuation.VELOCITY, base), report=Report(), integrator=integrator)
    command = COMMAND[: kind.degrees_of_freedom]
    simulation.step(5)
    simulation.command("m", "j", command)
    for _ in range(3):
        simulation.step()
        np.testing.assert_allclose(simulation.velocities()["m"]["j"], command, rtol=2e-3)


@pytest.mark.parametrize("jump", [0.25, 0.2504])
@pytest.mark.parametrize("kind", [m.Spherical(), m.Revolute(axis=(0.0, 0.0, 1.0))], ids=["ball", "hinge"])
def test_samples_beside_a_jump_have_the_commanded_velocity(kind: m.JointType, jump: float) -> None:
    base = Joint(name="base", type=m.Fixed(), parent=None, child="a")
    simulation = Simulation(two_bodies(kind, Actuation.VELOCITY, base), report=Report(), integrator="leapfrog")
    after = COMMAND[: kind.degrees_of_freedom]
    before = tuple([-0.5 * value for value in after])
    signal = SampledSignal([0.0, jump, jump + 1e-9, 1.0], [before, before, after, after])
    simulation.command("m", "j", signal)
    simulation.step(249)
    np.testing.assert_allclose(simulation.velocities()["m"]["j"], before, rtol=2e-3)
    simulation.step(2)
    for _ in range(3):
        np.testing.assert_allclose(simulation.velocities()["m"]["j"], after, rtol=2e-3)
        simulation.step()


def test_samples_beside_a_jump_of_a_function_have_its_value() -> None:
    base = Joint(name="base", type=m.Fixed(), parent=None, child="a")
    simulation = Simulation(two_bodies(m.Prismatic(), Actuation.VELOCITY, base), report=Report(), integrator="leapfrog")
    simulation.command("m", "j", lambda time: 2.0 if time > 0.25 - 1e-9 else -1.0)
    simulation.step(251)
    for _ in range(3):
        assert simulation.velocities()["m"]["j"] == pytest.approx((2.0,), rel=2e-3)
        simulation.step()


def test_the_residual_of_a_driven_ball_joint_has_its_name() -> None:
    base = Joint(name="base", type=m.Spherical(), parent=None, child="a", actuation=Actuation.VELOCITY)
    simulation = Simulation(two_bodies(m.Fixed(), Actuation.PASSIVE, base), report=Report())
    simulation.command("m", "base", COMMAND[:3])
    simulation.run(0.02)
    residual = simulation.diagnostics.loop_residual
    assert residual is not None
    assert residual.element == "m/base"


def test_a_commanded_motion_of_a_free_joint_from_a_fixed_child() -> None:
    fixed = Joint(name="fixed", type=m.Fixed(), parent=None, child="b")
    world = two_bodies(m.Floating(), Actuation.VELOCITY, fixed)
    simulation = Simulation(world, report=Report())
    simulation.command("m", "j", (*COMMAND[:3], 0.0, 0.0, 0.0))
    simulation.step(200)
    poses = simulation.poses()["m"]
    frame = world.models["m"].bodies["b"].pose @ FRAME
    motion = frame.inverse() @ poses["a"].inverse() @ poses["b"] @ FRAME
    x, y, z = np.linalg.inv(frame.matrix()[:3, :3]) @ np.array(COMMAND[:3]) * 200 * STEP
    expected = Pose((0.0, 0.0, 0.0), quaternion_from_rotation_vector((x, y, z)))
    np.testing.assert_allclose(motion.matrix(), expected.matrix(), atol=1e-6)


def test_the_motion_of_a_point_on_a_line_cannot_be_prescribed() -> None:
    base = Joint(name="base", type=m.Fixed(), parent=None, child="a")
    with pytest.raises(OssatureError, match="joint 'm/j': the motion of a joint of type PointOnLine cannot be prescribed"):
        Simulation(two_bodies(m.PointOnLine(axis=(0.0, 0.0, 1.0)), Actuation.VELOCITY, base), report=Report())


FREE_JOINT = """<?xml version="1.0"?>
<skel version="1.0"><world name="w"><physics><time_step>0.0002</time_step><gravity>0 0 -9.81</gravity></physics>
<skeleton name="s"><transformation>0.3 0.1 -0.2 0.4 -0.3 0.8</transformation>
<body name="b"><transformation>0.1 -0.3 0.2 0.5 0.2 -0.7</transformation>
<inertia><mass>1.2</mass><offset>0.1 0 0.05</offset></inertia></body>
<joint type="free" name="j" actuator="acceleration"><parent>world</parent><child>b</child>
<transformation>0.6 -0.4 0.3 -0.5 0.7 0.2</transformation>
<init_pos>0.3 0.4 -0.2 0.1 0.2 0.3</init_pos><init_vel>1.5 -2 1 0.4 -0.3 0.2</init_vel>
ACCELERATIONS</joint></skeleton></world></skel>
"""
ACCELERATIONS = (0.7, -1.0, 1.5, 0.4, 1.2, -0.8)
IN_DART = """
import json, sys
import dartpy
world = dartpy.utils.SkelParser.readWorld(sys.argv[1])
skeleton = world.getSkeleton(0)
joint = skeleton.getJoint(0)
for _ in range(1500):
    for number, value in enumerate(json.loads(sys.argv[2])):
        joint.setCommand(number, value)
    world.step()
print("RESULT" + json.dumps(skeleton.getBodyNode(0).getTransform().matrix().tolist()))
"""


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
def test_an_accelerated_free_joint_with_an_offset_moves_as_in_dart(tmp_path: Path) -> None:
    dofs = [
        f'<dof local_index="{number}"><acceleration initial="{value}"/></dof>' for number, value in enumerate(ACCELERATIONS)
    ]
    path = tmp_path / "free.skel"
    path.write_text(FREE_JOINT.replace("ACCELERATIONS", "".join(dofs)))
    world = ossature.load(path)
    simulation = Simulation(ossature.load(ossature.dumps(world, "skel")))  # read, written and read again
    simulation.step(1500)
    np.testing.assert_allclose(simulation.poses()["s"]["b"].matrix(), pose_in_dart(path, ACCELERATIONS), atol=1e-7)


def pose_in_dart(path: Path, commands: Sequence[float]) -> list[list[float]]:
    command = [sys.executable, "-c", IN_DART, str(path), json.dumps(commands)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    pose: list[list[float]] = json.loads(done.stdout.partition("RESULT")[2])
    return pose


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
def test_springs_and_dampers_of_a_free_joint_with_an_offset_act_as_in_dart(tmp_path: Path) -> None:
    dofs = [
        f'<dof local_index="{number}"><damping>{0.2 + 0.1 * number}</damping><spring_stiffness>{3.0 - 0.4 * number}'
        f"</spring_stiffness><spring_rest_position>{0.1 * number - 0.2}</spring_rest_position></dof>"
        for number in range(6)
    ]
    path = tmp_path / "free.skel"
    path.write_text(FREE_JOINT.replace("ACCELERATIONS", "".join(dofs)).replace('actuator="acceleration"', ""))
    simulation = Simulation(ossature.load(path))
    simulation.step(1500)
    # DART integrates dampers and springs implicitly: the difference is that of two first-order methods.
    np.testing.assert_allclose(simulation.poses()["s"]["b"].matrix(), pose_in_dart(path, ()), atol=1e-3)
