"""Worlds of one joint, and of boxes above a floor."""

from __future__ import annotations

from ossature import model as m
from ossature.model import Actuation, Body, Collision, Coordinate, DartStepping, Inertial, Joint, Model, NamedList, World
from ossature.simulation import Simulation
from ossature.spatial import Pose

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SMALL = ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01))


def one_joint(kind: m.JointType, actuation: Actuation = Actuation.FORCE, gravity: bool = False, **coordinate: object) -> World:
    """Return a World of one body of 1 kg and 1 kg·m² on one joint."""
    coordinates = tuple(Coordinate(**coordinate) for _ in range(kind.degrees_of_freedom))  # type: ignore[arg-type]
    joint = Joint(name="j", type=kind, parent=None, child="b", coordinates=coordinates, actuation=actuation)
    body = Body(name="b", inertial=Inertial(mass=1.0, moment=UNIT))
    gravity_vector = (0.0, 0.0, -9.81) if gravity else (0.0, 0.0, 0.0)
    return World(
        gravity=gravity_vector,
        hints=(DartStepping(),),
        models=NamedList([Model(name="m", bodies=NamedList([body]), joints=NamedList([joint]))]),
    )


def position(simulation: Simulation) -> tuple[float, ...]:
    return simulation.positions()["m"]["j"]


def velocity(simulation: Simulation) -> tuple[float, ...]:
    return simulation.velocities()["m"]["j"]


def box_world(*poses_of_boxes: Pose, static_floor: bool = True, **body: object) -> World:
    floor = Body(name="floor", pose=Pose((0.0, 0.0, -0.5)), collisions=(Collision(geometry=m.Box(size=(4.0, 4.0, 1.0))),))
    models = [Model(name="ground", static=True, bodies=NamedList([floor]))] if static_floor else []
    for number, pose in enumerate(poses_of_boxes):
        box = Body(
            name="box",
            pose=pose,
            inertial=Inertial(mass=1.0, moment=SMALL),
            collisions=(Collision(geometry=m.Box(size=(0.2, 0.2, 0.2))),),
            **body,  # type: ignore[arg-type]
        )
        joint = Joint(name="j", type=m.Floating(), parent=None, child="box")
        models.append(Model(name=f"box{number}", bodies=NamedList([box]), joints=NamedList([joint])))
    return World(models=NamedList(models))
