"""Commands of a state continue after every restart: bit-exact or not, with another time step, in another World."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import Actuation, Body, Inertial, Joint, Model, NamedList, State, World
from ossature.simulation import SampledSignal, Simulation

TABLE = SampledSignal([0.0, 0.2, 0.4, 1.0], [0.0, 2.0, -3.0, 1.0])


def world_of(actuation: Actuation, *, loaded: bool = False) -> World:
    body = Body(name="b", inertial=Inertial(mass=1.0, moment=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))))
    joint = Joint(name="j", type=m.Revolute(), parent=None, child="b", actuation=actuation)
    loads = NamedList([m.Load(name="l", body="b", kind=m.LoadKind.TORQUE, value=(0.0, 0.0, 1.0))]) if loaded else NamedList([])
    model = Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]), loads=loads)
    return World(gravity=(0.0, 0.0, 0.0), models=NamedList([model]))


def edited(state: State) -> State:
    """Return a state without the digest of its numbers, as if written by a user."""
    assert state.checkpoint is not None
    return replace(state, checkpoint=replace(state.checkpoint, plain="edited"))


def angle(simulation: Simulation) -> float:
    return simulation.positions()["m"]["j"][0]


RESTARTS: dict[str, tuple[Callable[[State], State], dict[str, float]]] = {
    "edited": (edited, {}),
    "another step": (lambda state: state, {"time_step": 5e-4}),
}


@pytest.mark.parametrize("restart", RESTARTS)
@pytest.mark.parametrize("actuation", [Actuation.FORCE, Actuation.VELOCITY, Actuation.ACCELERATION])
def test_a_table_continues(restart: str, actuation: Actuation, report: Report) -> None:
    change, options = RESTARTS[restart]
    whole, second = Simulation(world_of(actuation), report=report), Simulation(world_of(actuation), report=report, **options)
    whole.command("m", "j", TABLE)
    whole.run(0.3)
    second.restore(change(whole.state()))
    assert report.take("approximate-restart")
    whole.run(0.9)
    second.run(0.9)
    assert angle(second) == pytest.approx(angle(whole), abs=2e-3)
    # A torque that stayed as it was at the restart would have turned it by much more than that.
    assert abs(angle(whole)) > 0.05


def test_a_load_continues(report: Report) -> None:
    world = world_of(Actuation.FORCE, loaded=True)
    whole, second = Simulation(world, report=report), Simulation(world, report=report)
    whole.command("m", "l", TABLE)
    whole.run(0.3)
    second.restore(edited(whole.state()))
    assert report.take("approximate-restart")
    whole.run(0.9)
    second.run(0.9)
    assert angle(second) == pytest.approx(angle(whole), abs=2e-3)


def test_edited_efforts_replace_the_command(report: Report) -> None:
    simulation, second = (Simulation(world_of(Actuation.FORCE), report=report) for _ in range(2))
    simulation.command("m", "j", TABLE)
    simulation.run(0.3)
    state = simulation.state()
    model = state.models["m"]
    joints = NamedList([replace(joint, efforts=(4.0,), velocities=(0.0,), positions=(0.0,)) for joint in model.joints])
    links = NamedList([replace(link, pose=None, twist=None) for link in model.links])
    second.restore(replace(state, models=NamedList([replace(model, joints=joints, links=links)])))
    assert report.take("approximate-restart")
    second.run(0.5)
    assert angle(second) == pytest.approx(0.5 * 4.0 * 0.5**2, rel=5e-3)


def test_commands_of_unknown_elements_are_ignored(report: Report) -> None:
    simulation = Simulation(world_of(Actuation.FORCE), report=report)
    simulation.command("m", "j", TABLE)
    simulation.run(0.3)
    # In the other World the joint is a ball, which one number over time commands in no way.
    world = world_of(Actuation.FORCE)
    joint = replace(world.models["m"].joints["j"], type=m.Spherical(), coordinates=())
    world = replace(world, models=NamedList([replace(world.models["m"], joints=NamedList([joint]))]))
    other = Simulation(world, report=report)
    other.restore(simulation.state(), partial=True)
    assert report.take("approximate-restart")
    other.run(0.1)
    assert np.isfinite(other.positions()["m"]["j"]).all()


def test_a_function_of_time_that_is_not_given_again_leaves_its_effort(report: Report) -> None:
    simulation, second = (Simulation(world_of(Actuation.FORCE), report=report) for _ in range(2))
    simulation.command("m", "j", lambda time: 2.0 + time)
    simulation.run(0.5)
    rate = simulation.velocities()["m"]["j"][0]
    second.restore(simulation.state(), partial=True)
    (finding,) = report.take("approximate-restart")
    assert "function of time" in finding.message
    second.run(0.4)
    assert second.velocities()["m"]["j"][0] == pytest.approx(rate + 0.4 * 2.5, rel=1e-3)


def test_a_commanded_motor_continues_at_the_target_of_its_table() -> None:
    """The state has no residual: the target of the table is that of the present time."""
    world = world_of(Actuation.FORCE)
    motor = m.Motor(name="t", body1="b", body2=None, guide=m.MotorKinematics.REVOLUTE, drive=m.DriveMode.POSITION)
    model = replace(world.models["m"], joints=NamedList([]), motors=NamedList([motor]))
    world, report = replace(world, models=NamedList([model])), Report()
    whole, second = Simulation(world, report=Report()), Simulation(world, report=report, time_step=5e-4)
    whole.command("m", "t", SampledSignal([0.0, 2.0], [0.0, 2.0]))
    whole.run(0.5)
    second.restore(whole.state())
    assert [finding.rule.name for finding in report] == ["approximate-restart"]
    for simulation in (whole, second):
        simulation.run(0.5)
    turned = [simulation.body_states()["m"]["b"].wxyz for simulation in (whole, second)]
    assert turned[1] == pytest.approx(turned[0], abs=1e-6)
