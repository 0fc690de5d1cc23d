"""Motors whose prescribed velocity jumps: the impulse does work within a step."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
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

ARM, LENGTH, PENDULUM_MASS, MOMENT, GRAVITY = 0.5, 0.3, 1.0, 0.01, 9.8
"""Of a driven arm, and of the pendulum at its end: its length, mass and moment of inertia [m, m, kg, kg·m², m/s²]."""
DRIVEN_PENDULUM = f"""
chrono-version: 10.0
model:
  name: m
  bodies:
    - {{name: ground, fixed: true, location: [0, 0, 0]}}
    - {{name: arm, location: [0.25, 0, 0], mass: 2.0, inertia: {{moments: [0.05, 0.05, 0.05]}}}}
    - {{name: pendulum, location: [{ARM}, 0, -{LENGTH}], mass: {PENDULUM_MASS},
       inertia: {{moments: [{MOMENT}, {MOMENT}, {MOMENT}]}}}}
  joints:
    - {{name: hinge, type: REVOLUTE, body1: arm, body2: pendulum, location: [{ARM}, 0, 0], axis: [0, 1, 0]}}
  motors:
    - {{name: motor, type: ROTATION, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, -1, 0], actuation_type: DRIVE,
       actuation_function: {{type: DATA, data: POINTS}}}}
"""
FOUR_BAR = """
chrono-version: 10.0
model:
  name: m
  bodies:
    - {name: ground, fixed: true, location: [0, 0, 0]}
    - {name: crank, location: [0.1, 0, 0], mass: 1, inertia: {moments: [0.01, 0.01, 0.01]}}
    - {name: coupler, location: [0.4, 0.2, 0], mass: 1, inertia: {moments: [0.01, 0.03, 0.03]}}
    - {name: rocker, location: [0.6, 0.2, 0], mass: 1, inertia: {moments: [0.02, 0.01, 0.02]}}
    - {name: pendulum, location: [0.4, 0.0, 0], mass: 0.7, inertia: {moments: [0.01, 0.01, 0.01]}}
  joints:
    - {name: a, type: REVOLUTE, body1: crank, body2: coupler, location: [0.2, 0, 0], axis: [0, 0, 1]}
    - {name: b, type: REVOLUTE, body1: coupler, body2: rocker, location: [0.6, 0.4, 0], axis: [0, 0, 1]}
    - {name: c, type: REVOLUTE, body1: rocker, body2: ground, location: [0.6, 0, 0], axis: [0, 0, 1]}
    - {name: p, type: REVOLUTE, body1: coupler, body2: pendulum, location: [0.4, 0.2, 0], axis: [0, 0, 1]}
  motors:
    - {name: motor, type: ROTATION, body1: crank, body2: ground, location: [0, 0, 0], axis: [0, 0, 1], actuation_type: DRIVE,
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


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("_loop")
@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler"])
@pytest.mark.parametrize("sub_steps", [True, False])
@pytest.mark.parametrize("jump", [0.0, 0.05, 0.0504])
@pytest.mark.parametrize(("before", "after"), [(0.0, 1.5), (-0.7, 1.5), (1.2, 0.0)])
def test_the_work_of_a_velocity_jump_is_the_kinetic_energy(
    report: Report, tmp_path: Path, integrator: str, sub_steps: bool, jump: float, before: float, after: float
) -> None:
    world = mechanism(tmp_path, before, after, jump, 1e-9)
    simulation = Simulation(world, report=report, time_step=1e-3, integrator=integrator, sub_steps=sub_steps)
    simulation.run(0.2)
    energy = simulation.diagnostics.energy
    assert energy.supplied == pytest.approx(gained(before, after), abs=1e-4)
    assert energy.change == pytest.approx(gained(before, after), abs=1e-4)
    report.take("tolerance-not-met")  # of the rates just after the jump, without sub-steps


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("_loop")
@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler", "semi-implicit-euler"])
@pytest.mark.parametrize("sub_steps", [True, False])
@pytest.mark.parametrize("jump", [0.0, 0.02])
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


@pytest.mark.one_in(2)
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


@pytest.mark.one_in(4)
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


def pendulum_position(before: float, after: float, jump: float, end: float) -> np.ndarray:
    """Return where the pendulum is at a time [m] if the speed of the arm jumps once."""
    return pendulum_position_after(((0.0, before), (jump, after)), end)


@cache
def pendulum_position_after(speeds: tuple[tuple[float, float], ...], end: float) -> np.ndarray:
    """Return where the pendulum is at a time [m]: Runge-Kutta steps of its equation of motion, and the impulses of its hinge.

    Args:
        speeds: Times, from zero on, and the speed of the arm from each on.

    The angle of the arm increases from the x to the z axis, and that of the pendulum from the negative z to the x axis.
    """
    inertia = MOMENT + PENDULUM_MASS * LENGTH**2

    def moment(angle: float, force: np.ndarray) -> float:
        return LENGTH * float(force @ [math.cos(angle), math.sin(angle)])

    def rates(state: np.ndarray, arm: float, speed: float) -> np.ndarray:
        pull = -ARM * speed**2 * np.array([math.cos(arm), math.sin(arm)]) + [0.0, GRAVITY]
        return np.array([state[1], -PENDULUM_MASS * moment(state[0], pull) / inertia])

    def integrate(state: np.ndarray, arm: float, speed: float, duration: float) -> np.ndarray:
        count = math.ceil(duration / 2e-4)
        step = duration / count
        for number in range(count):
            a = arm + speed * step * number
            k1 = rates(state, a, speed)
            k2 = rates(state + 0.5 * step * k1, a + 0.5 * step * speed, speed)
            k3 = rates(state + 0.5 * step * k2, a + 0.5 * step * speed, speed)
            k4 = rates(state + step * k3, a + step * speed, speed)
            state = state + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        return state

    state, arm, before = np.zeros(2), 0.0, speeds[0][1]
    for (start, speed), stop in zip(speeds, [*(time for time, _ in speeds[1:]), end], strict=True):
        change = ARM * (speed - before) * np.array([-math.sin(arm), math.cos(arm)])
        state[1] -= PENDULUM_MASS * moment(state[0], change) / inertia
        state, arm, before = integrate(state, arm, speed, stop - start), arm + speed * (stop - start), speed
    angle = state[0]
    return np.array([ARM * math.cos(arm) + LENGTH * math.sin(angle), 0.0, ARM * math.sin(arm) - LENGTH * math.cos(angle)])


def driven_pendulum(folder: Path, points: list[list[float]], drive: str = "SPEED") -> World:
    path = folder / "m.yaml"
    path.write_text(DRIVEN_PENDULUM.replace("POINTS", str(points)).replace("DRIVE", drive))
    return ossature.load(path)


@pytest.mark.one_in(4)
@pytest.mark.usefixtures("_loop")
@pytest.mark.parametrize("jump", [0.3, 0.3004, 0.30099])
@pytest.mark.parametrize(("before", "after"), [(0.0, 3.0), (-2.0, 4.0)])
@pytest.mark.parametrize("drive", ["SPEED", "POSITION", "command", "sampled", "function", "function of position"])
def test_the_motion_after_a_jump_is_accurate(
    report: Report, tmp_path: Path, jump: float, before: float, after: float, drive: str
) -> None:
    """Half of a step would act with forces of the wrong velocity: 0.3 to 2 mm."""
    points = [[0.0, before], [jump, before], [jump + 1e-9, after], [9.0, after]]
    positions = [[0.0, 0.0], [jump, before * jump], [9.0, before * jump + after * (9.0 - jump)]]
    is_commanded = drive in ("command", "sampled", "function")
    is_position = drive in ("POSITION", "function of position")
    world = driven_pendulum(
        tmp_path,
        [[0.0, before], [9.0, before]] if is_commanded else positions if is_position else points,
        "POSITION" if is_position else "SPEED",
    )
    simulation = Simulation(world, report=report, time_step=1e-3)
    if drive == "sampled":
        simulation.command("m", "motor", SampledSignal(*zip(*points, strict=True)))
    elif drive == "function":
        simulation.command("m", "motor", lambda time: before if time < jump else after)
    elif drive == "function of position":
        simulation.command("m", "motor", lambda time: before * min(time, jump) + after * max(time - jump, 0.0))
    elif drive == "command":
        jump = round(jump, 3)
        simulation.run(jump)
        simulation.command("m", "motor", after)
    simulation.step(round((0.8 - simulation.time) / 1e-3))
    found = simulation.poses()["m"]["pendulum"].position
    np.testing.assert_allclose(found, pendulum_position(before, after, jump, 0.8), atol=5e-6)
    energy = simulation.diagnostics.energy
    assert energy.supplied == pytest.approx(energy.change, abs=1e-3)


@pytest.mark.one_in(2)
@pytest.mark.usefixtures("_loop")
@pytest.mark.parametrize("jump", [0.3, 0.3004, 0.30099])
@pytest.mark.parametrize("drive", ["SPEED", "POSITION", "sampled"])
def test_forces_before_a_jump_are_those_of_the_motion_without_it(tmp_path: Path, jump: float, drive: str) -> None:
    """The speed rises before; the mean over the step of the jump would have some hundred times the torque."""
    speeds = [[0.0, -2.0], [1.0, 0.0]]
    before = -2.0 + 2.0 * jump
    jumping = [[0.0, -2.0], [jump, before], [jump + 1e-9, 4.0], [9.0, 4.0]]
    if drive == "POSITION":
        speeds = [[0.0, 0.0], [9.0, -18.0]]
        jumping = [[0.0, 0.0], [jump, -2.0 * jump], [9.0, -2.0 * jump + 4.0 * (9.0 - jump)]]
    found = []
    for points in (speeds, jumping):
        function = points if drive in ("SPEED", "POSITION") else speeds
        world = driven_pendulum(tmp_path, function, "POSITION" if drive == "POSITION" else "SPEED")
        simulation = Simulation(world, report=Report(), time_step=1e-3)
        if points is jumping and drive == "sampled":
            simulation.command("m", "motor", SampledSignal(*zip(*points, strict=True)))
        simulation.run(0.3)
        recording = simulation.run(0.001, 1e-3)
        columns = recording.to_columns()
        names = [name for name in columns if name.endswith("motor.torque") or ".reaction_" in name]
        assert len(names) > 6
        found.append(np.array([float(columns[name][0]) for name in names]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6, atol=1e-3)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("drive", ["function", "sampled", "commands"])
@pytest.mark.parametrize("period", [0.001, 0.002, 0.003, 0.005])
@pytest.mark.parametrize("acceleration", [10.0, 20.0, 60.0])
def test_a_controller_that_keeps_its_output_for_some_steps(
    report: Report, tmp_path: Path, acceleration: float, period: float, drive: str
) -> None:
    """Such a speed jumps by less than 100 rad/s² times the step; thousands of sub-steps were taken."""
    count = round(0.3 / period)
    speeds = tuple((number * period, acceleration * number * period) for number in range(count))
    simulation = Simulation(driven_pendulum(tmp_path, [[0.0, 0.0], [9.0, 0.0]]), report=report, time_step=1e-3)
    if drive == "function":
        simulation.command("m", "motor", lambda time: speeds[min(int(time / period + 1e-9), count - 1)][1])
    elif drive == "sampled":
        points = [point for (_, before), (time, after) in pairwise(speeds) for point in ((time - 1e-9, before), (time, after))]
        simulation.command("m", "motor", SampledSignal(*zip(*points, strict=True)))
    if drive == "commands":
        for _, speed in speeds:
            simulation.command("m", "motor", speed)
            simulation.step(round(period / 1e-3))
    else:
        simulation.step(round(count * period / 1e-3))
    found = simulation.poses()["m"]["pendulum"].position
    # Three times the tolerance of 1e-3 m or rad per second: the estimated error is not a bound.
    np.testing.assert_allclose(found, pendulum_position_after(speeds, count * period), atol=3.0 * 1e-3 * 0.3)
    record = simulation.engine.stepper.sub_steps.record
    assert record.sub_steps < 12 * simulation.diagnostics.steps


@pytest.mark.parametrize("period", [0.002, 0.003, 0.005, 0.0073])
@pytest.mark.parametrize("acceleration", [10.0, 20.0, 40.0])
def test_small_jumps_divide_the_same_steps_in_one_call_and_in_many(tmp_path: Path, acceleration: float, period: float) -> None:
    speeds = [(number * period, acceleration * number * period) for number in range(round(0.15 / period))]
    points = [point for (_, before), (time, after) in pairwise(speeds) for point in ((time - 1e-9, before), (time, after))]
    world = driven_pendulum(tmp_path, [[0.0, 0.0], [9.0, 0.0]])
    whole, single = (Simulation(world, report=Report(), time_step=1e-3) for _ in range(2))
    for simulation in (whole, single):
        simulation.command("m", "motor", SampledSignal(*zip(*points, strict=True)))
    whole.step(140)
    for _ in range(140):
        single.step()
    assert whole.state() == single.state()


@pytest.mark.parametrize("steps", [1, 3, 120, 300, 301, 302])
def test_a_restart_beside_the_jump_of_a_function_has_the_same_bits(tmp_path: Path, steps: int) -> None:
    world = driven_pendulum(tmp_path, [[0.0, 1.0], [9.0, 1.0]])
    whole, second = (Simulation(world, time_step=1e-3) for _ in range(2))
    for simulation in (whole, second):
        simulation.command("m", "motor", lambda time: 1.0 if time < 0.3004 else 1.0 + min((time - 0.3004) / 0.002, 1.0))
    whole.step(steps)
    second.restore(whole.state())
    whole.step(60)
    second.step(60)
    assert second.state() == whole.state()


@pytest.mark.parametrize(
    ("drive", "values"),
    [("SPEED", [2.0, 2.0, -1.0, -1.0]), ("SPEED", [0.0, 0.0, 3.0, 4.0]), ("POSITION", [0.0, 0.3, 0.3, 0.0])],
)
def test_a_repeated_function_jumps_as_a_table_of_its_repetitions(
    report: Report, tmp_path: Path, drive: str, values: list[float]
) -> None:
    width, shift = 0.2503, 0.0101
    slices = [[time, value] for time, value in zip([0.0, 0.1004, 0.1004 + 1e-9, width], values, strict=True)]
    if drive == "POSITION":
        slices.pop(2)
    times = [
        [number * width - shift + time + (1e-9 if not time else 0.0), value] for number in range(5) for time, value in slices
    ]
    repeat = f", repeat: {{start: 0, width: {width}, shift: {shift}}}}}"
    found = []
    for text_of_points, end in ((slices, repeat), (times, "}")):
        path = tmp_path / "m.yaml"
        content = DRIVEN_PENDULUM.replace("POINTS}", f"{text_of_points}{end}").replace("DRIVE", drive)
        path.write_text(content)
        simulation = Simulation(ossature.load(path), report=report, time_step=1e-3)
        simulation.run(0.8)
        found.append(simulation.poses()["m"]["pendulum"].position)
    np.testing.assert_allclose(found[0], found[1], atol=2e-6)
    report.take("initial-assembly-adjusted")


@pytest.mark.parametrize("width", [1e-11, 1e-6, 1e-5])
def test_a_function_that_repeats_often_in_a_step_takes_no_longer_and_moves_by_its_mean(width: float, tmp_path: Path) -> None:
    points = f"[[0, 0], [{0.5 * width}, 3], [{width}, 0]], repeat: {{start: 0, width: {width}, shift: 0}}}}"
    path = tmp_path / "m.yaml"
    path.write_text(DRIVEN_PENDULUM.replace("POINTS}", points).replace("DRIVE", "SPEED"))
    simulation = Simulation(ossature.load(path), report=Report(), time_step=1e-3)
    simulation.run(0.05)
    angle = 2.0 * math.acos(min(abs(simulation.poses()["m"]["arm"].wxyz[0]), 1.0))
    assert angle == pytest.approx(1.5 * 0.05, abs=1e-4)
    assert simulation.integration.most_sub_steps <= 64


@pytest.mark.parametrize(
    ("drive", "points"),
    [
        ("SPEED", [[0.1003, 0.0], [0.1003 + 1e-9, 4.0], [0.3, 4.0], [0.3 + 1e-9, -3.0], [0.5007, -3.0], [0.5007 + 1e-9, 5.0]]),
        ("SPEED", [[0.1, 0.0], [0.1 + 1e-9, 4.0], [0.1004, 4.0], [0.1004 + 1e-9, -3.0], [0.1006, -3.0], [0.1006 + 1e-9, 5.0]]),
        ("POSITION", [[0.1003, 0.0], [0.2504, 0.7], [0.3, 0.2], [0.6, 0.9]]),
        *[
            ("SPEED", [[0.1003, 0.0], [0.1003 + rise, 4.0], [0.3, 4.0], [0.3 + rise, -3.0]])
            for rise in (2e-6, 1e-4, 1e-3, 4e-3)
        ],
    ],
)
def test_a_loop_moves_with_jumps_as_with_a_short_step(
    report: Report, tmp_path: Path, drive: str, points: list[list[float]]
) -> None:
    """The pendulum of the coupler is 2 to 17 mm elsewhere if jumps and steep rises are spread over a step."""
    path = tmp_path / "m.yaml"
    extended = [[0.0, points[0][1]], *points, [9.0, points[-1][1]]]
    path.write_text(FOUR_BAR.replace("POINTS", str(extended)).replace("DRIVE", drive))
    found = []
    for step in (1e-3, 1e-4):
        simulation = Simulation(ossature.load(path), report=report, time_step=step)
        simulation.run(0.7)
        found.append(simulation.poses()["m"]["pendulum"].position)
    assert len(report.take("reactions-not-unique")) == 2, "one for each simulation of a planar linkage"
    np.testing.assert_allclose(found[0], found[1], atol=3e-5)
