"""Interactive joint configurations of models with closed loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ossature
from conftest import PROJECT
from linkages import POINTS, hinged
from ossature.assets import MeshStore
from ossature.kinematics import pose_parent_joint, poses, spanning_tree
from ossature.model import Actuation, Body, Floating, Inertial, Joint, Model, NamedList, Spherical, World
from ossature.spatial import Pose, norm, subtract
from ossature.viewer.closed_loop_configuration import ClosedLoopConfiguration, configuration_of
from ossature.viewer.joint_configuration import JointConfiguration

CRANK = PROJECT / "examples" / "slider_crank.yaml"


def crank() -> tuple[World, ClosedLoopConfiguration]:
    world = ossature.load(CRANK)
    configuration = configuration_of(world, MeshStore())
    assert isinstance(configuration, ClosedLoopConfiguration)
    return world, configuration


def gap(world: World, placed: dict[str, dict[str, Pose]]) -> float:
    """Return the largest gap of the loops [m], from body poses alone."""
    [model] = world.models
    bodies = placed[model.name]
    gaps = []
    for joint in spanning_tree(model).loop_joints:
        parent = model.pose if joint.parent is None else bodies[joint.parent]
        ends = parent @ pose_parent_joint(model, joint), bodies[joint.child] @ joint.pose
        gaps.append(norm(subtract(ends[0].position, ends[1].position)))
    return max(gaps)


def test_world_without_loops_has_plain_joint_configuration() -> None:
    assert type(configuration_of(ossature.load(PROJECT / "examples" / "arm.skel"), MeshStore())) is JointConfiguration


@settings(max_examples=15, deadline=None)
@given(st.floats(-3.0, 3.0))
def test_loop_stays_closed_when_a_joint_moves(angle: float) -> None:
    world, configuration = crank()
    [model] = world.models
    configuration.move(model.name, "pin", 0, angle)
    assert configuration.positions()[model.name]["pin"][0] == pytest.approx(angle, abs=1e-9)
    assert gap(world, configuration.poses()) < 1e-5


def test_unreachable_position_of_a_loop_moves_no_joint() -> None:
    world, configuration = crank()
    [model] = world.models
    configuration.move(model.name, "guide", 0, 50.0)
    assert configuration.positions()[model.name]["guide"][0] == pytest.approx(0.0, abs=1e-9)
    assert gap(world, configuration.poses()) < 1e-5


def test_poses_agree_with_simulation() -> None:
    # The motor's own angle is no joint's coordinate: it follows from the others.
    world, configuration = crank()
    simulation = ossature.Simulation(world)
    simulation.run(0.4)
    configuration.set_positions(simulation.positions())
    [expected], [found] = simulation.poses().values(), configuration.poses().values()
    for body, pose in expected.items():
        assert found[body].position == pytest.approx(pose.position, abs=1e-4)
        assert abs(np.dot(found[body].wxyz, pose.wxyz)) == pytest.approx(1.0, abs=1e-6)


def test_reset_restores_initial_poses() -> None:
    world, configuration = crank()
    configuration.move(world.models[0].name, "pin", 0, 1.0)
    configuration.reset()
    assert configuration.poses() == poses(world)


@pytest.mark.parametrize("actuation", [Actuation.FORCE, Actuation.VELOCITY])
@pytest.mark.parametrize("kind", [Spherical(), Floating()])
def test_a_driven_ball_or_free_joint_beside_a_loop_moves(kind: Spherical | Floating, actuation: Actuation) -> None:
    joint = Joint(name="joint", type=kind, parent=None, child="ball", actuation=actuation)
    ball = Model(name="ball", bodies=NamedList([Body(name="ball", inertial=Inertial(mass=1.0))]), joints=NamedList([joint]))
    configuration = configuration_of(World(models=NamedList([hinged(POINTS), ball])), MeshStore())
    assert isinstance(configuration, ClosedLoopConfiguration)
    configuration.move("ball", "joint", 0, 0.5)
    assert configuration.positions()["ball"]["joint"][0] == pytest.approx(0.5, abs=1e-9)
