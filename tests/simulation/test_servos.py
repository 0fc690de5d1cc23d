"""Servos with effort limits compared with those of DART."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import mujoco
import pytest

import ossature
from ossature.assets import MeshStore
from ossature.diagnostics import Ledger, Report
from ossature.model import (
    Actuation,
    Body,
    Box,
    Collision,
    Coordinate,
    Floating,
    Inertial,
    Joint,
    JointType,
    Model,
    NamedList,
    Range,
    Revolute,
    Screw,
    Spherical,
    World,
)
from ossature.simulation import Simulation
from ossature.simulation.mjcf_export import write_mjcf

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
STEPS = 250

PROGRAM = """
import json, sys
import dartpy, numpy
velocities = []
for lower, upper, friction, command in json.loads(sys.argv[1]):
    world = dartpy.simulation.World()
    world.setTimeStep(0.001)
    world.setGravity([0, 0, 0])
    skeleton = dartpy.dynamics.Skeleton("m")
    joint, body = skeleton.createRevoluteJointAndBodyNodePair()
    inertia = dartpy.dynamics.Inertia()
    inertia.setMass(1.0)
    inertia.setMoment(numpy.eye(3))
    body.setInertia(inertia)
    joint.setActuatorType(dartpy.dynamics.ActuatorType.SERVO)
    joint.setForceLowerLimit(0, lower)
    joint.setForceUpperLimit(0, upper)
    joint.setCoulombFriction(0, friction)
    world.addSkeleton(skeleton)
    for _ in range(int(sys.argv[2])):
        joint.setCommand(0, command)
        world.step()
    velocities.append(float(skeleton.getVelocities()[0]))
print("RESULT" + json.dumps(velocities))
"""

CASES = [
    (-2.0, 2.0, 0.0, 1.0),  # gives way
    (-20.0, 20.0, 0.0, 1.0),  # arrives
    (-5.0, 2.0, 0.0, 1.0),  # another limit for each direction
    (-5.0, 2.0, 0.0, -1.0),
    (1.0, 2.0, 0.0, -1.0),  # always pushes
    (-2.0, 2.0, 1.0, 1.0),  # against the joint's own friction
    (-2.0, 2.0, 3.0, 1.0),  # which is stronger
    (0.0, 0.0, 0.0, 1.0),
    (0.0, 0.0, 1.0, 1.0),
]


def servo(kind: JointType, effort: Range, friction: float = 0.0, **body: object) -> World:
    coordinates = (Coordinate(effort_limits=effort, friction=friction),) * kind.degrees_of_freedom
    joint = Joint(name="j", type=kind, parent=None, child="b", coordinates=coordinates, actuation=Actuation.SERVO)
    bodies = NamedList([Body(name="b", inertial=Inertial(moment=UNIT), **body)])  # type: ignore[arg-type]
    return World(gravity=(0.0, 0.0, 0.0), models=NamedList([Model(name="m", bodies=bodies, joints=NamedList([joint]))]))


def velocity_after(world: World, report: Report, *command: float) -> float:
    simulation = Simulation(world, report=report)
    simulation.command("m", "j", command)
    simulation.step(STEPS)
    return simulation.velocities()["m"]["j"][0]


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
def test_servos_of_dart(report: Report) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(CASES), str(STEPS)], capture_output=True, text=True, timeout=300, check=True
    )
    theirs = json.loads(done.stdout.partition("RESULT")[2])
    for (lower, upper, friction, command), expected in zip(CASES, theirs, strict=True):
        ours = velocity_after(servo(Revolute(), Range(lower=lower, upper=upper), friction), report, command)
        # DART needs a step to leave rest against friction: 1e-3 of a second times 1 N·m.
        assert ours == pytest.approx(expected, abs=1.1e-3), (lower, upper, friction, command)
    assert len(report.take("servo-changes-integrator")) == len(CASES)


def test_a_servo_on_a_screw_with_an_effort_limit(report: Report) -> None:
    # It advances 0.1 m a turn, so the mass adds next to nothing to the moment of 1 kg·m².
    velocity = velocity_after(servo(Screw(), Range(lower=-2.0, upper=2.0)), report, 1.0)
    assert velocity == pytest.approx(0.5, rel=1e-3)
    assert report.take("servo-changes-integrator")


def test_a_servo_with_an_effort_limit_among_contacts(report: Report) -> None:
    """With shapes the engine solves islands apart from one another; the servo's constraint is found all the same."""
    world = servo(Revolute(), Range(lower=-2.0, upper=2.0), collisions=(Collision(geometry=Box(size=(0.2, 0.2, 0.2))),))
    assert velocity_after(world, report, 1.0) == pytest.approx(0.5, rel=1e-6)
    assert report.take("servo-changes-integrator")


@pytest.mark.parametrize(
    ("kind", "effort"),
    [
        (Revolute(), Range(upper=2.0)),
        (Revolute(), Range(lower=2.0, upper=-2.0)),
        (Spherical(), Range(lower=-2.0, upper=2.0)),
        (Floating(), Range(lower=-2.0, upper=2.0)),
    ],
)
def test_unenforced_limits_are_reported(kind: JointType, effort: Range, report: Report) -> None:
    command = [1.0] + [0.0] * (kind.degrees_of_freedom - 1)
    assert velocity_after(servo(kind, effort), report, *command) == pytest.approx(1.0, abs=1e-6)
    (finding,) = report.take("unenforced-effort-limit")
    assert finding.path == "m/j"


def test_a_servo_with_friction_in_mjcf_has_the_same_effort(report: Report) -> None:
    """A pull stronger than servo or friction alone, and weaker than both together, moves nothing."""
    text = write_mjcf(servo(Revolute(), Range(lower=-2.0, upper=2.0), 1.0), Ledger(), meshes=MeshStore(), report=report)
    assert report.take("servo-changes-integrator")
    model = mujoco.MjModel.from_xml_string(text)
    for pull, moves in ((2.5, False), (3.5, True)):
        data = mujoco.MjData(model)
        data.qfrc_applied[0] = pull
        mujoco.mj_step(model, data, nstep=STEPS)
        assert bool(abs(data.qvel[0]) > 0.05) is moves


AT_A_LIMIT = """<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 0</gravity></physics>
<skeleton name="s"><body name="a"><inertia><mass>1</mass><moment_of_inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy>
<ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia></body><joint type="{0}" name="j" actuator="{1}"><parent>world</parent>
<child>a</child><axis><xyz>0 0 1</xyz><limit><lower>-0.5</lower><upper>0.5</upper></limit></axis></joint></skeleton></world>
</skel>"""

AGAINST_A_LIMIT = """
import json, sys
import dartpy
world = dartpy.utils.SkelParser.readWorld("file://" + sys.argv[1])
skeleton = world.getSkeleton(0)
skeleton.getJoint(0).setLimitEnforcement(True)
positions = []
for step in range(1500):
    skeleton.getJoint(0).setCommand(0, 1.0 if step < 1000 else -1.0)
    world.step()
    positions.append(float(skeleton.getPositions()[0]))
print("RESULT" + json.dumps(positions))
"""


@pytest.mark.skipif(importlib.util.find_spec("dartpy") is None, reason="dartpy is not installed")
@pytest.mark.parametrize("joint", ["revolute", "prismatic"])
@pytest.mark.parametrize("actuator", ["servo", "velocity", "acceleration"])
def test_commands_against_a_limit(joint: str, actuator: str, tmp_path: Path) -> None:
    """A servo stops at the limit, and leaves it at once; a prescribed motion goes on, which a note states."""
    path = tmp_path / "joint.skel"
    path.write_text(AT_A_LIMIT.format(joint, actuator))
    done = subprocess.run([sys.executable, "-c", AGAINST_A_LIMIT, str(path)], capture_output=True, text=True, check=True)
    expected = json.loads(done.stdout.rpartition("RESULT")[2])
    simulation = Simulation(ossature.load(path))
    positions = []
    for command in (1.0, -1.0):
        simulation.command("s", "j", command)
        for _ in range(1000 if command > 0.0 else 500):
            simulation.step()
            positions.append(float(simulation.data.qpos[0]))
    assert positions == pytest.approx(expected, abs=1e-6)
    assert max(expected) == pytest.approx({"servo": 0.5, "velocity": 1.0}.get(actuator, 0.8755), abs=1e-3)
    assert bool(simulation.report.take("unenforced-position-limit")) is (actuator != "servo")
    assert simulation.diagnostics.energy.supplied < 10.0


def test_limits_that_are_not_enforced_stop_no_servo(tmp_path: Path) -> None:
    path = tmp_path / "joint.skel"
    path.write_text(AT_A_LIMIT.format("revolute", "servo"))
    world = ossature.load(path).replace_at("s/j", initial_position=0.7)
    simulation = Simulation(world, enforce_limits=False)
    simulation.command("s", "j", 1.0)
    simulation.step(100)
    assert simulation.data.qpos[0] == pytest.approx(0.8)
