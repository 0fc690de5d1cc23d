"""Motors whose prescribed position jumps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import ossature
from chrono.models import GROUND, body, read, text
from chrono.test_motor_velocity_jumps import FOUR_BAR
from ossature.array_types import Vector
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import SampledSignal, Simulation, SimulationError

MECHANISM = """
chrono-version: 10.0
model:
  name: m
  bodies:
    - {name: ground, fixed: true, location: [0, 0, 0]}
    - {name: wheel, location: [3, 0, 0], mass: 2.0, inertia: {moments: [0.05, 0.05, 0.05]},
       initial_angular_velocity: [0, 0, 12]}
    - {name: driven, location: [0, 0, 0], mass: 2.0, inertia: {moments: [0.05, 0.05, 0.05]}}
    - {name: pendulum, location: [0, 0, -0.3], mass: 1.0, inertia: {moments: [0.01, 0.01, 0.01]}}
  joints:
    - {name: axle, type: REVOLUTE, body1: wheel, body2: ground, location: [3, 0, 0], axis: [0, 0, 1]}
    - {name: hinge, type: REVOLUTE, body1: driven, body2: pendulum, location: [0.1, 0, 0], axis: [0, 1, 0]}
  motors:
    - {name: motor, type: TYPE, body1: driven, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], actuation_type: POSITION,
       actuation_function: FUNCTION}
"""


def mechanism(folder: Path, motor_type: str, function: str) -> World:
    """Return a driven body that carries a pendulum, and a wheel that spins on its own."""
    path = folder / "m.yaml"
    path.write_text(MECHANISM.replace("TYPE", motor_type, 1).replace("FUNCTION", function))
    return ossature.load(path)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("time_step", [1e-3, 7e-4, 5e-3])
@pytest.mark.parametrize("width", [0.1, 0.07, 0.33])
def test_a_motor_follows_a_repeated_function_that_jumps(report: Report, tmp_path: Path, width: float, time_step: float) -> None:
    function = f"{{type: RAMP, slope: 0.6, intercept: 0, repeat: {{start: 0, width: {width}, shift: 0}}}}"
    world = mechanism(tmp_path, "LINEAR", function)
    simulation = Simulation(world, report=report, time_step=time_step)
    for number in range(1, int(1.0 / time_step) + 1):
        simulation.step(1)
        time = number * time_step
        before, after = 0.6 * np.mod(time - 1e-9, width), 0.6 * np.mod(time + 1e-9, width)
        position = simulation.poses()["m"]["driven"].position[1]
        # The engine leaves a ten-thousandth of the displacement of a step.
        assert min(abs(position - before), abs(position - after)) < 1e-4 * 0.6 * width + 2e-6
    report.take("tolerance-not-met")


@pytest.mark.parametrize("width", [0.1, 0.13])
def test_the_work_of_a_repeated_function_that_jumps_and_bends_is_the_change_of_energy(
    report: Report, tmp_path: Path, width: float
) -> None:
    function = f"{{type: DATA, data: [[0, 0], [0.05, 0.02], [0.2, -0.06]], repeat: {{start: 0, width: {width}, shift: 0}}}}"
    simulation = Simulation(mechanism(tmp_path, "LINEAR", function), report=report, time_step=1e-3)
    simulation.run(0.6)
    energy = simulation.diagnostics.energy
    assert energy.supplied == pytest.approx(energy.change, abs=1e-3 * energy.scale)
    report.take("tolerance-not-met")


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (-1.0, 0.3), (2.0, 0.25)])
def test_an_angle_that_is_repeated_after_whole_turns_does_not_jump(
    report: Report, tmp_path: Path, slope: float, shift: float
) -> None:
    slope *= 2.0 * np.pi
    repeat = f", repeat: {{start: 0, width: 1, shift: {shift}}}"
    function = "{{type: RAMP, slope: {}, intercept: {}{}}}"
    ends = []
    for motion in (function.format(slope, 0.0, repeat), function.format(slope, slope * shift, "")):
        simulation = Simulation(mechanism(tmp_path, "ROTATION", motion), report=report)
        simulation.step(2100)
        ends.append(np.concatenate([simulation.poses()["m"][body].matrix() for body in ("driven", "pendulum")]))
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)
    report.take("initial-assembly-adjusted")


def test_a_state_between_a_command_and_its_position_continues_with_the_same_bits(report: Report, tmp_path: Path) -> None:
    world = mechanism(tmp_path, "ROTATION", "{type: CONSTANT, value: 0}")
    simulation, continued = (Simulation(world, report=report) for _ in range(2))
    simulation.step(50)
    simulation.command("m", "motor", 0.004)
    continued.restore(simulation.state())
    for one in (simulation, continued):
        one.step(30)
    assert simulation.positions() == continued.positions()
    assert simulation.velocities() == continued.velocities()


def _held(angle: float, period: float) -> Callable[[float], float]:
    """Return a controller that commands the square of the time as an angle, at times with a period [s]."""
    return lambda time: angle * (period * np.floor(time / period + 1e-6)) ** 2


def _moved_within_steps(angle: float, period: float, step: float, count: int) -> SampledSignal:
    """Return the same positions as a signal that changes at constant speed in each step that ends at a jump."""
    ends = period * np.arange(1, count + 1)
    values = angle * ends**2
    times = np.stack([ends - step, ends], axis=1).reshape(-1)
    return SampledSignal(times, np.stack([np.concatenate([[0.0], values[:-1]]), values], axis=1).reshape(-1))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("motor_type", ["ROTATION", "LINEAR"])
@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler", "semi-implicit-euler", "implicit"])
@pytest.mark.parametrize("angle", [0.1, 0.5, 2.0])
def test_a_function_that_jumps_is_reached_at_constant_speed(
    report: Report, tmp_path: Path, motor_type: str, integrator: str, angle: float
) -> None:
    """A controller at 100 Hz moves a motor as the same positions over the steps do."""
    world = mechanism(tmp_path, motor_type, "{type: CONSTANT, value: 0}")
    step, period, ends = 1e-3, 1e-2, []
    for command in (_held(angle, period), _moved_within_steps(angle, period, step, 31)):
        simulation = Simulation(world, report=report, time_step=step, integrator=integrator)
        simulation.command("m", "motor", command)
        simulation.step(305)
        ends.append(simulation.positions()["m"]["hinge"][0])
        energy = simulation.diagnostics.energy
        assert max(energy.gain, energy.loss) < 2e-3 * energy.scale
    # With a step of 0.02 ms both differ from this by up to 3e-5.
    assert ends[0] == pytest.approx(ends[1], abs=3e-6)
    for finding in report.take("commanded-position-jump") if angle == 2.0 else ():
        assert finding.message.endswith("with 10.2 " + ("m/s" if motor_type == "LINEAR" else "rad/s"))


@pytest.mark.parametrize("period", [7.3e-3, 1e-3])
def test_a_function_that_jumps_at_any_times_is_reached_at_the_end_of_each_step(
    report: Report, tmp_path: Path, period: float
) -> None:
    world, controller = mechanism(tmp_path, "ROTATION", "{type: CONSTANT, value: 0}"), _held(0.5, period)
    simulation = Simulation(world, report=report, time_step=1e-3)
    simulation.command("m", "motor", controller)
    for number in range(1, 300):
        simulation.step()
        angle = 2.0 * np.arcsin(simulation.poses()["m"]["driven"].wxyz[2])
        assert angle == pytest.approx(controller(number * 1e-3), abs=2e-6)
    energy = simulation.diagnostics.energy
    assert max(energy.gain, energy.loss) < 2e-3 * energy.scale


def test_states_between_jumps_of_a_function_continue_with_the_same_bits(report: Report, tmp_path: Path) -> None:
    world = mechanism(tmp_path, "ROTATION", "{type: CONSTANT, value: 0}")
    simulation, continued = (Simulation(world, report=report) for _ in range(2))
    for one in (simulation, continued):
        one.command("m", "motor", _held(0.5, 1e-2))
    for _ in range(45):
        simulation.step()
        continued.restore(simulation.state())
        simulation.step(12)
        continued.step(12)
        assert simulation.velocities() == continued.velocities()
        simulation.restore(continued.state())


@pytest.mark.parametrize("integrator", ["leapfrog", "implicit"])
def test_a_function_that_jumps_too_far_is_named_as_the_cause(report: Report, tmp_path: Path, integrator: str) -> None:
    world = mechanism(tmp_path, "LINEAR", "{type: CONSTANT, value: 0}")
    simulation = Simulation(world, report=report, integrator=integrator)
    simulation.command("m", "motor", lambda time: 1e8 if time > 0.05 else 0.0)
    with pytest.raises(SimulationError):
        simulation.step(100)
    (finding,) = report.take("simulation-diverged")
    (jump,) = report.take("commanded-position-jump")
    assert finding.hint == "a motor moved to a far position within one step: command intermediate positions"
    assert jump.path == "m/motor"


def test_a_stiff_spring_oscillates_while_a_position_jumps(report: Report) -> None:
    """A step in which a position jumps has the sub-steps that a spring on its own needs."""
    stiff = text(
        GROUND,
        body("driven"),
        body("light", "[1, 0, 0]", mass=0.01),
        joints="- {name: slide, type: PRISMATIC, body1: light, body2: ground, location: [1, 0, 0], axis: [1, 0, 0]}",
        tsdas="- {name: spring, body1: ground, body2: light, point1: [0, 0, 0], point2: [1, 0, 0], free_length: 1.001,"
        " spring_coefficient: 40000}",
        motors="- {name: motor, type: LINEAR, body1: driven, body2: ground, location: [0, 0, 0], axis: [0, 1, 0],"
        " actuation_type: POSITION, actuation_function: {type: RAMP, slope: 0.6, intercept: 0,"
        " repeat: {start: 0, width: 0.01, shift: 0}}}",
    )
    simulation = Simulation(read(stiff), report=report)
    for _ in range(300):
        simulation.step()
        expected = 1.001 - 0.001 * np.cos(2000.0 * simulation.time)
        # The tolerance is 0.001 m per second.
        assert simulation.poses()["m"]["light"].position[0] == pytest.approx(expected, abs=1e-3 * simulation.time)
    energy = simulation.diagnostics.energy
    assert max(energy.gain, energy.loss) < 1e-3 * energy.scale


def test_the_body_of_a_motor_that_jumps_too_far_is_named(report: Report, tmp_path: Path) -> None:
    simulation = Simulation(mechanism(tmp_path, "LINEAR", "{type: CONSTANT, value: 0}"), report=report)
    simulation.step(100)
    simulation.command("m", "motor", 1e8)
    with pytest.raises(SimulationError):
        simulation.step(100)
    (finding,) = report.take("simulation-diverged")
    assert finding.path == "m/driven"
    report.take("commanded-position-jump")


@pytest.mark.parametrize(("motor_type", "unit"), [("LINEAR", "m"), ("ROTATION", "rad")])
def test_a_commanded_position_that_is_reached_in_a_step_is_reported_once(
    report: Report, tmp_path: Path, motor_type: str, unit: str
) -> None:
    simulation = Simulation(mechanism(tmp_path, motor_type, "{type: CONSTANT, value: 0}"), report=report)
    for position in (0.02, 0.0):
        simulation.command("m", "motor", position)
        simulation.step(10)
    (finding,) = report.take("commanded-position-jump")
    assert finding.path == "m/motor"
    assert finding.message == f"motor 'motor' moves by 0.02 {unit} in a step, with 20 {unit}/s"


def test_a_far_position_is_reported_in_a_run(report: Report, tmp_path: Path) -> None:
    """Also if the state of the inputs is saved and restored before the run is examined."""
    simulation = Simulation(mechanism(tmp_path, "ROTATION", "{type: CONSTANT, value: 0}"), report=report)
    simulation.run(0.1)
    simulation.command("m", "motor", 0.1)
    simulation.restore(simulation.state())
    simulation.run(0.1)
    (finding,) = report.take("commanded-position-jump")
    assert finding.message == "motor 'motor' moves by 0.1 rad in a step, with 100 rad/s"
    for energy in (*report.take("energy-gained"), *report.take("energy-lost")):
        assert energy.hint == "a motor moved to a far position within one step: command intermediate positions"


def _link_on_arm(moments: float, speed: float, duration: float, end: float) -> tuple[float, float, float]:
    """Return angle and velocity of a link on an arm that turns at a speed for a duration, at a time, and the work on both.

    Arm and link are 1 m long and horizontal, with 2 and 1 kg; velocities jump at both ends, and Runge-Kutta steps are between.
    """
    inertia, coupling, gravity, arm, link, rate = moments + 0.25, 0.5, 9.8, 0.0, 0.0, 0.0
    for turning, time in ((speed, duration), (0.0, end - duration)):
        change = turning if turning else -speed
        rate -= coupling * change * np.cos(link - arm) / inertia
        step = time / 2000

        def derivative(elapsed: float, state: Vector, turning: float = turning, arm: float = arm) -> Vector:
            lag = state[0] - arm - turning * elapsed
            torque = 0.5 * gravity * np.cos(state[0]) - coupling * turning**2 * np.sin(lag)
            return np.array([state[1], torque / inertia])

        state = np.array([link, rate])
        for number in range(2000):
            first = derivative(number * step, state)
            second = derivative((number + 0.5) * step, state + 0.5 * step * first)
            third = derivative((number + 0.5) * step, state + 0.5 * step * second)
            fourth = derivative((number + 1) * step, state + step * third)
            state = state + step / 6.0 * (first + 2.0 * second + 2.0 * third + fourth)
        (link, rate), arm = state, arm + turning * time
    fall = 2.0 * 0.5 * np.sin(arm) + np.sin(arm) + 0.5 * np.sin(link)
    return link - arm, rate, 0.5 * inertia * rate**2 - gravity * fall


@pytest.mark.parametrize("angle", [0.1, 0.03])
def test_a_far_position_moves_other_bodies_as_it_should(report: Report, angle: float) -> None:
    """The link turns with up to 240 rad/s within the step, which is divided; the motor's work is the change of energy."""
    world = read(
        text(
            GROUND,
            body("arm", "[0.5, 0, 0]", mass=2.0, moments="[0.1, 0.1, 0.2]"),
            body("link", "[1.5, 0, 0]", moments="[0.1, 0.1, 0.2]"),
            joints="- {name: hinge, type: REVOLUTE, body1: arm, body2: link, location: [1, 0, 0], axis: [0, 1, 0]}",
            motors="- {name: motor, type: ROTATION, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0],"
            " actuation_type: POSITION, actuation_function: {type: CONSTANT, value: 0}}",
        )
    )
    simulation = Simulation(world, report=report)
    simulation.command("m", "motor", angle)
    simulation.step(5)
    position, rate, work = _link_on_arm(0.1, angle / 1e-3, 1e-3, 5e-3)
    energy, largest = simulation.diagnostics.energy, 0.5 * 0.35 * (angle / 1e-3 / 0.7) ** 2
    # The arm is at rest at the end; the hinge has the opposite sign.
    assert simulation.positions()["m"]["hinge"][0] == pytest.approx(-position, abs=1e-3)
    assert simulation.velocities()["m"]["hinge"][0] == pytest.approx(-rate, abs=1e-3 * angle / 1e-3)
    assert energy.supplied == pytest.approx(work, abs=1e-3 * largest)
    report.take("commanded-position-jump")


def _ends_of_commanded_motion(report: Report, world: World, motion: str, time_step: float) -> tuple[float, float]:
    """Return where the pendulum is if positions are commanded in each step, and if they are those of one signal."""
    streamed, sampled = (Simulation(world, report=report, time_step=time_step) for _ in range(2))
    times = np.arange(1, round(0.6 / time_step) + 1) * time_step
    angles = 2.0 * times if motion == "uniform" else 10.0 * times**2  # at last 12 rad/s
    for angle in angles:
        streamed.command("m", "motor", float(angle))
        streamed.step()
    sampled.command("m", "motor", SampledSignal(times=[0.0, *times], values=[0.0, *angles]))
    sampled.step(len(times))
    for one in (streamed, sampled):
        energy = one.diagnostics.energy
        assert max(energy.gain, energy.loss) < 2e-3 * energy.scale
    first, second = (one.positions()["m"]["hinge"][0] for one in (streamed, sampled))
    return first, second


@pytest.mark.parametrize("motion", ["uniform", "accelerated"])
def test_positions_that_are_commanded_in_each_step_move_as_one_signal(report: Report, tmp_path: Path, motion: str) -> None:
    """Also if the velocity jumps, and if it is large. A command starts the integrator again: the difference is first order."""
    world = mechanism(tmp_path, "ROTATION", "{type: CONSTANT, value: 0}")
    ends = [_ends_of_commanded_motion(report, world, motion, time_step) for time_step in (1e-3, 5e-4)]
    coarse, fine = (abs(streamed - sampled) for streamed, sampled in ends)
    assert coarse < 2e-3 * abs(ends[0][1])
    assert fine < 0.6 * coarse


SLIDE = MECHANISM.replace("axis: [0, 1, 0], actuation_type", "axis: [1, 0, 0], actuation_type").replace("TYPE", "LINEAR", 1)
LOOP = FOUR_BAR.replace("DRIVE", "POSITION").replace("{type: DATA, data: POINTS}", "FUNCTION")
MORE_BODIES = """
    - {name: third, location: [0, 0.2, 0], mass: 1.0, inertia: {moments: [0.02, 0.02, 0.02]}}
    - {name: bob, location: [0, 0.2, -0.2], mass: 0.5, inertia: {moments: [0.01, 0.01, 0.01]}}
  joints:
    - {name: last, type: REVOLUTE, body1: third, body2: bob, location: [0.05, 0.2, 0], axis: [0, 1, 0]}"""
SECOND_MOTOR = """\
    - {name: second, type: ROTATION, body1: third, body2: driven, location: [0, 0.2, 0], axis: [0, 1, 0],
       actuation_type: POSITION, actuation_function: FUNCTION}
"""
TWO_MOTORS = MECHANISM.replace("TYPE", "ROTATION", 1).replace("\n  joints:", MORE_BODIES) + SECOND_MOTOR


def _ends_of_motors(
    report: Report, world: World, motors: Sequence[str], joint: str, integrator: str, time_step: float
) -> tuple[float, float]:
    """Return where a joint is if smooth positions are commanded in each step, and if they are those of one signal."""
    streamed, sampled = (Simulation(world, report=report, time_step=time_step, integrator=integrator) for _ in range(2))
    times = np.arange(1, round(0.3 / time_step) + 1) * time_step
    positions = 0.4 * (1.0 - np.cos(5.0 * times))
    for position in positions:
        for motor in motors:
            streamed.command("m", motor, float(position))
        streamed.step()
    for motor in motors:
        sampled.command("m", motor, SampledSignal(times=[0.0, *times], values=[0.0, *positions]))
    sampled.step(len(times))
    for one in (streamed, sampled):
        energy = one.diagnostics.energy
        assert max(energy.gain, energy.loss) < 2e-3 * energy.scale
    first, second = (one.positions()["m"][joint][0] for one in (streamed, sampled))
    return first, second


@pytest.mark.one_in(2)
@pytest.mark.parametrize("integrator", ["leapfrog", "staggered-euler", "semi-implicit-euler", "implicit"])
@pytest.mark.parametrize(
    ("model", "motors", "joint"),
    [(SLIDE, ["motor"], "hinge"), (LOOP, ["motor"], "p"), (TWO_MOTORS, ["motor", "second"], "last")],
    ids=["slide", "loop", "two motors"],
)
def test_positions_of_slides_loops_and_several_motors_move_as_one_signal(
    report: Report, model: str, motors: Sequence[str], joint: str, integrator: str
) -> None:
    """Where a command starts the integrator again, the difference is first order; elsewhere there is none."""
    world = read(model.replace("FUNCTION", "{type: CONSTANT, value: 0}"))
    ends = [_ends_of_motors(report, world, motors, joint, integrator, time_step) for time_step in (1e-3, 5e-4)]
    coarse, fine = (abs(streamed - sampled) for streamed, sampled in ends)
    assert coarse < 5e-3 * abs(ends[0][1])
    assert fine < 0.6 * coarse or coarse == fine == 0.0


def test_a_commanded_position_is_reached_at_constant_speed(report: Report, tmp_path: Path) -> None:
    """The result of a step does not depend on its sub-steps: it is that of a signal over the same time."""
    step, angle = 1e-3, 4e-3
    commands = (angle, SampledSignal(times=[0.1, 0.1 + step], values=[0.0, angle]))
    ends = []
    for command in commands:
        world = mechanism(tmp_path, "ROTATION", "{type: CONSTANT, value: 0}")
        simulation = Simulation(world, report=report, time_step=step)
        simulation.step(100)
        simulation.command("m", "motor", command)
        simulation.step(100)
        ends.append(simulation.positions()["m"]["hinge"])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


@pytest.mark.parametrize(
    ("motor_type", "slope", "message"),
    [
        ("LINEAR", 0.3, "motor 'motor': its position jumps by -0.3 m at the end of each repetition"),
        ("ROTATION", 2.5 * np.pi, "motor 'motor': its position jumps by -1.57 rad at the end of each repetition"),
        ("ROTATION", 4.0 * np.pi, None),
    ],
)
def test_a_position_that_jumps_is_reported(
    report: Report, tmp_path: Path, motor_type: str, slope: float, message: str | None
) -> None:
    function = f"{{type: RAMP, slope: {slope}, intercept: 0.2, repeat: {{start: 0.1, width: 1, shift: 0}}}}"
    world = mechanism(tmp_path, motor_type, function)
    ossature.check(world, report=report)
    found = report.take("discontinuous-motor-position") if message else ()
    assert [one.message for one in found] == ([message] if message else [])
