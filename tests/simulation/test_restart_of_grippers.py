"""Runs that are interrupted while a gripper closes, presses or opens continue bit-exactly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from test_gripper_control import COORDINATE, hand, thing
from test_restart import same_bits, through_text

import ossature
from conftest import PROJECT
from ossature.diagnostics import Report
from ossature.io import load_state, save_state
from ossature.model import Actuation, CheckpointArray, DartStepping, Model, NamedList, Range, State, World
from ossature.model.state_compatibility import StateMismatchError
from ossature.simulation import Simulation
from state_digits import digits_of

UNLIMITED = replace(COORDINATE, effort_limits=Range())
GRIPPERS = {
    "force": hand(Actuation.FORCE),
    "velocity": hand(Actuation.VELOCITY),
    "servo": hand(Actuation.SERVO),
    "strong servo": hand(Actuation.SERVO, UNLIMITED),
}
CLOSING, OPENING = 50, 700
CUTS = (20, 50, 200, 420, 430, 701, 900, 1250)
"""Before it closes, when it does, halfway, about when it meets the thing, in contact, opening, and at the limit."""


def scheduled(simulation: Simulation) -> Simulation:
    """Let a simulation close and open its gripper, as far as that is still to come."""
    gripper = simulation.grippers["hand"]
    for step, action in ((CLOSING, gripper.close), (OPENING, gripper.open)):
        time = step * simulation.time_step
        if time > simulation.time - 0.5 * simulation.time_step:
            simulation.schedule(time, action)
    return simulation


def cut_states(world: World, total: int) -> tuple[Simulation, list[State]]:
    """Run a World, looking at its state now and then, which changes nothing; return the state at the end too."""
    simulation, states, done = scheduled(Simulation(world)), [], 0
    for cut in CUTS:
        simulation.step(cut - done)
        states.append(through_text(simulation.state()))
        done = cut
    simulation.step(total - done)
    return simulation, [*states, through_text(simulation.state())]


@pytest.mark.parametrize(
    ("gripper", "as_dart", "things"),
    [
        pytest.param(
            gripper,
            as_dart,
            (thing(),) * touches,
            id=f"{name}, {'as DART, ' * as_dart}{'in contact' if touches else 'to the limit'}",
            # In contact as the engine does it, and to the limit as DART does it.
            marks=[pytest.mark.slow] * (name == "strong servo" or touches == as_dart),
        )
        for name, gripper in GRIPPERS.items()
        for as_dart in (True, False)
        for touches in (False, True)
    ],
)
def test_grippers_continue(gripper: Model, as_dart: bool, things: tuple[Model, ...]) -> None:
    world = World(models=NamedList([gripper, *things]), hints=(DartStepping(),) if as_dart else (), gravity=(0.0, 0.0, 0.0))
    whole = scheduled(Simulation(world))
    whole.step(1300)
    looked_at, states = cut_states(world, 1300)
    assert same_bits(whole, looked_at)
    ends = (*CUTS, 1300)
    for number, cut in enumerate(CUTS):
        state, end, later = states[number], *[each[min(number + 2, len(CUTS))] for each in (ends, states)]
        report = Report()
        second = Simulation(world, report=report)
        second.restore(state)
        scheduled(second).step(end - cut)
        assert not report.take("approximate-restart")
        assert digits_of(through_text(second.state())) == digits_of(later), cut


@pytest.mark.parametrize("name", ["force", "velocity"])
def test_a_gripper_continues_after_a_grasp(name: str) -> None:
    world = World(models=NamedList([GRIPPERS[name], thing()]), gravity=(0.0, 0.0, 0.0))
    whole, second = Simulation(world), Simulation(world)
    whole.grippers["hand"].close()
    whole.step(300)
    whole.grasp("palm", "thing", ignored_bodies=["left", "right"])
    whole.step(20)
    second.restore(through_text(whole.state()))
    whole.step(400)
    second.step(400)
    assert same_bits(whole, second)


def test_a_simulation_returns_to_a_closing_gripper() -> None:
    simulation = Simulation(World(models=NamedList([hand(), thing()]), gravity=(0.0, 0.0, 0.0)))
    simulation.grippers["hand"].close()
    simulation.step(430)
    state = simulation.state()
    simulation.step(100)
    after = simulation.state()
    simulation.grippers["hand"].open()
    simulation.step(50)
    simulation.restore(state)
    simulation.step(100)
    assert simulation.state() == after


def test_samples_do_not_change_a_closing_gripper() -> None:
    world = World(models=NamedList([hand(Actuation.VELOCITY), thing()]), gravity=(0.0, 0.0, 0.0))
    plain, sampled = Simulation(world), Simulation(world)
    for simulation in (plain, sampled):
        simulation.grippers["hand"].close()
    plain.step(600)
    sampled.run(0.6, 0.005)
    assert same_bits(plain, sampled)


def test_the_example_continues_from_a_file(tmp_path: Path) -> None:
    world = ossature.load(PROJECT / "examples" / "picker.dae")
    whole, second = Simulation(world), Simulation(world)
    whole.grippers["arm"].close()
    whole.step(150)
    save_state(whole.state(), tmp_path / "half.usdf")
    state = load_state(tmp_path / "half.usdf")
    assert state is not None
    second.restore(state)
    whole.step(150)
    second.step(150)
    assert same_bits(whole, second)


def test_fingers_of_another_joint_are_refused() -> None:
    world = World(models=NamedList([hand()]))
    first, second = Simulation(world), Simulation(world)
    first.grippers["hand"].close()
    state, before = first.state(), second.state()
    assert state.checkpoint is not None
    odd = CheckpointArray(name="driving/hand:left_slide/command/ways", values=(7.0, -1.0, 0.0, 0.2, 2.0))
    arrays = tuple([odd if array.name == odd.name else array for array in state.checkpoint.arrays])
    assert odd in arrays
    with pytest.raises(StateMismatchError, match="coordinates that the joint does not have"):
        second.restore(replace(state, checkpoint=replace(state.checkpoint, arrays=arrays)))
    assert second.state() == before
