"""Reactions, force elements and contact forces compared with closed forms and the momentum balance of each body."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from conftest import PROJECT, corpus_folder
from maximal_coordinates import MaximalCoordinates
from newton_euler import Balance, Imbalance, imbalances_after
from ossature import load
from ossature.diagnostics import Report
from ossature.model import (
    Actuation,
    Box,
    Cylindrical,
    Force6D,
    Joint,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Sensor,
    Spherical,
    World,
    make_body,
)
from ossature.simulation import Simulation, pair_forces
from ossature.simulation.sensors.force6d import Force6DReading
from ossature.spatial import Pose, subtract
from random_mechanisms import random_mechanism

Vector = NDArray[np.float64]


def corpus_files(*folders: str) -> list[Path]:
    """Return the models of folders of the corpus; of a simulation file and its model, the first."""
    root = corpus_folder()
    if root is None:
        return []
    files = [file for folder in folders for file in sorted((root / "corpus" / folder).glob("*.yaml"))]
    stems = {file.stem for file in files}
    skipped = ("mbs", "solver")
    return [file for file in files if f"{file.stem}_sim" not in stems and not file.stem.startswith(skipped)]


def largest(found: Iterable[Imbalance]) -> tuple[float, float]:
    """Return the largest imbalances of force and torque."""
    found = list(found)
    return max(one.force for one in found), max(one.torque for one in found)


def imbalance(world: World, time: float) -> float:
    """Return the largest imbalance of a World at a time [s], at the step with which it is measured best.

    A difference of velocities is off by the square of the step, and by rounding over the step or, of loops, its square.
    """
    found: list[float] = []
    for step in (1e-5, 5e-6, 2e-5):
        found.append(max(largest(imbalances_after(world, time, step))))
        if found[-1] < 1e-6:
            break
    return min(found)


# Statics


@pytest.mark.parametrize("name", ["none", "load", "load_local", "torque", "tsda", "rsda", "linear_motor", "rotation_motor"])
def test_a_loaded_hinge_at_rest_agrees_with_statics(corpus: Path, name: str) -> None:
    file = corpus / "corpus" / "mechanisms" / f"react_{name}_sim.yaml"
    expected = json.loads(file.with_name(f"react_{name}.json").read_text())
    simulation = Simulation(load(file))
    for _ in range(2):
        reaction = simulation.reactions()[f"react {name}"][expected["joint"]]
        specified = [*expected["reaction_on_b"]["force"], *expected["reaction_on_b"]["torque"]]
        assert np.concatenate((reaction["force"], reaction["torque"])) == pytest.approx(np.array(specified), abs=1e-6 * 9.81)
        simulation.step()


# Motion: everything that is reported of a body is its rate of momentum


@pytest.mark.parametrize("file", corpus_files("mechanisms", "chrono", "chrono-elements"), ids=lambda file: file.stem)
def test_forces_on_each_body_are_its_rate_of_momentum(file: Path) -> None:
    world = load(file)
    if file.stem.startswith("contact"):
        pytest.skip("contacts change from step to step; other tests are about them")
    assert imbalance(world, 1e-3) < 1e-6


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(8))
def test_forces_in_random_mechanisms_are_rates_of_momentum(seed: int, tmp_path: Path) -> None:
    assert imbalance(random_mechanism(seed, tmp_path), 3e-3) < 1e-6


def test_forces_in_a_robot_are_rates_of_momentum() -> None:
    assert imbalance(load(PROJECT / "examples" / "palletizer.urdf"), 1e-3) < 1e-6


@pytest.mark.parametrize("name", ["arm", "double_pendulum"])
def test_forces_in_trees_for_dart_are_rates_of_momentum(name: str) -> None:
    """DART's step is of first order: it accelerates from one sample to the next, as its beginning makes it."""
    simulation = Simulation(load(PROJECT / "examples" / f"{name}.skel"), time_step=2e-7)
    simulation.step(100)
    before = simulation.body_states()
    balance = Balance(simulation)
    simulation.step()
    force, torque = largest(balance.imbalances(before, simulation.body_states(), 2e-7))
    assert force < 1e-6
    assert torque < 1e-6


@pytest.mark.one_in(2)
@pytest.mark.parametrize("stiffness", [1.0, 1e5])
@pytest.mark.parametrize("seed", range(6))
def test_joints_transmit_nothing_along_their_own_motion(seed: int, stiffness: float, tmp_path: Path) -> None:
    """So it is at any step and with any integrator, where a joint itself has no spring and no motor."""
    world = random_mechanism(seed, tmp_path, stiffness=stiffness)
    simulation = Simulation(world, time_step=1e-3)
    simulation.step(12)
    # The joint that closes a loop is that of a clone, which is off its body by the loop's violation.
    allowed = 1e-9 + 100.0 * float(simulation.run(0.0).violation[-1])
    assert max(_free_components(simulation)) < allowed


def _free_components(simulation: Simulation) -> Iterator[float]:
    """Yield forces and torques along what joints let free, over the largest of each joint."""
    states, reactions = simulation.body_states()["m"], simulation.reactions()["m"]
    for joint in simulation.world.models["m"].joints:
        force, torque = reactions[joint.name]["force"], reactions[joint.name]["torque"]
        scale = max(np.linalg.norm(force), np.linalg.norm(torque))
        axes = Pose(wxyz=states[joint.child].wxyz) @ Pose(wxyz=joint.pose.wxyz)
        if isinstance(joint.type, Revolute | Cylindrical):
            yield abs(torque @ np.array(axes.transform(joint.type.axis))) / scale
        if isinstance(joint.type, Prismatic | Cylindrical):
            yield abs(force @ np.array(axes.transform(joint.type.axis))) / scale
        if isinstance(joint.type, Spherical):
            yield float(np.linalg.norm(torque)) / scale


# What a joint's own springs, dampers, motors and stops do is part of what it transmits

SPRUNG = """
<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>
<skeleton name="s"><body name="link"><transformation>0 0 0 0 0 0</transformation>
<inertia><mass>2</mass><offset>0.5 0 0</offset>
<moment_of_inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia></body>
<joint name="hinge" type="revolute"><parent>world</parent><child>link</child><axis><xyz>0 1 0</xyz>
<dynamics><spring_stiffness>{stiffness}</spring_stiffness><damping>{damping}</damping></dynamics></axis></joint>
</skeleton></world></skel>
"""


def test_a_spring_of_a_joint_is_part_of_its_reaction(tmp_path: Path) -> None:
    """A lever of 2 kg settles at the equilibrium of spring and weight: the hinge transmits -m g l cos φ about its axis."""
    (tmp_path / "sprung.skel").write_text(SPRUNG.format(stiffness=100.0, damping=20.0))
    simulation = Simulation(load(tmp_path / "sprung.skel"))
    simulation.step(20_000)
    (angle,) = simulation.positions()["s"]["hinge"]
    reaction = simulation.reactions()["s"]["hinge"]
    assert reaction["force"] == pytest.approx([0.0, 0.0, 19.62], abs=1e-6)
    assert reaction["torque"] == pytest.approx([0.0, -9.81 * math.cos(angle), 0.0], abs=1e-6)
    assert reaction["torque"][1] == pytest.approx(-100.0 * angle, abs=1e-6)


LOCKED = """
chrono-version: 10.0
model:
  name: locked
  bodies:
    - {name: ground, location: [0, 0, 0], fixed: true}
    - {name: post, location: [0, 0, 1], mass: 4.0, inertia: {moments: [0.1, 0.1, 0.1]}}
    - {name: arm, location: [0.5, 0, 2], mass: 1.0, inertia: {moments: [0.1, 0.1, 0.1]}}
  joints:
    - {name: foot, type: LOCK, body1: post, body2: ground, location: [0, 0, 0]}
    - {name: weldment, type: LOCK, body1: arm, body2: post, location: [0, 0, 2]}
    - {name: pin, type: SPHERICAL, body1: rod_end, body2: arm, location: [1, 0, 2]}
"""


def test_locks_to_the_ground_carry_weights(tmp_path: Path) -> None:
    text = LOCKED.replace("    - {name: pin, type: SPHERICAL, body1: rod_end, body2: arm, location: [1, 0, 2]}\n", "")
    (tmp_path / "locked.yaml").write_text(text)
    reactions = Simulation(load(tmp_path / "locked.yaml")).reactions()["locked"]
    assert reactions["foot"]["force"] == pytest.approx([0.0, 0.0, 5.0 * 9.8])
    assert reactions["foot"]["torque"] == pytest.approx([0.0, -0.5 * 9.8, 0.0])
    assert reactions["weldment"]["force"] == pytest.approx([0.0, 0.0, 9.8])


DOOR = """
chrono-version: 10.0
model:
  name: m
  bodies:
    - {{name: ground, location: [0, 0, 0], fixed: true}}
    - {{name: door, location: [0.5, 0, 0], mass: 20.0, inertia: {{moments: [10, 10, 2]}}}}
  joints:
    - {{name: upper, type: {upper}, body1: door, body2: ground, location: [0, 0, 0.8], axis: [0, 0, 1]}}
    - {{name: lower, type: {lower}, body1: door, body2: ground, location: [0, 0, -0.8], axis: [0, 0, 1]}}
"""


@pytest.mark.parametrize(
    ("upper", "lower", "redundant"),
    [("REVOLUTE", "REVOLUTE", 5), ("POINT_LINE", "REVOLUTE", 2), ("POINT_LINE", "SPHERICAL", 0)],
)
def test_reactions_of_redundant_hinges_are_reported(upper: str, lower: str, redundant: int, report: Report) -> None:
    simulation = Simulation(load(DOOR.format(upper=upper, lower=lower)), report=report)
    for _ in range(2):
        reactions = simulation.reactions()["m"]
        assert reactions["upper"]["force"] + reactions["lower"]["force"] == pytest.approx([0.0, 0.0, 20.0 * 9.8], abs=1e-5)
    if not redundant:  # the two forces at a distance of 1.6 m carry the moment of the weight
        assert reactions["upper"]["force"] == pytest.approx([-20.0 * 9.8 * 0.5 / 1.6, 0.0, 0.0], abs=1e-5)
    found = report.take("reactions-not-unique")
    assert [f"{redundant} redundant constraints among" in each.message for each in found] == [True] * (redundant > 0)


@pytest.mark.parametrize("actuation", [Actuation.FORCE, Actuation.VELOCITY])
def test_a_driven_ball_joint_of_a_loop_has_no_redundant_constraints(actuation: Actuation, report: Report) -> None:
    """The driven joint has three constraints, and the joint that closes the loop has three, of nine degrees of freedom."""
    bodies = {"a": (0.5, 0.0, 0.1), "b": (1.0, 0.6, 0.0), "c": (0.4, 1.0, 0.2)}
    ends = [(None, "a", (0, 0, 0)), ("a", "b", (1, 0, 0.2)), ("b", "c", (0.9, 1.1, 0.1)), (None, "c", (0, 1, 0))]
    joints = [
        Joint(name=f"j{number}", type=Spherical(), parent=parent, child=child, pose=Pose(subtract(point, bodies[child])))
        for number, (parent, child, point) in enumerate(ends)
    ]
    joints[0] = replace(joints[0], actuation=actuation)
    links = [make_body(name, Box(size=(0.2, 0.1, 0.1)), mass=1.0, pose=Pose(point)) for name, point in bodies.items()]
    world = World(name="w", models=NamedList([Model(name="m", bodies=NamedList(links), joints=NamedList(joints))]))
    Simulation(world, report=report).reactions()


PUSHED = """
chrono-version: 10.0
model:
  name: pushed
  bodies:
    - {{name: ground, location: [0, 0, 0], fixed: true}}
    - {{name: ball, location: [1, 0, 0], mass: 1.0, inertia: {{moments: [0.1, 0.2, 0.2]}}, initial_linear_velocity: [0, 2, 0]}}
  motors:
    - {{name: push, type: {kind}, {guide}: FREE, body1: {first}, body2: {second}, location: [1.2, 0.1, 0], axis: [1, 0.5, 0.2],
        actuation_type: FORCE, actuation_function: {{type: CONSTANT, value: 2}}}}
"""


@pytest.mark.parametrize("bodies", [("ball", "ground"), ("ground", "ball")])
@pytest.mark.parametrize(("kind", "guide"), [("LINEAR", "guide"), ("ROTATION", "spindle")])
def test_motors_without_guide_act_on_the_ground_where_they_act_on_the_body(
    kind: str, guide: str, bodies: tuple[str, str], tmp_path: Path
) -> None:
    first, second = bodies
    (tmp_path / "pushed.yaml").write_text(PUSHED.format(kind=kind, guide=guide, first=first, second=second))
    force, torque = largest(imbalances_after(load(tmp_path / "pushed.yaml"), 0.05, 1e-5))
    assert force < 1e-6
    assert torque < 1e-6


# Sensors


@pytest.mark.parametrize("seed", range(4))
def test_force_sensors_read_what_the_joint_transmits(seed: int, tmp_path: Path) -> None:
    """Springs, bushings, loads and motors at sites act on the bodies, too, and are no part of it."""
    world = random_mechanism(seed, tmp_path)
    (model,) = world.models
    joint = next(one for one in model.joints if one.name == "j1")
    sensor = Sensor(name="wrist", body="b1", description=Force6D())
    world = replace(world, models=NamedList([replace(model, sensors=NamedList([sensor]))]))
    simulation = Simulation(world)
    simulation.step(10)
    reading = simulation.sensors["wrist"].read()
    assert isinstance(reading, Force6DReading)
    states = simulation.body_states()["m"]
    axes, child = Pose(wxyz=states["b1"].wxyz), states[joint.child]
    reaction = simulation.reactions()["m"]["j1"]
    arm = np.array(Pose(child.position, child.wxyz).transform(joint.pose.position)) - states["b1"].position
    torque = reaction["torque"] + np.cross(arm, reaction["force"])
    # The sensor measures the reaction of its body on the parent: the ground.
    sign = -1.0 if joint.child == "b1" else 1.0
    assert np.array(axes.transform(tuple(reading.force))) == pytest.approx(sign * reaction["force"], rel=1e-6, abs=1e-6)
    assert np.array(axes.transform(tuple(reading.torque))) == pytest.approx(sign * torque, rel=1e-6, abs=1e-6)


# Contacts


BOX = """
<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>
<skeleton name="floor"><mobile>false</mobile><body name="floor"><transformation>0 0 -0.5 0 0 0</transformation>
<collision_shape><geometry><box><size>10 10 1</size></box></geometry></collision_shape></body></skeleton>
<skeleton name="box"><body name="box"><transformation>0 0 0.26 0 0 0.3</transformation><inertia><mass>3</mass></inertia>
<collision_shape><geometry><box><size>0.5 0.5 0.5</size></box></geometry></collision_shape></body>
<joint name="free" type="free"><parent>world</parent><child>box</child><init_vel>0 0 0 0.7 0 0</init_vel></joint></skeleton>
</world></skel>
"""


@pytest.fixture
def box(tmp_path: Path) -> World:
    (tmp_path / "box.skel").write_text(BOX)
    return load(tmp_path / "box.skel")


def test_contact_forces_are_what_changes_momentum(box: World) -> None:
    """In each step of a fall, an impact and a slide: the sum of contact forces and weight is the rate of momentum."""
    simulation = Simulation(box)
    touched = 0
    for _ in range(150):
        before = np.array(simulation.body_states()["box"]["box"].linear_velocity)
        forces = pair_forces(simulation.contact_forces())
        simulation.step()
        rate = (np.array(simulation.body_states()["box"]["box"].linear_velocity) - before) / 1e-3
        force = forces.get((("box", "box"), ("floor", "floor")), np.zeros(3))
        total = force - np.array([0.0, 0.0, 3.0 * 9.81])
        assert np.linalg.norm(3.0 * rate - total) <= 1e-6 * max(1.0, np.linalg.norm(total))
        touched += bool(force.any())
    assert touched > 50


def test_contact_forces_are_recorded_for_pairs(box: World, tmp_path: Path) -> None:
    for suffix in (".json", ".csv", ".npz", ".usdf"):
        file = tmp_path / f"run{suffix}"
        kept = Simulation(box).run(0.12, sample=0.02, record=file, forces=True)
        recorded = kept.contacts["box"]["box on floor:floor"]["force"]
        assert recorded.shape == (7, 3)
        assert recorded[-1, 2] > 1.0
        columns, rows = table_of(file)
        at = [columns.index(f"box/box on floor:floor.contact_force[{axis}]") for axis in range(3)]
        assert rows[:, at].tolist() == recorded.tolist()


def table_of(file: Path) -> tuple[list[str], Vector]:
    """Return names of columns and samples of a recording."""
    from ossature.recordings import open_recording

    recording = open_recording(file, Report())
    return recording.header.columns.labels, recording.table()


def test_trees_are_recorded_without_forces_unless_asked(box: World) -> None:
    plain, asked = Simulation(box).run(0.02, sample=0.01), Simulation(box).run(0.02, sample=0.01, forces=True)
    assert not plain.contacts and not plain.reactions
    assert asked.contacts
    assert plain.qpos.tolist() == asked.qpos.tolist()


LINKAGE_WITH_ROD = """
chrono-version: 10.0
model:
  name: m
  bodies:
    - {name: ground, location: [0, 0, 0], fixed: true}
    - {name: crank, location: [0, 0, 0.5], mass: 2.0, inertia: {moments: [1, 1, 1], products: [0, 0, 0]}}
    - {name: coupler, location: [0.8, 0, 1.1], mass: 1.0, inertia: {moments: [1, 1, 1], products: [0, 0, 0]}}
    - {name: rocker, location: [1.6, 0, 0.6], mass: 1.0, inertia: {moments: [1, 1, 1], products: [0, 0, 0]}}
    - {name: flap, location: [0, 1, 0.5], mass: 1.0, inertia: {moments: [1, 1, 1], products: [0, 0, 0]}}
  joints:
    - {name: a, type: REVOLUTE, body1: crank, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}
    - {name: b, type: REVOLUTE, body1: coupler, body2: crank, location: [0, 0, 1], axis: [0, 1, 0]}
    - {name: c, type: REVOLUTE, body1: rocker, body2: coupler, location: [1.6, 0, 1.2], axis: [0, 1, 0]}
    - {name: d, type: REVOLUTE, body1: rocker, body2: ground, location: [1.7, 0, 0], axis: [0, 1, 0]}
    - {name: e, type: REVOLUTE, body1: flap, body2: ground, location: [0, 1, 0], axis: [1, 0.2, 0]}
  constraints:
    - {name: rod, type: DISTANCE, body1: flap, body2: crank, point1: [0.1, 1, 0.8], point2: [0.2, 0.1, 0.9]}
"""


def test_reactions_are_not_unique_only_in_the_loop_with_redundant_constraints(report: Report) -> None:
    """The oracle: which constraints of all bodies, in maximal coordinates, have forces that balance each other."""
    oracle = MaximalCoordinates(LINKAGE_WITH_ROD)
    start = oracle._start()
    left, sizes, _ = np.linalg.svd(oracle._jacobian(start, 0.0))
    balanced = np.linalg.norm(left[:, int((sizes > 1e-9).sum()) :], axis=1)
    counts = [len(one(start, 0.0)) for one in oracle.constraints]
    shares = np.split(balanced, np.cumsum(counts)[:-1])
    expected = {f"'m/{name}'" for name, share in zip("abcde", shares, strict=False) if np.linalg.norm(share) > 1e-9}
    assert expected == {"'m/a'", "'m/b'", "'m/c'", "'m/d'"}
    simulation = Simulation(load(LINKAGE_WITH_ROD), report=report)
    simulation.step()
    simulation.reactions()
    (found,) = report.take("reactions-not-unique")
    assert set(found.message.partition(" among ")[2].split(", ")) == expected
