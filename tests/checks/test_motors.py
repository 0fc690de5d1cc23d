"""Checks of motors: their joints, functions and parameters."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from ossature import model as m
from ossature.checks import check
from ossature.diagnostics import Report
from ossature.model import NamedList, World

from .worlds_and_cases import Cases, find_none, find_one, good_joint, numbered, world_of


def driven(guide: m.MotorKinematics, *others: m.Motor, **fields: object) -> World:
    """A body that a joint and a motor move against the world."""
    world = world_of(joints=(replace(good_joint(), coordinates=(), **fields),))
    motor = m.Motor(name="drive", body1="b", body2=None, guide=guide, drive=m.DriveMode.SPEED)
    return replace(world, models=NamedList([replace(world.models[0], motors=NamedList([motor, *others]))]))


def repeating(guide: m.MotorKinematics, change: float, drive: m.DriveMode = m.DriveMode.POSITION, **fields: object) -> World:
    """A body that a motor moves by a change within each repetition of its function."""
    world = driven(guide, **fields)
    function = m.RepeatedFunction(function=m.RampFunction(slope=2.0 * change), start=0.1, width=0.5)
    motor = replace(world.models[0].motors["drive"], drive=drive, function=function)
    return replace(world, models=NamedList([replace(world.models[0], motors=NamedList([motor]))]))


def with_motor(**numbers: object) -> World:
    """Return a World whose joint is driven by a motor that states these numbers."""
    motor = m.ElectricMotor(**numbers)  # type: ignore[arg-type]
    world = world_of()
    actuators = NamedList([m.Actuator(name="drive", joint="j", type="electric_motor", motor=motor)])
    return replace(world, models=NamedList([replace(world.models[0], actuators=actuators)]))


def points(*pairs: tuple[float, float]) -> tuple[m.TorquePoint, ...]:
    return tuple(m.TorquePoint(speed=speed, torque=torque) for speed, torque in pairs)


BAD: Cases = {
    "discontinuous-motor-position": (
        lambda: repeating(m.MotorKinematics.PRISMATIC, math.tau, type=m.Prismatic()),
        lambda: repeating(m.MotorKinematics.REVOLUTE, 1.5 * math.tau, type=m.Revolute()),
    ),
    "conflicting-motors": (
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Fixed()),
        lambda: driven(m.MotorKinematics.PRISMATIC, type=m.Revolute()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.Spherical()),
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Prismatic()),
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Revolute(axis=(1.0, 0.0, 0.0))),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.PointOnPlane()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.PointOnLine()),
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Universal()),
        lambda: driven(
            m.MotorKinematics.REVOLUTE,
            m.Motor(name="second", body1=None, body2="b", guide=m.MotorKinematics.ROTATION_FREE, drive=m.DriveMode.POSITION),
            type=m.Revolute(),
        ),
    ),
    "invalid-motor-parameter": (
        lambda: with_motor(resistance=0.0),
        lambda: with_motor(rotor_inertia=-1e-6),
        lambda: with_motor(gear_ratio=0.0),
        lambda: with_motor(max_points=points((1.0, 1.0), (1.0, 0.5))),
        lambda: with_motor(nominal_points=points((0.0, 1.0), (1.0, -0.5))),
    ),
    "inconsistent-motor-datasheet": (
        lambda: with_motor(torque_constant=0.05, speed_constant=21.0),
        lambda: with_motor(nominal_voltage=24.0, resistance=4.0, starting_current=5.0),
        lambda: with_motor(torque_constant=0.05, starting_current=5.0, stall_torque=0.5),
        lambda: with_motor(resistance=4.0, torque_constant=0.05, speed_torque_gradient=600.0),
        lambda: with_motor(no_load_speed=400.0, stall_torque=0.25, speed_torque_gradient=2400.0),
        lambda: with_motor(nominal_voltage=24.0, torque_constant=0.05, no_load_speed=500.0),
        lambda: with_motor(nominal_voltage=24.0, speed_constant=20.0, no_load_speed=7.0),
    ),
}

NEARLY: Cases = {
    "discontinuous-motor-position": (
        lambda: repeating(m.MotorKinematics.PRISMATIC, 0.0, type=m.Prismatic()),
        lambda: repeating(m.MotorKinematics.REVOLUTE, 2.0 * math.tau, type=m.Revolute()),
        lambda: repeating(m.MotorKinematics.PRISMATIC, 1.0, m.DriveMode.SPEED, type=m.Prismatic()),
    ),
    "conflicting-motors": (
        lambda: driven(m.MotorKinematics.REVOLUTE, type=m.Revolute()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.Prismatic()),
        lambda: driven(m.MotorKinematics.LINEAR_FREE, type=m.Cylindrical()),
        lambda: driven(m.MotorKinematics.ROTATION_FREE, type=m.Cylindrical()),
        lambda: driven(m.MotorKinematics.ROTATION_FREE, type=m.Floating()),
        lambda: driven(
            m.MotorKinematics.ROTATION_FREE,
            m.Motor(name="second", body1="b", body2=None, guide=m.MotorKinematics.LINEAR_FREE, drive=m.DriveMode.POSITION),
            type=m.Cylindrical(),
        ),
    ),
    "invalid-motor-parameter": (
        lambda: with_motor(rotor_inertia=0.0, coulomb_friction=0.0, viscous_friction=0.0, gear_ratio=-50.0),
        lambda: with_motor(max_points=points((0.0, 1.0), (1.0, 0.0))),
    ),
    "inconsistent-motor-datasheet": (
        lambda: with_motor(torque_constant=0.05, speed_constant=20.1),
        lambda: with_motor(nominal_voltage=24.0, torque_constant=0.05, no_load_speed=460.0),
        lambda: with_motor(no_load_speed=400.0, stall_torque=0.25, speed_torque_gradient=1750.0),
        lambda: with_motor(torque_constant=0.05, starting_current=5.0),
    ),
}


def test_large_ratios_are_factors_and_small_ones_percentages(report: Report) -> None:
    for speed, expected in (
        (14400.0, "no_load_speed is 1.44e+04, 30 times nominal_voltage / torque_constant, which is 480"),
        (600.0, "no_load_speed is 600, 25 % more than nominal_voltage / torque_constant, which is 480"),
    ):
        check(with_motor(nominal_voltage=24.0, torque_constant=0.05, no_load_speed=speed), report=report)
        (finding,) = report.take("inconsistent-motor-datasheet")
        assert expected in finding.message


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)
