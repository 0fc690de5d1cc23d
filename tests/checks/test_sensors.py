"""Checks of sensors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from complete_robot import every_sensor
from ossature import model as m
from ossature.diagnostics import Report
from ossature.model import NamedList, World

from .worlds_and_cases import Cases, find_none, find_one, numbered, world_of


def with_sensor(kind: type, **fields: object) -> World:
    """Return a World whose body carries a sensor of a kind that states everything, but for some fields."""
    specified = next(one.description for one in every_sensor("b", "j") if type(one.description) is kind)
    known = {"target": "b"} if kind is m.Odometry else {}
    description = replace(specified, **{**known, **fields})  # type: ignore[type-var]  # data classes
    world = world_of()
    sensors = NamedList([m.Sensor(name="eye", body="b", description=description)])
    return replace(world, models=NamedList([replace(world.models[0], sensors=sensors)]))


FLAT = ((1.0, 2.0, 0.0), (2.0, 4.0, 0.0))

ASKEW = ((1.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

NEGATIVE = ((-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

SINGULAR = ((1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.0, 0.0, 0.0))


BAD: Cases = {
    "invalid-sensor-range": (
        lambda: with_sensor(m.Laser2D, min_distance=-0.5),
        lambda: with_sensor(m.Laser2D, max_distance=0.125),
        lambda: with_sensor(m.Laser2D, min_angle=2.0),
        lambda: with_sensor(m.Laser3D, max_turn=-1.0),
        lambda: with_sensor(m.FlashLaser, distance_deviation=-1.0),
        lambda: with_sensor(m.Force6D, force_range=(1.0, -1.0, 1.0)),
    ),
    "invalid-sensor-increment": (
        lambda: with_sensor(m.Laser2D, angle_increment=0.0),
        lambda: with_sensor(m.Laser2D, time_increment=-0.125),
        lambda: with_sensor(m.Laser3D, turn_increment=-0.125),
        lambda: with_sensor(m.Imu, measurement_time=0.0),
        lambda: with_sensor(m.Encoder, counts=0),
        lambda: with_sensor(m.Encoder, resolution=0.0),
        lambda: with_sensor(m.Force6D, polarity=2),
    ),
    "singular-intrinsics": (
        lambda: with_sensor(m.PinholeCamera, intrinsic=FLAT),
        lambda: with_sensor(m.FlashLaser, intrinsic=((0.0, 0.0, 32.0), (0.0, 0.0, 32.0))),
    ),
    "sensor-resolution-out-of-range": (
        lambda: with_sensor(m.PinholeCamera, width=0),
        lambda: with_sensor(m.PinholeCamera, width=2**20, height=2**20),
        lambda: with_sensor(m.PinholeCamera, channels=2),
        lambda: with_sensor(m.Laser2D, angle_increment=1e-6),
        lambda: with_sensor(m.FlashLaser, width=1000, height=1000),
        lambda: with_sensor(m.Encoder, coordinate=-1),
    ),
    "invalid-covariance": (
        lambda: with_sensor(m.Imu, rotation_covariance=ASKEW),
        lambda: with_sensor(m.Imu, linear_acceleration_covariance=NEGATIVE),
        lambda: with_sensor(m.Odometry, drift_covariance=(1.0,)),
    ),
    "unknown-sensor-target": (
        lambda: with_sensor(m.Encoder, joint="k"),
        lambda: with_sensor(m.Encoder, joint=None),
        lambda: with_sensor(m.Encoder, coordinate=1),
        lambda: with_sensor(m.Odometry, target="c"),
    ),
    "assumed-sensor-defaults": (
        lambda: with_sensor(m.Laser2D, angle_increment=None),
        lambda: with_sensor(m.PinholeCamera, intrinsic=None),
        lambda: with_sensor(m.StereoCamera, views=None),
    ),
}

NEARLY: Cases = {
    "invalid-sensor-range": (
        lambda: with_sensor(m.Laser2D, min_distance=0.0, min_angle=1.25),
        lambda: with_sensor(m.Force6D, force_range=(0.0, 1.0, 1.0)),
    ),
    "invalid-sensor-increment": (lambda: with_sensor(m.Laser2D, time_increment=0.0),),
    "singular-intrinsics": (lambda: with_sensor(m.PinholeCamera, intrinsic=((0.0, 500.0, 1.0), (500.0, 0.0, 1.0))),),
    "sensor-resolution-out-of-range": (lambda: with_sensor(m.FlashLaser, width=999, height=1000),),
    "invalid-covariance": (lambda: with_sensor(m.Imu, rotation_covariance=SINGULAR),),
    "unknown-sensor-target": (lambda: with_sensor(m.Odometry, target=None),),
    "assumed-sensor-defaults": (lambda: with_sensor(m.Imu), lambda: with_sensor(m.StereoCamera)),
}


@pytest.mark.parametrize(("name", "number"), numbered(BAD))
def test_bad(name: str, number: int, report: Report) -> None:
    find_one(name, BAD[name][number](), report)


@pytest.mark.parametrize(("name", "number"), numbered(NEARLY))
def test_nearly_bad(name: str, number: int, report: Report) -> None:
    find_none(name, NEARLY[name][number](), report)
