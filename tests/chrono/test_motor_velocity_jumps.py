"""Motors whose prescribed velocity jumps: the impulse does work within a step."""

from __future__ import annotations

from pathlib import Path

import pytest

import ossature
from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import SampledSignal, Simulation
from ossature.simulation.stepping import leapfrog_stepper

MASS = 3.0
"""Of the driven body and the pendulum that it carries along the axis of its hinge [kg]."""
MECHANISM = """
chrono-version: 10.0
model:
  name: m
  bodies:
    - {name: ground, fixed: true, location: [0, 0, 0]}
    - {name: driven, location: [0, 0, 0], mass: 2.0, inertia: {moments: [0.05, 0.05, 0.05]}}
    - {name: pendulum, location: [0, 0, -0.3], mass: 1.0, inertia: {moments: [0.01, 0.01, 0.01]}}
  joints:
    - {name: hinge, type: REVOLUTE, body1: driven, body2: pendulum, location: [0, 0, 0], axis: [0, 1, 0]}
  motors:
    - {name: motor, type: LINEAR, body1: driven, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], actuation_type: SPEED,
       actuation_function: {type: DATA, data: POINTS}}
"""

STIFF_MECHANISM = text(
    GROUND,
    body("b"),
    body("light", "[1, 0, 0]", mass=0.01),
    joints="- {name: slide, type: PRISMATIC, body1: light, body2: ground, location: [1, 0, 0], axis: [1, 0, 0]}",
    tsdas="""\
- {name: tsda, body1: ground, body2: light, point1: [0, 0, 0], point2: [1, 0, 0], free_length: 1, spring_coefficient: STIFFNESS}
- {name: soft, body1: ground, body2: b, point1: [0, -1, 0], point2: [0, 0, 0], free_length: 2, spring_coefficient: 1000}""",
    motors="""\
- {name: motor, type: LINEAR, body1: b, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], actuation_type: SPEED,
   actuation_function: {type: CONSTANT, value: 1.2}}""",
)


def mechanism(folder: Path, before: float, after: float, jump: float, duration: float, more: str = "") -> World:
    """Return a driven body whose prescribed velocity changes at a time, within a duration [s]; with more lists."""
    points = [[0.0, before], [jump, before], [jump + duration, after], [100.0, after]]
    path = folder / "m.yaml"
    path.write_text(MECHANISM.replace("POINTS", str(points if jump else points[1:])) + more)
    return ossature.load(path)


def gained(before: float, after: float) -> float:
    return 0.5 * MASS * (after**2 - before**2)


@pytest.fixture(params=["compiled", "python"])
def _loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "python":
        monkeypatch.setattr(leapfrog_stepper, "make_compiled_loop", lambda *_: None)


@pytest.mark.usefixtures("_loop")
@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler"])
@pytest.mark.parametrize("sub_steps", [True, False])
@pytest.mark.parametrize("jump", [0.0, 0.1, 0.1504])
@pytest.mark.parametrize(("before", "after"), [(0.0, 1.5), (-0.7, 1.5), (1.2, 0.0)])
def test_the_work_of_a_velocity_jump_is_the_kinetic_energy(
    report: Report, tmp_path: Path, integrator: str, sub_steps: bool, jump: float, before: float, after: float
) -> None:
    world = mechanism(tmp_path, before, after, jump, 1e-9)
    simulation = Simulation(world, report=report, time_step=1e-3, integrator=integrator, sub_steps=sub_steps)
    simulation.run(0.4)
    energy = simulation.diagnostics.energy
    assert energy.supplied == pytest.approx(gained(before, after), abs=1e-4)
    assert energy.change == pytest.approx(gained(before, after), abs=1e-4)
    report.take("tolerance-not-met")  # of the rates just after the jump, without sub-steps


@pytest.mark.usefixtures("_loop")
@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler", "semi-implicit-euler"])
@pytest.mark.parametrize("sub_steps", [True, False])
@pytest.mark.parametrize("jump", [0.0, 0.1])
@pytest.mark.parametrize("before", [0.0, -0.7, 1.2])
def test_samples_have_the_velocity_after_a_jump(
    report: Report, tmp_path: Path, integrator: str, sub_steps: bool, jump: float, before: float
) -> None:
    world = mechanism(tmp_path, before, 1.5, jump, 1e-9)
    simulation = Simulation(world, report=report, time_step=1e-3, integrator=integrator, sub_steps=sub_steps)
    recording = simulation.run(jump + 0.006, 1e-3)
    count = round(jump / 1e-3)
    expected = [*[before] * (count + 1), *[1.5] * (len(recording.times) - count - 1)]
    for name in ("driven", "pendulum"):
        velocities = [recording.body("m", name, sample).linear_velocity[1] for sample in range(len(expected))]
        assert velocities == pytest.approx(expected, abs=2e-3)
    report.take("tolerance-not-met")


@pytest.mark.usefixtures("_loop")
@pytest.mark.parametrize("sub_steps", [True, False])
@pytest.mark.parametrize("jump", [0.02, 0.0204])
@pytest.mark.parametrize("before", [0.0, -0.7])
def test_forces_of_samples_are_those_of_the_velocities_after_a_jump(
    report: Report, tmp_path: Path, sub_steps: bool, jump: float, before: float
) -> None:
    damper = """  tsdas:
    - {name: damper, body1: ground, body2: driven, point1: [0, -1, 0], point2: [0, 0, 0], free_length: 1,
       spring_coefficient: 0, damping_coefficient: 40}
"""
    world = mechanism(tmp_path, before, 1.5, jump, 1e-9, damper)
    simulation = Simulation(world, report=report, time_step=1e-3, sub_steps=sub_steps)
    recording = simulation.run(0.026, 1e-3)
    velocities = [recording.body("m", "driven", sample).linear_velocity[1] for sample in range(len(recording.times))]
    forces = recording.elements["m"]["damper"]["force"]
    assert forces == pytest.approx([-40.0 * velocity for velocity in velocities], abs=0.1)
    report.take("tolerance-not-met")


@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler"])
@pytest.mark.parametrize("command", [1.5, SampledSignal([0.0, 0.05, 0.05 + 1e-9, 1.0], [0.0, 0.0, 1.5, 1.5])])
def test_samples_have_the_commanded_velocity(
    report: Report, tmp_path: Path, integrator: str, command: float | SampledSignal
) -> None:
    simulation = Simulation(mechanism(tmp_path, 0.0, 0.0, 0.0, 1e-9), report=report, time_step=1e-3, integrator=integrator)
    simulation.run(0.05)
    simulation.command("m", "motor", command)
    recording = simulation.run(0.006, 1e-3)
    for name in ("driven", "pendulum"):
        velocities = [recording.body("m", name, sample).linear_velocity[1] for sample in range(7)]
        assert velocities == pytest.approx([0.0, *[1.5] * 6], abs=2e-3)
    assert simulation.diagnostics.energy.supplied == pytest.approx(gained(0.0, 1.5), abs=1e-4)


@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler"])
@pytest.mark.parametrize("steps", [1, 2, 3, 101, 102, 103])
@pytest.mark.parametrize("jump", [0.0, 0.1, 0.1004])
@pytest.mark.parametrize("duration", [1e-9, 3e-4, 2e-3])
def test_a_run_that_ends_beside_a_velocity_jump_gains_no_energy(
    report: Report, tmp_path: Path, integrator: str, steps: int, jump: float, duration: float
) -> None:
    world = mechanism(tmp_path, -0.7, 1.5, jump, duration)
    simulation = Simulation(world, report=report, time_step=1e-3, integrator=integrator)
    simulation.run(1e-3 * steps)


@pytest.mark.parametrize("stiffness", [10.0, 4e4, 4e5])
def test_the_work_of_a_start_with_sub_steps_is_the_change_of_energy(report: Report, stiffness: float) -> None:
    """A motor moves a body at once against a loaded spring, while another spring needs sub-steps from the first step on."""
    content = STIFF_MECHANISM.replace("STIFFNESS", str(stiffness))
    simulation = Simulation(read(content), report=report, time_step=1e-3)
    simulation.run(0.05)
    energy = simulation.diagnostics.energy
    assert energy.supplied == pytest.approx(energy.change, rel=1e-6)


@pytest.mark.parametrize("jump", [0.0, 0.1])
def test_energy_that_no_motor_supplied_is_found_beside_a_velocity_jump(report: Report, tmp_path: Path, jump: float) -> None:
    simulation = Simulation(mechanism(tmp_path, 0.0, 1.5, jump, 1e-9), report=report, time_step=1e-3)

    def push() -> None:
        simulation.data.qvel[-1] += 4.0
        simulation.engine.restore_commands()

    simulation.schedule(0.12, push)
    simulation.run(0.4)
    (finding,) = report.take("energy-gained")
    # Half the rate squared times the inertia of the pendulum about its hinge.
    assert simulation.diagnostics.energy.gain == pytest.approx(0.5 * (0.01 + 0.09) * 16.0, rel=1e-3), finding.message
