"""A state without a checkpoint is restored to the precision of its numbers, including closed loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ossature
from conftest import PROJECT, corpus_folder
from ossature.model import Joint, NamedList, State, World
from ossature.simulation import Simulation

SLIDER_CRANK = PROJECT / "examples" / "slider_crank.yaml"
FILES = (SLIDER_CRANK, *(PROJECT / "tests" / "chrono" / "files" / name for name in ("everything.yaml", "run.yaml")))
DURATION = 0.3


def files_of_corpus() -> list[Path]:
    folder = corpus_folder()
    found = [] if folder is None else sorted((folder / "corpus").glob("chrono*/*.yaml"))
    return [path for path in found if not path.name.startswith("solver")]  # those are no models


def undriven() -> World:
    """Return a slider-crank that swings freely under gravity."""
    world = ossature.load(SLIDER_CRANK)
    model = world.models[0]
    (motor,) = model.motors
    assert motor.joint_type is not None
    axle = Joint(name="axle", type=motor.joint_type, parent=motor.body2, child=motor.body1, pose=motor.pose)
    return replace(world, models=NamedList([replace(model, motors=NamedList(), joints=NamedList([*model.joints, axle]))]))


def values(simulation: Simulation) -> np.ndarray:
    rates = [rate for joints in simulation.velocities().values() for joint in joints.values() for rate in joint]
    return np.array([*rates, *simulation.energy()])


def restored_alike(world: World, joints: Sequence[str] | None = None) -> None:
    """Compare joint velocities and energy; the residual of loops after a step defines the precision.

    Args:
        world: The World.
        joints: The joints that the state speaks of alone, or None where it is whole.
    """
    simulation, second = Simulation(world), Simulation(world)
    simulation.step(round(DURATION / simulation.time_step))
    state = replace(simulation.state(), checkpoint=None)
    second.restore(state if joints is None else of_joints_alone(state, joints))
    assert second.report.take("approximate-restart")
    tolerance = 1e-9 + 4.0 * simulation.engine.observe().violation
    before = values(simulation)
    np.testing.assert_allclose(values(second), before, rtol=tolerance, atol=tolerance * np.abs(before).max())


def of_joints_alone(state: State, names: Sequence[str]) -> State:
    (model,) = state.models
    joints = NamedList([joint for joint in model.joints if joint.name in names])
    return replace(state, models=NamedList([replace(model, links=NamedList(), joints=joints)]))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_mechanisms(path: Path) -> None:
    restored_alike(ossature.load(path))


@pytest.mark.corpus
@pytest.mark.parametrize("path", files_of_corpus(), ids=lambda path: path.name)
def test_mechanisms_of_the_corpus(path: Path) -> None:
    restored_alike(ossature.load(path))


def test_an_undriven_loop() -> None:
    restored_alike(undriven())


@pytest.mark.parametrize("joints", [("axle",), ("axle", "pin", "wrist", "guide")], ids=str)
def test_joint_states_alone_determine_the_whole_loop(joints: Sequence[str]) -> None:
    restored_alike(undriven(), joints)


def test_unreachable_joint_states_are_reported() -> None:
    simulation = Simulation(undriven())
    state = of_joints_alone(replace(simulation.state(), checkpoint=None), ("guide",))
    (model,) = state.models
    far = NamedList([replace(joint, positions=(5.0,)) for joint in model.joints])
    simulation.restore(replace(state, models=NamedList([replace(model, joints=far)])))
    assert "a residual of up to" in simulation.report.take("inconsistent-state")[0].message
    simulation.report.take("approximate-restart")
