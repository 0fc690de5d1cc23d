"""MJCF that MuJoCo itself loads moves as the model does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from complete_robot import robot
from conftest import PROJECT
from dart_reference import load, skel_files
from ossature.assets import MeshStore, Resolver
from ossature.diagnostics import Action, Ledger, Report, Source
from ossature.formats.skel import read_skel
from ossature.model import DartStepping, NamedList, World
from ossature.simulation import ContactOptions, Simulation, SimulationError
from ossature.simulation.compile.contact_model import TIME_CONSTANT_STEPS
from ossature.simulation.mjcf_export import write_mjcf
from perturb import EACH, Changes

OWN_FILES = sorted([*(PROJECT / "examples").glob("*.skel"), *(PROJECT / "tests" / "skel" / "files").glob("*.skel")])
NOT_COMPARED = {
    "test/planar_joint": "it starts at its limits and moves beyond them, which MuJoCo permits for a step",
    "test/dof_attribute_test": "it starts four radians outside its limits and diverges",
}
NOTHING_TO_TELL = {
    "extensions": "taken away, and never carried",
    "all joints/refined.coordinates[0].name": "taken away, and never carried",
    "table/stand": "joint of a static model: removed",
    "table.static": "a model that is welded to the world moves no more than a static one",
}
DRIVEN = {"joints": "springs of a ball with rest positions, a free joint and a held acceleration are more than MJCF can say"}


FEWER_STEPS = {"shapes": 500, "arm": 500, "typo": 500}
"""Numbers of steps in which files move the same way.

A soft sphere that bounces on its pole, which is unstable, magnifies that MuJoCo gives each point a moment of 1e-14 kg·m².
The arm, also that with a typing error, reaches a position limit, at which joints rebound in MuJoCo: see
:func:`test_a_stop_is_passed_by_one_step_at_most`.
"""


def read(path: Path) -> World:
    world = read_skel(Source(str(path), path.read_bytes()), Report(), folder=path.parent)
    assert world is not None
    return world


def loaded(text: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    return model, data


def compare_motion(world: World, meshes: MeshStore, steps: int) -> None:
    """Compare the motion in MuJoCo with ours, where contacts are those that the file can have."""
    contact = ContactOptions(time_constant=TIME_CONSTANT_STEPS * world.time_step)
    simulation = Simulation(world, meshes=meshes, contact=contact)
    model, data = loaded(write_mjcf(world, Ledger(), meshes=meshes, report=Report()))
    np.testing.assert_array_equal(data.qpos, simulation.data.qpos)
    simulation.step(steps)
    mujoco.mj_step(model, data, nstep=steps)
    np.testing.assert_allclose(data.qpos, simulation.data.qpos, atol=1e-9)
    mujoco.mj_kinematics(model, data)
    for bodies in simulation.compiled.index.bodies.values():
        for index in bodies.values():
            name = simulation.compiled.model.body(index.number).name
            np.testing.assert_allclose(
                data.body(name).xpos, simulation.poses()[index.model.name][index.body.name].position, atol=1e-9
            )


@pytest.mark.parametrize("path", [path for path in OWN_FILES if path.stem not in DRIVEN], ids=lambda path: path.stem)
def test_own_files_move_the_same_way(path: Path) -> None:
    compare_motion(read(path), MeshStore(Resolver(folder=path.parent)), FEWER_STEPS.get(path.stem, 1000))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [name for name in skel_files() if name not in NOT_COMPARED])
def test_the_corpus_moves_the_same_way(corpus: Path, name: str) -> None:
    folder = (corpus / "corpus" / "skel" / name).parent
    compare_motion(load(corpus, name), MeshStore(Resolver(folder=folder)), 50)


def test_a_stop_is_passed_by_one_step_at_most() -> None:
    """In MuJoCo joints pass their limits and return with up to 2 % of their speed; in Ossature they stop at them."""
    world = read(PROJECT / "examples" / "arm.skel")
    model, data = loaded(write_mjcf(world, Ledger(), meshes=MeshStore(), report=Report()))
    simulation = Simulation(world)
    limited, largest_excess, displacement = np.flatnonzero(model.jnt_limited), 0.0, 0.0
    lower, upper = model.jnt_range[limited].T
    for _ in range(1000):
        displacement = max(displacement, np.abs(data.qvel).max() * world.time_step)
        simulation.step()
        mujoco.mj_step(model, data)
        positions = np.array([each.qpos[model.jnt_qposadr[limited]] for each in (data, simulation.data)])
        excess, own_excess = np.maximum(lower - positions, positions - upper).max(axis=1)
        assert excess < 1.1 * displacement
        assert own_excess < 1e-5
        largest_excess = max(largest_excess, excess)
    assert largest_excess > 1e-3


@EACH
def test_every_field_changes_the_file_or_is_in_the_ledger(changes: Changes) -> None:
    """A changed field changes the file or has a ledger entry."""
    lost: list[str] = []
    files = (PROJECT / "examples" / "arm.skel", PROJECT / "tests" / "skel" / "files" / "joints.skel")
    worlds = (*map(read, files), robot())
    for number, world in enumerate(worlds):
        told = Ledger()
        before = write_mjcf(world, told, meshes=MeshStore(), report=Report())
        for where, changed in changes(world, *worlds[:number]):
            ledger = Ledger()
            try:
                text = write_mjcf(changed, ledger, meshes=MeshStore(), report=Report())
            except SimulationError:
                continue  # a changed inertia or name can make a World that cannot be simulated
            if where.endswith(".name"):
                renamed = f"{where.removesuffix('.name')} changed"
                where = next((entry.path for entry in ledger if entry.path.startswith(renamed)), where)
            # What is taken away can only have been told of before.
            dropped = [entry.path for entry in told if entry.action is Action.DROPPED]
            was_dropped = any(path == where or path.startswith(f"{where}[") or where.startswith(f"{path}.") for path in dropped)
            if text == before and not (ledger.covers(where) or was_dropped or where in NOTHING_TO_TELL):
                lost.append(where)
    assert not lost, "\n".join(lost)


def test_triangles_and_ignored_pairs_of_a_robot() -> None:
    ledger = Ledger()
    model, _ = loaded(write_mjcf(robot(), ledger, meshes=MeshStore(), report=Report()))
    assert model.nmesh == 1
    np.testing.assert_array_equal(np.sort(np.linalg.norm(model.mesh_vert, axis=1)), np.full(4, np.float32(0.1 * 3.0**0.5)))
    excluded = {
        tuple(sorted(model.body(number).name for number in (pair >> 16, pair & 0xFFFF))) for pair in model.exclude_signature
    }
    assert ("base", "hand") in excluded
    lines = "\n".join(ledger.lines())
    assert "rewritten: arm.ignored_pairs" in lines
    assert "rewritten: arm/base.collisions[0]" in lines


def test_a_grasped_body_becomes_a_child_of_the_gripper() -> None:
    ledger = Ledger()
    model, _ = loaded(write_mjcf(robot(), ledger, meshes=MeshStore(), report=Report()))
    assert model.body(model.body("ball").parentid[0]).name == "hand"
    assert "rewritten: grasps[0]: the grasped body is a child of the gripper; MJCF cannot release it" in ledger.lines()
    models = [replace(model, actuators=NamedList()) for model in robot().models]
    compare_motion(replace(robot(), models=NamedList(models), hints=(DartStepping(),)), MeshStore(), 100)


def test_the_ledger_of_the_arm() -> None:
    ledger = Ledger()
    write_mjcf(read(PROJECT / "examples" / "arm.skel"), ledger, meshes=MeshStore(), report=Report())
    lines = "\n".join(ledger.lines())
    assert "approximated: arm/grip.actuation" in lines
    assert "rewritten: arm/hand.frames: sites" in lines
    assert not ledger.lossless
