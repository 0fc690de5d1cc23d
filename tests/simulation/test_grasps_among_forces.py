"""Springs, motors and bushings continue unchanged when a light body is grasped and released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from test_electric_motors import PLAIN, turning
from test_grasp_dynamics import ball
from test_restart import same_bits, through_text

import ossature
from conftest import PROJECT
from ossature.model import Body, Bushing, Model, NamedList, World
from ossature.simulation import SampledSignal, Simulation
from ossature.spatial import Pose

LIGHT = 1e-6
AGREES = 1e-6
"""Relative: what so light a thing changes."""


def with_feather(world: World, x: float) -> World:
    """Return a World with something light at a place along x."""
    body = Body(name="feather", pose=Pose((x, 0.0, 0.3)), inertial=ball(LIGHT))
    return replace(world, models=NamedList([*world.models, Model(name="air", bodies=NamedList([body]))]))


def slider_crank() -> World:
    """Return a World with a spring, a motor that follows a function of time, and a bushing."""
    world = ossature.load(PROJECT / "examples" / "slider_crank.yaml")
    stiffness, damping = (300.0, 200.0, 100.0, 1.0, 2.0, 3.0), (2.0, 2.0, 2.0, 0.1, 0.1, 0.1)
    rubber = Bushing(name="rubber", body1="slider", body2="rod", pose=Pose(), stiffness=stiffness, damping=damping)
    return with_feather(replace(world, models=NamedList([replace(world.models[0], bushings=NamedList([rubber]))])), 1.2)


def electric(quantity: str) -> tuple[World, Callable[[Simulation], None]]:
    table = SampledSignal([0.0, 0.05, 0.4], [0.0, 0.5, -0.25])
    return with_feather(turning(PLAIN), 0.1), lambda simulation: simulation.command("m", f"drive:{quantity}", table)


CASES: dict[str, tuple[World, Callable[[Simulation], None], str]] = {
    "slider crank": (slider_crank(), lambda simulation: None, "slider crank/slider"),
    **{quantity: (*electric(quantity), "m/wheel") for quantity in ("voltage", "torque", "velocity", "position")},
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[World, Callable[[Simulation], None], str]:
    return CASES[request.param]


def begun(world: World, command: Callable[[Simulation], None]) -> Simulation:
    simulation = Simulation(world)
    command(simulation)
    simulation.step(60)
    return simulation


def quantities(simulation: Simulation, *, settled: bool) -> np.ndarray:
    """Return quantities of elements, positions and velocities; the torque of a driven joint only after it has settled."""
    values = [simulation.elements(), {"joints": simulation.positions()}, {"joints": simulation.velocities()}]
    values = [
        np.ravel(value)
        for group in values
        for elements in group.values()
        for element in elements.values()
        for name, value in (element.items() if isinstance(element, dict) else [("", element)])
        if settled or name != "torque"
    ]
    return np.concatenate(values)


def agree(first: Simulation, second: Simulation, *, settled: bool = True) -> bool:
    one, other = quantities(first, settled=settled), quantities(second, settled=settled)
    return bool(np.abs(one - other).max() <= AGREES * np.abs(other).max())


def test_forces_continue_unchanged(case: tuple[World, Callable[[Simulation], None], str]) -> None:
    world, command, gripper_body = case
    alone, holding = begun(world, command), begun(world, command)
    # A command restarts a staggered integrator, like a grasp.
    alone.engine.restore_commands()
    holding.grasp(gripper_body, "air/feather")
    assert agree(holding, alone, settled=False)
    for _ in range(2):
        alone.step(20)
        holding.step(20)
        assert agree(holding, alone)
    alone.engine.restore_commands()
    holding.release("air/feather")
    assert agree(holding, alone, settled=False)
    alone.step(20)
    holding.step(20)
    assert agree(holding, alone)


def test_restarts_are_bit_exact_during_and_after_a_grasp(case: tuple[World, Callable[[Simulation], None], str]) -> None:
    world, command, gripper_body = case
    whole = begun(world, command)
    whole.grasp(gripper_body, "air/feather")
    for act in (lambda _: None, lambda simulation: simulation.release("air/feather")):
        act(whole)
        whole.step(30)
        second = Simulation(world)
        second.restore(through_text(whole.state()))
        assert not second.report.take("approximate-restart")
        whole.step(50)
        second.step(50)
        assert same_bits(whole, second)
