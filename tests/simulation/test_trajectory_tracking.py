"""Trajectory tracking with motors and ideal servos, and tracking errors."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_electric_motors import PLAIN, turning

import ossature
from ossature.diagnostics import Report
from ossature.kinematics import fix_bases
from ossature.model import Actuator, Channel, ElectricMotor, Interpolation, Model, NamedList, Trajectory, World
from ossature.simulation import Simulation, TrajectoryTracker, recorded_trajectory


def swing(joint: str = "axle", model: str = "m") -> Trajectory:
    """Return half a turn from rest to rest in two seconds."""
    still = ((0.0,), (0.0,))
    channel = Channel(
        model=model,
        joint=joint,
        times=(0.0, 2.0),
        values=(0.25, 1.25),
        interpolations=(Interpolation.HERMITE,),
        in_tangents=still,
        out_tangents=still,
    )
    return Trajectory(name="swing", channels=(channel,))


def without_motor(world: World) -> World:
    return replace(world, models=NamedList([replace(world.models[0], actuators=NamedList())]))


def test_a_motor_tracks_a_trajectory_with_a_tracking_error() -> None:
    report = Report()
    following = TrajectoryTracker(turning(PLAIN), swing(), report=report)
    recording = following.run(sample=0.01)
    (error,) = following.errors(recording)
    (assumed,) = report.take("assumed-gains")
    assert assumed.path == "m/drive"
    assert not report
    assert error.drive == "drive"
    assert 0.0 < error.largest < 0.02
    assert error.mean_square < error.largest
    assert abs(error.final) < error.largest
    # The reported error equals that of the recording.
    s = np.asarray(recording.times) / 2.0
    wanted = 0.25 + 3.0 * s**2 - 2.0 * s**3
    reached = [recording.joint_positions("m", "axle", n)[0] for n in range(len(s))]
    assert error.largest == pytest.approx(np.abs(np.asarray(reached) - wanted).max())


def test_an_ideal_servo_is_reported_and_has_no_tracking_error() -> None:
    report = Report()
    following = TrajectoryTracker(without_motor(turning(PLAIN)), swing(), report=report)
    (told,) = report.take("ideal-servo")
    assert "m/axle" in told.message
    (error,) = following.errors(following.run(sample=0.01))
    assert error.drive is None
    assert error.largest < 1e-6


def test_a_saturated_motor_has_a_large_tracking_error() -> None:
    report = Report()
    weak = replace(PLAIN, max_torque=0.001)
    following = TrajectoryTracker(turning(weak), swing(), report=report)
    (error,) = following.errors(following.run(sample=0.01))
    assert error.largest > 0.1
    assert any("torque is at its limit" in finding.message for finding in report.take("motor-saturated"))


def motors_for(model: Model) -> Model:
    """Return a robot with a strong motor in each joint that moves."""
    sheet = ElectricMotor(nominal_voltage=48.0, resistance=0.5, torque_constant=0.1, rotor_inertia=2e-4, gear_ratio=100.0)
    joints = [joint.name for joint in model.joints if joint.degrees_of_freedom]
    actuators = [Actuator(name=f"{joint} motor", joint=joint, type="electric_motor", motor=sheet) for joint in joints]
    return replace(model, actuators=NamedList(actuators))


@pytest.mark.corpus
def test_a_puma_tracks_a_recorded_trajectory(corpus: Path) -> None:
    """A PUMA swings freely under gravity while its motions are recorded; then motors repeat it."""
    world = fix_bases(ossature.load(corpus / "corpus" / "openrave" / "pumaarm.zae"))
    (model,) = world.models
    # Its limits would make the free swing bounce.
    free = Simulation(world, report=Report(), enforce_limits=False)
    recorded = recorded_trajectory(free.run(0.5, sample=0.01))
    assert len(recorded.channels) == 6
    driven = replace(world, models=NamedList([motors_for(model)]))
    report = Report()
    following = TrajectoryTracker(driven, recorded, report=report, enforce_limits=False)
    errors = following.errors(following.run(sample=0.01))
    assert {error.drive for error in errors} == {f"{channel.joint} motor" for channel in recorded.channels}
    span = max(max(channel.values) - min(channel.values) for channel in recorded.channels)
    assert span > 0.2
    assert max(error.largest for error in errors) < 0.1 * span
    report.take("motor-saturated")
    assert not report.errors


def test_a_recorded_trajectory_equals_the_recording() -> None:
    sim = Simulation(turning(PLAIN), report=Report())
    sim.actuators["drive"].command(velocity=math.pi)
    recording = sim.run(0.5, sample=0.1)
    (channel,) = recorded_trajectory(recording).channels
    assert channel.times == pytest.approx((0.0, 0.1, 0.2, 0.3, 0.4, 0.5))
    assert channel.values[-1] == recording.joint_positions("m", "axle")[0]
