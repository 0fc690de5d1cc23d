"""Small Worlds to sense in, made by hand."""

from __future__ import annotations

from typing import Any

from ossature.diagnostics import Report
from ossature.model import (
    Actuation,
    Body,
    Box,
    Collision,
    Coordinate,
    Geometry,
    Inertial,
    Joint,
    Model,
    NamedList,
    Prismatic,
    Revolute,
    Sensor,
    SensorDescription,
    World,
)
from ossature.simulation import Simulation
from ossature.spatial import IDENTITY, Pose, Vector3

UNIT_MOMENT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
CARRIER = "carrier"


def thing(name: str, geometry: Geometry, pose: Pose = IDENTITY, **details: Any) -> Model:
    """Return a model that stands still and has one shape."""
    body = Body(name=name, collisions=(Collision(geometry=geometry),), **details)
    return Model(name=name, pose=pose, static=True, bodies=NamedList([body]))


def carrier(
    description: SensorDescription,
    *,
    slides_along: Vector3 | None = None,
    turns_about: Vector3 | None = None,
    speed: float = 0.0,
    pose: Pose = IDENTITY,
    sensor_pose: Pose = IDENTITY,
    mass: float = 1.0,
) -> Model:
    """Return a body with a sensor called ``eye``, which stands still, slides or turns at a given speed."""
    body = Body(name="body", inertial=Inertial(mass=mass, moment=UNIT_MOMENT), gravity=False)
    sensor = Sensor(name="eye", body="body", pose=sensor_pose, description=description)
    joints = []
    if slides_along is not None or turns_about is not None:
        kind = Prismatic(axis=slides_along) if slides_along is not None else Revolute(axis=turns_about or (0.0, 0.0, 1.0))
        coordinate = Coordinate(initial_velocity=speed)
        joints = [
            Joint(name="way", type=kind, parent=None, child="body", coordinates=(coordinate,), actuation=Actuation.PASSIVE)
        ]
    return Model(
        name=CARRIER,
        pose=pose,
        static=not joints,
        bodies=NamedList([body]),
        joints=NamedList(joints),
        sensors=NamedList([sensor]),
    )


def simulation(*models: Model, report: Report | None = None, time_step: float = 0.001, **world: Any) -> Simulation:
    """Return a simulation of models."""
    whole = World(name="room", models=NamedList(models), time_step=time_step, **world)
    return Simulation(whole, report=report if report is not None else Report())


def box(size: Vector3 = (1.0, 1.0, 1.0)) -> Box:
    """Return a box."""
    return Box(size=size)
