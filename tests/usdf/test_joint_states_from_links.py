"""States with link states and without joint states: joint positions and velocities follow from poses and twists.

The expected numbers are those of the full state, which the engine computed from the coordinates of all joints.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from joint_models import BALLS, TYPES, model_of, name_of
from ossature.cli.app import app
from ossature.diagnostics import Report, Source
from ossature.formats.usdf import read_usdf, write_usdf
from ossature.kinematics import motion_pose
from ossature.kinematics.apply_state import UnreachableStateError, apply_state
from ossature.kinematics.joint_coordinates import joint_coordinates
from ossature.model import (
    Coordinate,
    FrameState,
    Inertial,
    Joint,
    JointState,
    JointType,
    LinkState,
    Model,
    ModelState,
    NamedList,
    Range,
    Revolute,
    Screw,
    State,
    Twist,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import Pose, add
from random_models import random_pose, random_tree

INERTIAL = Inertial(mass=1.0, center_of_mass=(0.1, 0.0, 0.2), moment=((0.3, 0.0, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.5)))


def with_mass(model: Model) -> Model:
    return replace(model, bodies=model.bodies.map(lambda body: replace(body, inertial=INERTIAL)))


def random_positions(model: Model, random: np.random.Generator, largest: float = 0.9) -> dict[str, tuple[float, ...]]:
    return {joint.name: tuple(random.uniform(-largest, largest, joint.degrees_of_freedom)) for joint in model.joints}


def moving_state(world: World, seed: int) -> State:
    """Return the full state of a simulation at random positions and velocities, without a checkpoint."""
    random = np.random.default_rng(seed)
    simulation = Simulation(world, report=Report())
    models = []
    for model in world.models:
        positions, velocities = random_positions(model, random), random_positions(model, random)
        joints = [JointState(name=name, positions=positions[name], velocities=velocities[name]) for name in positions]
        models.append(ModelState(name=model.name, joints=NamedList(joints)))
    simulation.set_coordinates(State(name=world.name, models=NamedList(models)))
    return replace(simulation.state(), checkpoint=None, fingerprint=None)


def without_joints(state: State, kept: Collection[str] = ()) -> State:
    """Return a state without joint states, read again from its file."""
    models = state.models.map(
        lambda model: replace(model, joints=NamedList([joint for joint in model.joints if joint.name in kept]))
    )
    read = read_usdf(Source("s.usdf", write_usdf(replace(state, models=models)).encode()), Report())
    assert read is not None
    return read


def assert_same_joints(found: State, expected: State) -> None:
    for model in expected.models:
        for joint in model.joints:
            other = found.models[model.name].joints[joint.name]
            np.testing.assert_allclose(other.positions, joint.positions, atol=1e-9, err_msg=joint.name)
            np.testing.assert_allclose(other.velocities, joint.velocities, atol=1e-9, err_msg=joint.name)


def inconsistencies(report: Report) -> list[str]:
    return [finding.message for finding in report if finding.rule.name == "inconsistent-state"]


def inconsistency_lines(report: Report) -> set[int | None]:
    """Return the lines of the file of the state at which inconsistencies are reported."""
    return {finding.location.line for finding in report if finding.rule.name == "inconsistent-state" and finding.location}


def line_of(state: State, link: str) -> int | None:
    """Return the line of a link of the first model of a state that was read from a file."""
    origin = state.models[0].links[link].origin
    assert origin is not None
    return origin.line


def assert_restored(world: World, state: State, full: State) -> None:
    """Check the state of a simulation and of an applied World, and that a simulation continues as from the full state."""
    report = Report()
    simulation, reference = Simulation(world, report=report), Simulation(world, report=Report())
    simulation.restore(state)
    reference.restore(full)
    assert not inconsistencies(report)
    assert_same_joints(simulation.state(), full)
    assert_same_joints(Simulation(apply_state(world, state), report=Report()).state(), full)
    for one in (simulation, reference):
        one.run(0.05)
    for model in full.models:
        for name, body in reference.body_states()[model.name].items():
            found = simulation.body_states()[model.name][name]
            np.testing.assert_allclose(found.position, body.position, atol=1e-8)
            np.testing.assert_allclose(found.linear_velocity, body.linear_velocity, atol=1e-7)


@pytest.mark.parametrize("joint_type", TYPES, ids=name_of)
def test_a_joint_of_every_type(joint_type: JointType) -> None:
    model = with_mass(model_of(joint_type))
    fixed = Joint(name="fixed", type=ossature.model.Fixed(), parent=None, child="base")
    world = World(models=[replace(model, joints=NamedList([fixed, *model.joints]))], gravity=(0.0, 0.0, -9.81))
    full = moving_state(world, 1)
    assert_restored(world, without_joints(full), full)
    assert_restored(world, without_joints(full, kept=("j0", "j2")), full)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(12))
def test_a_random_robot(seed: int) -> None:
    random = np.random.default_rng(seed)
    world = World(models=[random_tree(seed, "one", fixed=0.2), random_tree(seed + 100, "two", fixed=0.2)], gravity=(0, 0, -1))
    full = moving_state(world, seed)
    names = [joint.name for joint in world.models["one"].joints]
    assert_restored(world, without_joints(full), full)
    assert_restored(world, without_joints(full, kept=random.permutation(names)[: len(names) // 2].tolist()), full)


@pytest.mark.parametrize("seed", range(4))
def test_links_stated_in_a_frame(seed: int) -> None:
    random = np.random.default_rng(seed)
    world = World(models=[random_tree(seed, "one", fixed=0.2)], gravity=(0.0, 0.0, -1.0))
    full = moving_state(world, seed)
    frame = FrameState(name="odom", pose=random_pose(random))
    assert frame.pose is not None
    model = full.models["one"]
    assert model.pose is not None
    moved = replace(model, parent="odom", pose=frame.pose.inverse() @ model.pose)
    stated = replace(full, frames=NamedList([frame]), models=NamedList([moved]))
    assert_restored(world, without_joints(stated), full)
    to_world = model.pose
    links = model.links.map(lambda link: replace(link, pose=to_world @ (link.pose or Pose())))
    in_world = replace(full, models=NamedList([replace(model, parent="world", pose=None, links=links)]))
    assert_restored(world, without_joints(in_world), full)


def test_a_moving_base_without_a_joint() -> None:
    world = World(models=[with_mass(model_of(ossature.model.Universal()))], gravity=(0.0, 0.0, 0.0))
    full = moving_state(world, 3)
    link = full.models["arm"].links["base"]
    assert link.pose is not None
    # All bodies move like a rigid body with the base, besides the velocities of the joints.
    simulation = Simulation(world, report=Report())
    base = replace(link, twist=Twist(linear=(0.1, 0.2, 0.3), angular=(0.4, -0.5, 0.6)))
    simulation.set_coordinates(State(models=NamedList([replace(full.models["arm"], links=NamedList([base]))])))
    moving = replace(simulation.state(), checkpoint=None, fingerprint=None)
    assert_restored(world, without_joints(moving), moving)


@pytest.mark.parametrize(
    ("limits", "initial", "angle", "expected"),
    [
        (Range(), 0.0, 4.0, 4.0 - math.tau),
        (Range(), 10.0, 4.0, 4.0 + math.tau),
        (Range(1.0, 5.0), 0.0, 4.0, 4.0),
        (Range(-5.0, -1.0), 0.0, 2.5, 2.5 - math.tau),
        (Range(7.0, 12.0), 0.0, 4.0, 4.0 + math.tau),
        (Range(-1.0, 1.0), 0.0, 3.0, 3.0),
    ],
)
def test_the_revolution_is_one_that_the_limits_allow(limits: Range, initial: float, angle: float, expected: float) -> None:
    coordinate = Coordinate(position_limits=limits, initial_position=initial)
    joint = Joint(name="j", type=Revolute(axis=(0.0, 1.0, 0.0)), parent=None, child="b", coordinates=(coordinate,))
    assert joint_coordinates(joint, motion_pose(joint.type, (angle,))) == pytest.approx((expected,), abs=1e-12)


def test_the_translation_of_a_screw_determines_its_revolutions() -> None:
    joint = Joint(name="j", type=Screw(axis=(0.0, 1.0, 0.0), pitch=-0.02), parent=None, child="b")
    assert joint_coordinates(joint, motion_pose(joint.type, (100.0,))) == pytest.approx((100.0,), abs=1e-12)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 40))])
@pytest.mark.parametrize("joint_type", (*TYPES, BALLS), ids=name_of)
def test_coordinates_of_any_size_have_the_pose(joint_type: JointType, seed: int) -> None:
    random = np.random.default_rng(seed)
    q = random.uniform(-3.1, 3.1, joint_type.degrees_of_freedom)
    pose = motion_pose(joint_type, q.tolist())
    joint = Joint(name="j", type=joint_type, parent=None, child="b")
    np.testing.assert_allclose(motion_pose(joint_type, joint_coordinates(joint, pose)).matrix(), pose.matrix(), atol=1e-9)


@pytest.fixture
def hinge_world() -> World:
    tree = random_tree(5, "one", fixed=0.0)
    return World(models=[tree], gravity=(0.0, 0.0, 0.0))


def test_a_relative_pose_that_the_joint_cannot_have(hinge_world: World) -> None:
    full = moving_state(hinge_world, 5)
    model = full.models["one"]
    last = model.links.names()[-1]
    link = model.links[last]
    assert link.pose is not None
    moved = replace(link, pose=link.pose @ Pose((0.0, 0.0, 0.5)))
    state = without_joints(replace(full, models=NamedList([replace(model, links=model.links.replaced(moved))])))
    with pytest.raises(UnreachableStateError, match=rf"'one/{last}' differs by 0\.\d+ m or rad"):
        apply_state(hinge_world, state)
    report = Report()
    Simulation(hinge_world, report=report).restore(state)
    assert any(f"'one/{last}'" in message for message in inconsistencies(report))
    assert inconsistency_lines(report) == {line_of(state, last)}


def test_a_relative_twist_that_the_joint_cannot_have(hinge_world: World) -> None:
    full = moving_state(hinge_world, 5)
    model = full.models["one"]
    last = model.links.names()[-1]
    joint = next(joint for joint in hinge_world.models["one"].joints if joint.child == last)
    twist = model.links[last].twist
    assert twist is not None
    moved = replace(model.links[last], twist=Twist(linear=add(twist.linear, (0.3, 0.4, 1.2))))
    state = without_joints(replace(full, models=NamedList([replace(model, links=model.links.replaced(moved))])))
    with pytest.raises(UnreachableStateError, match=rf"twists of the links of 'one/{joint.name}' differ by \d"):
        apply_state(hinge_world, state)
    report = Report()
    Simulation(hinge_world, report=report).restore(state)
    assert any(f"'one/{joint.name}'" in message for message in inconsistencies(report))
    assert inconsistency_lines(report) == {line_of(state, last)}


@pytest.mark.parametrize("states_joints", [True, False])
def test_a_twist_that_contradicts_the_velocities_of_joints(states_joints: bool, hinge_world: World) -> None:
    full = moving_state(hinge_world, 5)
    report = Report()
    Simulation(hinge_world, report=report).restore(full)
    assert inconsistencies(report) == []
    model = full.models["one"]
    last = model.links.names()[-1]
    twist = model.links[last].twist
    assert twist is not None
    if states_joints:  # by 1.3 m/s
        pushed = replace(twist, linear=add(twist.linear, (0.3, 0.4, 1.2)))
        changed = replace(model, links=model.links.replaced(replace(model.links[last], twist=pushed)))
    else:  # the pose of the link is missing, without which its twist gives no velocities
        changed = replace(model, links=NamedList([LinkState(name=last, twist=twist)]), joints=NamedList())
    state = replace(full, models=NamedList([changed]))
    Simulation(hinge_world, report=report).restore(state)
    (message,) = inconsistencies(report)
    assert f"the twist of 'one/{last}' differs by {'1.3 m/s' if states_joints else ''}" in message


def test_commands_read_a_state_of_links(tmp_path: Path) -> None:
    (tmp_path / "m.urdf").write_text(
        '<robot name="m"><link name="base_link"/><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        'ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute"><parent link="base_link"/><child link="a"/>'
        '<axis xyz="0 0 1"/><limit lower="-5" upper="-1" effort="9" velocity="9"/></joint></robot>'
    )
    (tmp_path / "s.usdf").write_text(
        '<world_state name="m"><model_state name="m"><pose>0 0 0 0 0 0</pose>'
        '<link_state name="base_link"><pose>0 0 0 0 0 0</pose></link_state>'
        '<link_state name="a"><pose>0 0 0 0 0 2.5</pose></link_state></model_state></world_state>'
    )
    model, state, end = (str(tmp_path / name) for name in ("m.urdf", "s.usdf", "end.usdf"))
    result = CliRunner().invoke(app, ["pose", model, "--initial-state", state])
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(app, ["state", "apply", state, model, str(tmp_path / "out.skel")])
    assert result.exit_code == 0, result.output
    applied = ossature.load(tmp_path / "out.skel")
    assert applied.models["m"].joints["j"].initial_positions == pytest.approx((2.5 - math.tau,))
    result = CliRunner().invoke(app, ["simulate", model, "--initial-state", state, "--duration", "0", "--save-state", end])
    assert result.exit_code == 0, result.output
    assert "inconsistent-state" not in result.output
    assert ossature.load_state(Path(end)).models["m"].joints["j"].positions == pytest.approx((2.5 - math.tau,))


@pytest.mark.parametrize("name", ["slider_crank.yaml", "picker.dae"])
def test_mechanisms_of_the_examples(name: str) -> None:
    world = ossature.load(Path(__file__).parents[2] / "examples" / name)
    simulation = Simulation(world, report=Report())
    simulation.run(0.2)
    full = replace(simulation.state(), checkpoint=None, fingerprint=None)
    report = Report()
    restored = Simulation(world, report=report)
    restored.restore(without_joints(full))
    assert not inconsistencies(report)
    assert_same_joints(restored.state(), full)


@pytest.mark.parametrize("joint_type", (*TYPES, BALLS), ids=name_of)
@pytest.mark.parametrize("size", [1e155, 1.7e308])
def test_a_pose_that_overflows_gives_finite_coordinates(joint_type: JointType, size: float) -> None:
    joint = Joint(name="j", type=joint_type, parent=None, child="b")
    assert np.isfinite(joint_coordinates(joint, Pose((size, -size, size), (0.5, 0.5, 0.5, 0.5)))).all()


@pytest.mark.parametrize("name", ["arm.skel", "double_pendulum.skel", "picker.dae", "slider_crank.yaml"])
def test_links_that_overflow_are_reported(name: str) -> None:
    world = ossature.load(Path(__file__).parents[2] / "examples" / name)
    full = Simulation(world, report=Report()).state()

    def overflow(link: LinkState) -> LinkState:
        pose = Pose((1.7e308, -1.7e308, 1.7e308))
        return replace(link, pose=pose, twist=Twist(linear=(1.7e308, 1.0, 1.7e308), angular=(-1.7e308, 1.7e308, 0.0)))

    models = full.models.map(lambda model: replace(model, joints=NamedList([]), links=model.links.map(overflow)))
    wild = replace(full, models=models, checkpoint=None, fingerprint=None)
    report = Report()
    simulation = Simulation(world, report=report)
    try:
        simulation.restore(wild, partial=True)
    except ossature.OssatureError as error:
        assert "diverged" in str(error) or "finite" in str(error)
    else:
        assert any("inf" in message for message in inconsistencies(report))
        for joint in simulation.state().models[0].joints:
            assert np.isfinite(joint.positions).all() and np.isfinite(joint.velocities).all()
    with pytest.raises(ossature.OssatureError):
        apply_state(world, wild)
