"""A robot whose first and last link overlap."""

from __future__ import annotations

from ossature import model as m
from ossature.model import Body, Collision, Coordinate, Inertial, Joint, Model, NamedList, World
from ossature.spatial import Pose

SIZE = 0.2


def link(name: str, x: float, *, size: float = SIZE) -> Body:
    shape = Collision(geometry=m.Box(size=(size, 0.1, 0.1)))
    moment = ((0.01, 0.0, 0.0), (0.0, 0.01, 0.0), (0.0, 0.0, 0.01))
    return Body(name=name, pose=Pose((x, 0.0, 0.0)), inertial=Inertial(moment=moment), collisions=(shape,), self_collide=True)


def hinge(name: str, parent: str | None, child: str, position: float = 0.0) -> Joint:
    axis = m.Revolute(axis=(0.0, 0.0, 1.0))
    return Joint(name=name, type=axis, parent=parent, child=child, coordinates=(Coordinate(initial_position=position),))


def neck(distance: float = 0.15, position: float = 0.0, *extra: Body) -> World:
    """Return a robot with three links, of which the first and the last overlap unless the joint between them turns."""
    bodies = [link("trunk", 0.0), link("neck", 0.5 * distance, size=0.02), link("head", distance), *extra]
    joints = [hinge("base", None, "trunk"), hinge("pan", "trunk", "neck"), hinge("tilt", "neck", "head", position)]
    return World(models=NamedList([Model(name="robot", bodies=NamedList(bodies), joints=NamedList(joints))]))
