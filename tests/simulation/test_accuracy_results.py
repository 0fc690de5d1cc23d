"""Accuracy diagnostics of runs."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from chrono.models import GROUND, body, read, text
from linkages import POINTS, Z, hinged
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.kinematics import mobility_of
from ossature.model import NamedList, World
from ossature.recordings import open_recording
from ossature.simulation import Simulation, SimulationError

NO_GRAVITY = (0.0, 0.0, 0.0)


def squeezer() -> World:
    """Return Andrews' squeezer mechanism, with the parameters and the start of Hairer and Wanner (1996), chapter VII.7."""
    da, e, ea, rr, ra, ss, sa, sb, sc, sd = 0.0115, 0.02, 0.01421, 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
    ta, tb, u, ua, ub, zf, zt, fa = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
    xa, ya, xb, yb, xc, yc = -0.06934, -0.00227, -0.03635, 0.03273, 0.014, 0.072
    beta, theta, gamma = -0.0617138900142764496, 0.0, 0.455279819163070380
    phi, delta, omega, epsilon = 0.222668390165885885, 0.487364979543842550, -0.222668390165885885, 1.23054744454982119
    s, c = math.sin, math.cos
    p = [
        (ra * c(beta), ra * s(beta)),
        (rr * c(beta) - da * c(beta + theta), rr * s(beta) - da * s(beta + theta)),
        (xb + sa * s(gamma) + sb * c(gamma), yb - sa * c(gamma) + sb * s(gamma)),
        (xa + zt * c(delta) + (e - ea) * s(phi + delta), ya + zt * s(delta) - (e - ea) * c(phi + delta)),
        (xa + ta * c(delta) - tb * s(delta), ya + ta * s(delta) + tb * c(delta)),
        (xa + u * s(epsilon) + (zf - fa) * c(omega + epsilon), ya - u * c(epsilon) + (zf - fa) * s(omega + epsilon)),
        (xa + ua * s(epsilon) - ub * c(epsilon), ya - ua * c(epsilon) - ub * s(epsilon)),
    ]
    masses = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    moments = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    bodies = [
        body(f"k{n + 1}", f"[{x!r}, {y!r}, 0]", mass=mass, moments=f"[{moment}, {moment}, {moment}]")
        for n, ((x, y), mass, moment) in enumerate(zip(p, masses, moments, strict=True))
    ]
    at_e = (xb + ss * s(gamma), yb - ss * c(gamma))
    at_d = (xb + sc * s(gamma) + sd * c(gamma), yb - sc * c(gamma) + sd * s(gamma))
    hinges = [
        ("o", "k1", "ground", (0.0, 0.0)),
        ("f", "k1", "k2", (rr * c(beta), rr * s(beta))),
        ("e3", "k3", "k2", at_e),
        ("e4", "k4", "k2", at_e),
        ("e6", "k6", "k2", at_e),
        ("b", "k3", "ground", (xb, yb)),
        ("g", "k4", "k5", (xa + zt * c(delta), ya + zt * s(delta))),
        ("a5", "k5", "ground", (xa, ya)),
        ("h", "k6", "k7", (xa + u * s(epsilon), ya - u * c(epsilon))),
        ("a7", "k7", "ground", (xa, ya)),
    ]
    joints = [
        f"- {{name: {name}, type: REVOLUTE, body1: {one}, body2: {two}, location: [{x!r}, {y!r}, 0], axis: [0, 0, 1]}}"
        for name, one, two, (x, y) in hinges
    ]
    spring = (
        f"- {{name: spring, type: TSDA, body1: ground, body2: k3, point1: [{xc}, {yc}, 0], "
        f"point2: [{at_d[0]!r}, {at_d[1]!r}, 0], "
        "free_length: 0.07785, spring_coefficient: 4530}"
    )
    load = "- {name: torque, type: TORQUE, body: k1, load: [0, 0, 0.033], local_load: false}"
    world = read(text(GROUND, *bodies, joints="\n".join(joints), tsdas=spring, body_loads=load))
    return replace(world, gravity=NO_GRAVITY)


def run(world: World, duration: float, time_step: float, *, sub_steps: bool = True) -> tuple[Simulation, Report]:
    report = Report()
    simulation = Simulation(world, report=report, time_step=time_step, sub_steps=sub_steps)
    simulation.run(duration)
    return simulation, report


def names(report: Report) -> set[str]:
    return {finding.rule.name for finding in report}


def test_the_squeezer_has_one_degree_of_freedom() -> None:
    found = mobility_of(squeezer().models[0])
    assert (found.degrees_of_freedom, found.redundant_count, found.locked_joints) == (1, 9, ())


def test_a_squeezer_whose_loops_open_is_a_finding_with_the_joint_and_the_time() -> None:
    simulation, report = run(squeezer(), 0.015, 1e-3, sub_steps=False)
    found = simulation.diagnostics.loop_residual
    assert found is not None
    (finding,) = report.take("loop-residual-exceeded")
    assert found.element in finding.message and f"{found.time:.4g} s" in finding.message
    assert found.element.removeprefix("m/") in squeezer().models[0].joints
    assert found.value > 1e-3


def test_a_squeezer_with_a_short_step_has_no_findings() -> None:
    simulation, report = run(squeezer(), 0.02, 1e-5)
    assert names(report) == {"reactions-not-unique"}
    found = simulation.diagnostics
    assert found.loop_residual is not None and found.loop_residual.value < 1e-5
    assert found.energy.relative_gain < 1e-3 and found.energy.supplied > 0.1


def pendulum(time_step: float, damping: float = 0.0) -> World:
    """Return a rod on a pin, with a moment of inertia of 0.35 kg·m² about it, and perhaps a damper [N·s/m]."""
    bodies = [body("arm", "[0.5, 0, 0]", moments="[0.01, 0.1, 0.1]")]
    pin = "- {name: pin, type: REVOLUTE, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}"
    spring = (
        "- {name: damper, type: TSDA, body1: ground, body2: arm, point1: [0, 0, 1], point2: [1, 0, 0], free_length: 1.4, "
        f"spring_coefficient: 0, damping_coefficient: {damping}}}"
    )
    world = read(text(GROUND, *bodies, joints=pin, **({"tsdas": spring} if damping else {})))
    return replace(world, gravity=(0.0, 0.0, -9.81), time_step=time_step)


def test_the_energy_of_a_damped_pendulum_balances() -> None:
    simulation, report = run(pendulum(1e-3, damping=3.0), 2.0, 1e-3)
    energy = simulation.diagnostics.energy
    assert not names(report)
    potential, kinetic = simulation.energy()
    assert energy.dissipated_by_dampers > 1.0
    assert energy.change == pytest.approx(-energy.dissipated_by_dampers, rel=5e-3)
    assert energy.change == pytest.approx(potential + kinetic - sum(Simulation(pendulum(1e-3, 3.0)).energy()), abs=1e-9)


def test_the_work_of_a_motor_is_in_the_balance() -> None:
    """A wheel is driven to a speed that falls and rises, so that work flows both ways."""
    motor = (
        "- {name: drive, type: ROTATION, spindle: REVOLUTE, body1: wheel, body2: ground, location: [0, 0, 0], axis: [0, 0, 1], "
        "actuation_type: SPEED, actuation_function: {type: SINE, amplitude: 5, frequency: 1}}"
    )
    world = replace(read(text(GROUND, body("wheel"), motors=motor)), gravity=NO_GRAVITY)
    simulation, report = run(world, 0.75, 1e-3)
    energy = simulation.diagnostics.energy
    assert not names(report)
    assert energy.change == pytest.approx(0.5 * 0.1 * 5.0**2, rel=1e-3)
    assert abs(energy.supplied - energy.change) < energy.uncertainty
    finer = run(world, 0.75, 1e-4)[0].diagnostics.energy
    assert finer.supplied == pytest.approx(finer.change, rel=5e-3)


def test_a_fast_rotation_is_a_finding() -> None:
    """A wheel on a fixed axis: seven steps or fewer a revolution."""
    spinning = body("wheel", "[0, 0, 0]", "initial_angular_velocity: [0, 0, 1500]")
    pin = "- {name: pin, type: REVOLUTE, body1: wheel, body2: ground, location: [0, 0, 0], axis: [0, 0, 1]}"
    simulation, report = run(replace(read(text(GROUND, spinning, joints=pin)), gravity=NO_GRAVITY), 0.1, 1e-3)
    (finding,) = report.take("fast-rotation")
    assert "'m/wheel' rotates by 1.5 rad" in finding.message
    assert simulation.diagnostics.energy.relative_loss < 1e-6


def test_unexplained_energy_is_a_finding() -> None:
    """A force that the balance does not know accelerates a body, as an unstable integrator would."""
    report = Report()
    simulation = Simulation(pendulum(1e-3), report=report)
    gained = []

    def accelerate() -> None:
        gained.append(0.5 * 0.35 * (30.0**2 - float(simulation.data.qvel[0]) ** 2))
        simulation.data.qvel[:] = 30.0
        simulation.engine.restore_commands()

    simulation.schedule(0.5, accelerate)
    simulation.run(1.0)
    (finding,) = report.take("energy-gained")
    assert simulation.diagnostics.energy.gain == pytest.approx(gained[0], rel=0.01)
    assert f"{simulation.diagnostics.energy.gain:.3g} J more than motors, loads and commands supplied" in finding.message


@pytest.mark.parametrize("time", [0.0101, 0.0212, 0.0337])
def test_a_loop_that_is_open_in_a_single_step_is_the_largest_residual(time: float) -> None:
    """A joint is displaced between two steps; the engine closes the loop in the next one."""

    def opened() -> Simulation:
        simulation = Simulation(squeezer(), time_step=1e-4, sub_steps=False)

        def displace() -> None:
            simulation.data.qpos[3] += 5e-2

        simulation.schedule(time, displace)
        return simulation

    simulation = opened()
    simulation.run(0.05)
    stepped = opened()
    # All loops are closed by welds: three lengths and three angles each.
    bounds = 1e-3 * np.array([*[stepped.compiled.model.stat.extent] * 3, 1.0, 1.0, 1.0])
    residuals = []
    for _ in range(500):
        stepped.step()
        residuals.append(np.abs(stepped.data.efc_pos[: stepped.data.ne]).reshape(-1, 6))
    shares = (np.array(residuals) / bounds).max(axis=(1, 2))
    largest = int(np.argmax(shares))
    assert 1e-4 * largest == pytest.approx(time, abs=1.1e-4) and sum(shares > 0.5 * shares[largest]) <= 2
    found = simulation.diagnostics.loop_residual
    assert (
        found is not None and found.bound is not None and found.value / found.bound == pytest.approx(shares[largest], rel=1e-12)
    )
    assert found.time == pytest.approx(1e-4 * (largest + 1), abs=1e-9)


def test_a_recording_has_the_diagnostics_of_its_run() -> None:
    simulation = Simulation(pendulum(1e-3))
    recording = simulation.run(0.3, 0.1)
    assert recording.diagnostics is not None and recording.diagnostics == simulation.diagnostics
    assert recording.diagnostics.steps == 300
    assert simulation.engine.now().diagnostics is None


def test_a_fast_travel_is_a_finding() -> None:
    """Two free bodies, 2 m apart, of which one moves by 0.5 m in each step."""
    bodies = [body("bullet", "[0, 0, 0]", "initial_linear_velocity: [500, 0, 0]"), body("target", "[0, 2, 0]")]
    simulation, report = run(replace(read(text(GROUND, *bodies)), gravity=NO_GRAVITY), 0.1, 1e-3)
    (finding,) = report.take("fast-travel")
    assert "'m/bullet' moves by 0.5 m in one step" in finding.message
    found = simulation.diagnostics.travel_per_step
    assert found is not None and found.value == pytest.approx(0.5) and found.bound is not None and found.value > found.bound


@pytest.mark.parametrize("damping", [0.0, 1e3])
def test_the_energy_of_a_bushing_with_large_rotation_balances(damping: float) -> None:
    """A force at its far end turns the body about the free axis of the bushing, whose axes turn with it."""
    bushing = (
        "- {name: bushing, type: REVOLUTE, body1: ground, body2: arm, location: [0, 0, 0], axis: [0, 1, 0], bushing_data: "
        f"{{stiffness_linear: 1.0e5, damping_linear: {damping}, stiffness_rotational: 1.0e5, damping_rotational: {damping}, "
        "DOF: {stiffness_linear: 0, damping_linear: 0, stiffness_rotational: 0, damping_rotational: 0}}}"
    )
    load = "- {name: pull, type: FORCE, body: arm, load: [0, 0, -8000], local_load: false, point: [1, 0, 0], local_point: true}"
    arm = body("arm", "[1, 0, 0]", mass=122.0, moments="[8.42, 8.42, 16.4]")
    world = read(text(GROUND, arm, joints=bushing, body_loads=load))
    simulation, report = run(world, 0.4, 1e-4)
    energy = simulation.diagnostics.energy
    assert not names(report) & {"energy-gained", "energy-lost"}
    damped = energy.dissipated_by_dampers
    assert damped == pytest.approx(0.0, abs=1e-9) if not damping else damped > 1000.0
    assert energy.change == pytest.approx(energy.supplied - damped, abs=2e-3 * energy.scale)


def test_a_peak_between_samples_of_a_recording_is_detected() -> None:
    simulation = Simulation(pendulum(1e-3))
    simulation.run(1.0)
    speeds = []
    again = Simulation(pendulum(1e-3))
    for _ in range(1000):
        again.step()
        speeds.append(abs(again.data.qvel[0]))
    found = simulation.diagnostics.rotation_per_step
    assert found is not None and found.element == "m/arm"
    assert found.value == pytest.approx(1e-3 * max(speeds), rel=1e-4)
    assert found.time == pytest.approx(1e-3 * (1 + int(np.argmax(speeds))), abs=2.1e-3)


def test_a_short_transient_of_a_slow_motion_is_detected() -> None:
    """A joint turns fast for 10 ms only, long after the first samples: the peak is the speed times the undivided step."""
    table = "[[0, 0.1], [1.5, 0.1], [1.505, 300], [1.51, 0.1], [9, 0.1]]"
    motor = (
        "- {name: turn, type: ROTATION, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0], "
        f"actuation_type: SPEED, actuation_function: {{type: DATA, data: {table}}}}}"
    )
    simulation = Simulation(read(text(GROUND, body("arm"), motors=motor)), sub_steps=False)
    simulation.run(3.0)
    found = simulation.diagnostics.rotation_per_step
    assert found is not None and found.element == "m/arm"
    assert found.value == pytest.approx(300.0 * simulation.time_step, rel=0.11)
    assert found.time == pytest.approx(1.505, abs=2.1e-3)


def test_monitoring_changes_nothing() -> None:
    """The number of steps per call, and so the sampled steps, does not change the final state: it is bit-exact."""
    ends = []
    for portion in (1, 7, 60):
        simulation = Simulation(squeezer(), time_step=1e-4)
        for _ in range(60 // portion):
            simulation.step(portion)
        simulation.step(60 % portion)
        ends.append(simulation.data.qpos.copy())
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], ends[2])


# Start


def test_an_assembly_jump_names_the_body_and_the_distance(report: Report) -> None:
    model = hinged(POINTS)
    joints = [
        replace(joint, coordinates=(replace(joint.coordinates[0], initial_position=0.2),)) if joint.name == "hinge1" else joint
        for joint in model.joints
    ]
    Simulation(World(models=NamedList([replace(model, joints=NamedList(joints))])), report=report)
    (finding,) = report.take("initial-assembly-jump")
    assert "m/bar" in finding.message and " was moved by 0." in finding.message and "rad" in finding.message


def test_inconsistent_initial_velocities_are_a_finding(report: Report) -> None:
    """A rod on a pin joint cannot have an initial velocity along its axis."""
    moving = "initial_linear_velocity: [0.9, 0, 0]"
    pin = "- {name: pin, type: REVOLUTE, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}"
    Simulation(read(text(GROUND, body("arm", "[0.5, 0, 0]", moving), joints=pin)), report=report)
    (finding,) = report.take("initial-velocity-changed")
    assert "'m/arm' specifies (0.9, 0, 0) m/s and starts with (0, 0, 0): a change of 0.9" in finding.message


# Divergence


def unstable() -> World:
    """A light bead on a spring far too stiff for its step, beside a pendulum that is in order."""
    bodies = [body("arm", "[0.5, 0, 0]"), body("bead", "[0, 3, 0.1]", mass=1e-3, moments="[1e-6, 1e-6, 1e-6]")]
    joints = (
        "- {name: pin, type: REVOLUTE, body1: arm, body2: ground, location: [0, 0, 0], axis: [0, 1, 0]}\n"
        "- {name: wire, type: PRISMATIC, body1: bead, body2: ground, location: [0, 3, 0], axis: [0, 0, 1]}"
    )
    world = read(text(GROUND, *bodies, joints=joints))
    return replace(world, gravity=(0.0, 0.0, -9.81))


def push_away(simulation: Simulation, gain: float) -> None:
    """Push the bead the more, the faster it is: its speed grows beyond all bounds."""
    joint = simulation.compiled.model.joint("wire")
    body_number = simulation.compiled.index.bodies["m"]["bead"].number

    def act() -> None:
        simulation.data.xfrc_applied[body_number, 2] = gain * float(simulation.data.qvel[joint.dofadr[0]])

    for k in range(1, 200):
        simulation.schedule(0.01 * k, act)


def test_a_divergence_keeps_the_samples_and_names_the_body_and_the_step(report: Report, tmp_path: Path) -> None:
    simulation = Simulation(unstable(), report=report, time_step=1e-3)
    push_away(simulation, 1.0)
    path = tmp_path / "run.json"
    with pytest.raises(SimulationError) as raised:
        simulation.run(2.0, 0.01, record=path)
    (finding,) = report.take("simulation-diverged")
    assert finding.path == "m/bead" and "in step" in finding.message
    recording = raised.value.recording
    assert recording is not None and len(recording.times) > 3
    assert np.isfinite(recording.qpos).all() and np.isfinite(recording.qvel).all()
    assert recording.times[-1] == pytest.approx(simulation.time)
    times = [sample["time"] for sample in json.loads(path.read_text())["samples"]]
    assert times == pytest.approx(recording.times.tolist())
    assert len(open_recording(path, report).table()) == len(times)


def test_a_tilted_four_bar_is_reported_by_name_when_it_is_checked_and_simulated(tmp_path: Path) -> None:
    tilt = math.radians(1.15)
    model = hinged(POINTS, [Z, Z, (0.0, math.sin(tilt), math.cos(tilt)), Z])
    found = mobility_of(model)
    assert found.degrees_of_freedom == 0 and "hinge2" in found.locked_joints


def test_the_command_prints_and_writes_the_diagnostics() -> None:
    crank = Path(__file__).parents[2] / "examples" / "slider_crank.yaml"
    printed = CliRunner().invoke(app, ["simulate", str(crank), "--duration", "0.2"]).output
    assert "loops closed to" in printed and "(slider crank/wrist" in printed
    assert "largest rotation in a step" in printed and "J supplied" in printed
    data = json.loads(CliRunner().invoke(app, ["simulate", str(crank), "--duration", "0.2", "--json"]).output)
    assert data["diagnostics"]["steps"] == 200
    assert data["diagnostics"]["loop_residual"]["element"] == "slider crank/wrist"


@pytest.mark.parametrize("frequency", [0.2, 1.0, 5.0, 20.0, 137.0])
def test_the_uncertainty_of_work_bounds_its_error(frequency: float) -> None:
    """A wheel whose speed is prescribed has the kinetic energy that the motor supplied: at any frequency."""
    motor = (
        "- {name: drive, type: ROTATION, spindle: REVOLUTE, body1: wheel, body2: ground, location: [0, 0, 0], axis: [0, 0, 1], "
        f"actuation_type: SPEED, actuation_function: {{type: SINE, amplitude: 5, frequency: {frequency}}}}}"
    )
    world = replace(read(text(GROUND, body("wheel"), motors=motor)), gravity=NO_GRAVITY)
    simulation, report = run(world, 2.13, 1e-3)
    energy = simulation.diagnostics.energy
    assert not names(report) & {"energy-gained", "energy-lost"}
    assert abs(energy.supplied - energy.change) <= energy.uncertainty
