"""Closed chains of bars and hinges."""

from __future__ import annotations

from collections.abc import Sequence

from ossature.model import Body, Fixed, Inertial, Joint, Model, NamedList, Revolute
from ossature.spatial import Pose, Vector3, quaternion_between

Z = (0.0, 0.0, 1.0)
POINTS = ((0.0, 0.0, 0.0), (0.3, 1.0, 0.0), (2.5, 1.5, 0.0), (2.0, 0.0, 0.0))
"""Hinges of a four-bar linkage [m]."""


def hinged(
    points: Sequence[Vector3], axes: Sequence[Vector3] | None = None, *, extra: Sequence[tuple[int, int, Vector3, Vector3]] = ()
) -> Model:
    """Return a closed chain of bars between hinges, the last at the ground; ``extra`` adds bars."""
    count = len(points) - 1
    axes = axes or [Z] * len(points)
    bodies = [Body(name="ground", inertial=Inertial(mass=1.0))]
    bodies += [Body(name=f"bar{n}", inertial=Inertial(mass=1.0), pose=Pose(points[n])) for n in range(count)]
    names = ["ground", *(f"bar{n}" for n in range(count)), "ground"]
    joints = [Joint(name="mount", type=Fixed(), parent=None, child="ground")]
    for n, (point, axis) in enumerate(zip(points, axes, strict=True)):
        parent, child = (names[n], names[n + 1]) if n < count else ("ground", names[n])
        joints.append(hinge(f"hinge{n}", parent, child, point, axis, bodies))
    for number, (first, second, start, end) in enumerate(extra):
        bodies.append(Body(name=f"extra{number}", inertial=Inertial(mass=1.0), pose=Pose(start)))
        joints.append(hinge(f"start{number}", names[first], f"extra{number}", start, Z, bodies))
        joints.append(hinge(f"end{number}", names[second], f"extra{number}", end, Z, bodies))
    return Model(name="m", bodies=NamedList(bodies), joints=NamedList(joints))


def hinge(name: str, parent: str, child: str, point: Vector3, axis: Vector3, bodies: Sequence[Body]) -> Joint:
    body = next(one for one in bodies if one.name == child)
    frame = Pose(point, quaternion_between(Z, axis))
    return Joint(name=name, type=Revolute(axis=Z), parent=parent, child=child, pose=body.pose.inverse() @ frame)
