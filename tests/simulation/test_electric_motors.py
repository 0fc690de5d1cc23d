"""Electric motors compared with closed forms: stall, no load, rise time, current, limits, and drives."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import pytest

from ossature.assets import MeshStore
from ossature.diagnostics import Ledger, Report
from ossature.model import (
    Actuator,
    Body,
    Controller,
    Coordinate,
    ElectricMotor,
    Inertial,
    Joint,
    JointType,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Spherical,
    TorquePoint,
    World,
)
from ossature.model.motor_characteristics import characteristics
from ossature.simulation import SampledSignal, Simulation, read_commands
from ossature.simulation.mjcf_export import write_mjcf

CLOSE = 1e-3
"""What is asked of agreement with closed forms."""
PER_MINUTE = math.tau / 60.0
PAGE = ElectricMotor(
    power_rating=1.0,
    max_speed=3000 * PER_MINUTE,
    no_load_speed=3990 * PER_MINUTE,
    nominal_torque=0.012,
    nominal_voltage=24.0,
    rotor_inertia=0.0000023,
    speed_constant=173.0 * PER_MINUTE,
    speed_torque_gradient=130000.0 * PER_MINUTE,
    starting_current=0.578,
    resistance=41.5,
    torque_constant=0.0552,
)
"""The example of the page of OpenRAVE's extensions."""
PLAIN = ElectricMotor(nominal_voltage=24.0, resistance=2.0, torque_constant=0.05, rotor_inertia=1e-5, gear_ratio=50.0)
"""A motor without losses and ratings."""
INERTIA = 0.25


def turning(
    motor: ElectricMotor, *, inertia: float = INERTIA, type_: JointType | None = None, gravity: float = 0.0, **fields: object
) -> World:
    """Return a World in which a motor turns (or pushes) one body."""
    moment = ((inertia, 0.0, 0.0), (0.0, inertia, 0.0), (0.0, 0.0, inertia))
    body = Body(name="wheel", inertial=Inertial(mass=1.0, moment=moment))
    joint = Joint(name="axle", type=type_ or Revolute(), parent=None, child="wheel")
    joint = replace(joint, **fields)  # type: ignore[arg-type]
    actuator = Actuator(name="drive", joint="axle", type="electric_motor", motor=motor)
    model = Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]), actuators=NamedList([actuator]))
    return World(models=NamedList([model]), gravity=(0.0, 0.0, gravity))


def simulation(world: World, report: Report | None = None, **options: float) -> Simulation:
    return Simulation(world, report=Report() if report is None else report, **options)


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_the_motor_of_the_page(step: float) -> None:
    """Without load it runs at 3,990 revolutions a minute; stall torque, current and rise follow from its sheet."""
    sim = simulation(turning(PAGE, inertia=1e-12), time_step=step)
    motor = sim.actuators["drive"]
    motor.command(voltage=24.0)
    assert motor.torque == pytest.approx(0.0552 * 24.0 / 41.5, rel=CLOSE)
    assert motor.current == pytest.approx(24.0 / 41.5, rel=CLOSE)
    assert motor.voltage == pytest.approx(24.0, rel=CLOSE)
    constant_of_time = 41.5 * (0.0000023 + 1e-12) / 0.0552**2
    steps = round(constant_of_time / step)
    sim.step(steps)
    # Constant friction changes the final speed, and not the exponential.
    final = 3990 * PER_MINUTE
    assert motor.speed == pytest.approx(final * (1.0 - math.exp(-steps * step / constant_of_time)), rel=CLOSE)
    sim.run(20.0 * constant_of_time)
    assert motor.speed / PER_MINUTE == pytest.approx(3990.0, rel=1e-6)
    assert motor.current == pytest.approx((24.0 - 0.0552 * final) / 41.5, rel=CLOSE)


def test_overload_is_reported() -> None:
    report = Report()
    sim = simulation(turning(PAGE, inertia=1e-12), report)
    sim.actuators["drive"].command(voltage=24.0)
    sim.run(1.0)
    found = {finding.message.partition(", ")[0] for finding in report.take("overloaded-motor")}
    assert found == {"m/drive: the motor exceeds its maximum speed", "m/drive: the motor exceeds its rated power"}
    assert not report


def test_a_gear_and_a_load() -> None:
    """The rotor's inertia counts by the gear squared; friction behind the gear takes its part of the current."""
    motor = replace(PLAIN, coulomb_friction=2.0, viscous_friction=0.5)
    sim = simulation(turning(motor), time_step=1e-4)
    drive = sim.actuators["drive"]
    drive.command(voltage=12.0)
    gear, constant, resistance = 50.0, 0.05, 2.0
    whole = INERTIA + 1e-5 * gear**2
    damping = (gear * constant) ** 2 / resistance + 0.5
    final = (gear * constant * 12.0 / resistance - 2.0) / damping
    constant_of_time = whole / damping
    steps = round(constant_of_time / 1e-4)
    sim.step(steps)
    assert drive.speed == pytest.approx(gear * final * (1.0 - math.exp(-steps * 1e-4 / constant_of_time)), rel=CLOSE)
    sim.run(20.0 * constant_of_time)
    assert drive.speed == pytest.approx(gear * final, rel=CLOSE)
    assert drive.current == pytest.approx((2.0 + 0.5 * final) / (gear * constant), rel=CLOSE)


def test_a_locked_motor_has_its_stall_torque() -> None:
    """A stiff spring holds the joint: its angle is proportional to the torque."""
    stiffness = 1000.0
    sim = simulation(turning(PLAIN, coordinates=(Coordinate(stiffness=stiffness, damping=20.0),)))
    sim.actuators["drive"].command(voltage=24.0)
    sim.run(3.0)
    stall = 50.0 * 0.05 * 24.0 / 2.0
    assert sim.positions()["m"]["axle"][0] == pytest.approx(stall / stiffness, rel=CLOSE)
    assert characteristics(PLAIN).stall_torque == pytest.approx(stall / 50.0)


def test_a_motor_without_a_command_coasts() -> None:
    """No current flows: the back-EMF brakes nothing; at no voltage it does."""
    free = simulation(turning(PLAIN, coordinates=(Coordinate(initial_velocity=1.0),)))
    free.run(1.0)
    assert free.velocities()["m"]["axle"][0] == pytest.approx(1.0, rel=1e-12)
    shorted = simulation(turning(PLAIN, coordinates=(Coordinate(initial_velocity=1.0),)), time_step=1e-4)
    shorted.actuators["drive"].command(voltage=0.0)
    shorted.run(0.1)
    rate = (50.0 * 0.05) ** 2 / 2.0 / (INERTIA + 1e-5 * 2500.0)
    assert shorted.velocities()["m"]["axle"][0] == pytest.approx(math.exp(-0.1 * rate), rel=CLOSE)
    shorted.actuators["drive"].command()
    before = shorted.velocities()
    shorted.run(0.1)
    assert shorted.velocities()["m"]["axle"][0] == pytest.approx(before["m"]["axle"][0], rel=1e-9)


def test_torque() -> None:
    """The drive overcomes the back-EMF as far as the voltage reaches."""
    report = Report()
    sim = simulation(turning(PLAIN), report)
    sim.actuators["drive"].command(torque=5.0)
    whole = INERTIA + 1e-5 * 2500.0
    sim.run(0.25)
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(5.0 * 0.25 / whole, rel=CLOSE)
    assert not report
    sim.run(20.0)
    # At 24 V the torque is 5 N·m where 2.5 (24 - 2.5 ω) / 2 = 5; from there it falls, down to nothing.
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(24.0 / 2.5, rel=CLOSE)
    assert [finding.message.partition(", ")[0] for finding in report.take("motor-saturated")] == [
        "m/drive: the motor voltage is at its limit"
    ]


@pytest.mark.parametrize(
    ("limits", "torque"),
    [
        ({"max_torque": 0.02}, lambda speed: 0.02),
        ({"power_rating": 1.0}, lambda speed: min(0.1, 1.0 / speed if speed else math.inf)),
        ({"max_points": (TorquePoint(speed=0.0, torque=0.05), TorquePoint(speed=400.0, torque=0.0))}, None),
    ],
    ids=["torque", "power", "curve"],
)
def test_limits_of_torque(limits: dict[str, object], torque: object) -> None:
    """The drive is limited as in the data sheet, integrated separately with the rate of the joint."""
    motor = replace(PLAIN, nominal_voltage=1e4, **limits)  # type: ignore[arg-type]
    report = Report()
    sim = simulation(turning(motor), report, time_step=1e-4)
    sim.actuators["drive"].command(torque=5.0)
    whole, speed, step = (INERTIA + 1e-5 * 2500.0) / 2500.0, 0.0, 1e-5
    for _ in range(50_000):
        available = 0.05 * max(0.0, 1.0 - speed / 400.0) if torque is None else torque(speed)  # type: ignore[operator]
        speed += step * min(0.1, available) / whole
    sim.run(0.5)
    assert sim.actuators["drive"].speed == pytest.approx(speed, rel=CLOSE)
    assert report.take("motor-saturated")


def test_velocity() -> None:
    sim = simulation(turning(PLAIN))
    sim.actuators["drive"].command(velocity=2.0)
    sim.run(1.0)
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(2.0, rel=CLOSE)


def test_the_maximum_speed_limits_a_drive() -> None:
    report = Report()
    sim = simulation(turning(replace(PLAIN, max_speed=50.0)), report)
    sim.actuators["drive"].command(velocity=2.0)
    sim.run(1.0)
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(1.0, rel=CLOSE)
    assert any("the motor speed is at its limit" in finding.message for finding in report.take("motor-saturated"))


def test_position_under_gravity() -> None:
    """The integral gain takes away what gravity leaves over."""
    world = turning(PLAIN, gravity=-9.81, type_=Revolute(axis=(0.0, 1.0, 0.0)))
    body = world.models[0].bodies[0]
    heavy = replace(body, inertial=replace(body.inertial, center_of_mass=(0.5, 0.0, 0.0)))
    world = replace(world, models=NamedList([replace(world.models[0], bodies=NamedList([heavy]))]))
    sim = simulation(world)
    sim.actuators["drive"].command(position=0.5)
    sim.run(3.0)
    assert sim.positions()["m"]["axle"][0] == pytest.approx(0.5, rel=CLOSE)
    held = 9.81 * 0.5 * math.cos(0.5) / 50.0
    assert sim.actuators["drive"].torque == pytest.approx(-held, rel=CLOSE)


def test_specified_gains_are_those_of_an_oscillator() -> None:
    """Without resistance in the way, a position drive is a spring and a damper: its motion is the damped swing's."""
    motor = replace(PLAIN, nominal_voltage=1e6)
    world = turning(motor)
    model = world.models[0]
    whole = INERTIA + 1e-5 * 2500.0
    gains = Controller(proportional=whole * 100.0, derivative=whole * 4.0)
    driven = replace(model.actuators[0], controller=gains)
    sim = simulation(replace(world, models=NamedList([replace(model, actuators=NamedList([driven]))])), time_step=1e-4)
    sim.actuators["drive"].command(position=1.0)
    sim.run(0.3)
    assert not [finding for finding in sim.report if finding.rule.name == "assumed-gains"]
    decay, swing = 2.0, math.sqrt(100.0 - 4.0)
    expected = 1.0 - math.exp(-decay * 0.3) * (math.cos(swing * 0.3) + decay / swing * math.sin(swing * 0.3))
    assert sim.positions()["m"]["axle"][0] == pytest.approx(expected, rel=CLOSE)


def test_a_prismatic_joint() -> None:
    """Of a slide the gear is in radians of the motor per metre."""
    motor = replace(PLAIN, gear_ratio=200.0)
    sim = simulation(turning(motor, type_=Prismatic()), time_step=1e-4)
    sim.actuators["drive"].command(voltage=24.0)
    sim.run(5.0)
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(24.0 / 0.05 / 200.0, rel=CLOSE)


def test_two_motors_on_one_joint() -> None:
    world = turning(PLAIN)
    model = world.models[0]
    second = replace(model.actuators[0], name="second")
    sim = simulation(replace(world, models=NamedList([replace(model, actuators=NamedList([model.actuators[0], second]))])))
    sim.actuators["drive"].command(torque=1.0)
    sim.actuators["m/second"].command(torque=2.0)
    sim.run(0.1)
    whole = INERTIA + 2.0 * 1e-5 * 2500.0
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(3.0 * 0.1 / whole, rel=CLOSE)


def test_a_torque_curve_without_electrical_data_accepts_no_voltage() -> None:
    sim = simulation(turning(ElectricMotor(max_torque=0.02, gear_ratio=50.0)))
    with pytest.raises(ValueError, match="accepts no voltage"):
        sim.actuators["drive"].command(voltage=1.0)
    with pytest.raises(ValueError, match="one command"):
        sim.actuators["drive"].command(torque=1.0, velocity=1.0)
    with pytest.raises(KeyError, match="there is no motor 'drove'"):
        sim.actuators["drove"]
    sim.actuators["drive"].command(torque=10.0)
    # As OpenRAVE has it: the gear times the momentary torque.
    assert sim.actuators["drive"].torque * 50.0 == pytest.approx(1.0)


def test_a_motor_that_drives_nothing_is_reported() -> None:
    report = Report()
    sim = simulation(turning(PLAIN, type_=Spherical()), report)
    assert not sim.actuators
    (told,) = report.take("idle-actuator")
    assert "spherical" in told.message


def test_a_stiff_motor_is_stepped_at_the_end_of_the_step() -> None:
    """The back-EMF of a strong motor exceeds the stability limit of the leapfrog integrator at this step."""
    motor = ElectricMotor(nominal_voltage=24.0, resistance=0.01, torque_constant=0.05, gear_ratio=50.0)
    sim = simulation(turning(motor))
    assert "back-EMF of 'drive'" in sim.compiled.choice.reason
    sim.actuators["drive"].command(voltage=24.0)
    sim.run(1.0)
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(24.0 / 2.5, rel=CLOSE)


def test_command_files(tmp_path: Path) -> None:
    world = turning(PLAIN)
    path = tmp_path / "commands.csv"
    path.write_text("time,m/drive:voltage\n0,0\n1,12\n")
    report = Report()
    ((key, table),) = read_commands(path, world, report).items()
    assert key == ("m", "drive:voltage")
    assert not report
    sim = simulation(world)
    sim.command(*key, table)
    sim.step(500)
    assert sim.actuators["drive"].voltage == pytest.approx(6.0, rel=CLOSE)
    path.write_text("time,m/drive\n0,0\n")
    read_commands(path, world, report)
    (told,) = report.take("invalid-command-file")
    assert "drive:" in str(told.hint)


def test_a_table_of_positions_is_tracked_with_its_rate() -> None:
    sim = simulation(turning(replace(PLAIN, nominal_voltage=1e4)))
    sim.actuators["drive"].command(position=SampledSignal([0.0, 2.0], [0.0, 2.0]))
    sim.run(1.5)
    assert sim.positions()["m"]["axle"][0] == pytest.approx(1.5, abs=CLOSE)
    assert sim.velocities()["m"]["axle"][0] == pytest.approx(1.0, rel=CLOSE)


def test_recordings_include_quantities_of_motors() -> None:
    sim = simulation(turning(PLAIN))
    sim.actuators["drive"].command(voltage=12.0)
    recording = sim.run(0.02, sample=0.01)
    (first, *_) = recording.elements["m"]["drive"]["current"]
    assert first == pytest.approx(6.0)
    assert set(recording.elements["m"]["drive"]) == {"speed", "torque", "current", "voltage"}


def test_mjcf_moves_as_the_motor() -> None:
    """The engine's own reading of the file that is written makes the same motion."""
    world = turning(PLAIN)
    ledger = Ledger()
    text = write_mjcf(world, ledger, meshes=MeshStore.of(world), report=Report())
    assert any(entry.path == "m/drive.motor" for entry in ledger)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    motor = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_ACTUATOR, "m/drive voltage")
    data.ctrl[motor] = 12.0
    for _ in range(2000):
        mujoco.mj_step(model, data)
    assert data.qvel[0] == pytest.approx(12.0 / 2.5, rel=CLOSE)
