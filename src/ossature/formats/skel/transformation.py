"""SKEL's six numbers for a pose."""

from __future__ import annotations

from ossature.formats.skel.schema import ZERO6
from ossature.spatial import IDENTITY, Pose


def pose_of(transformation: tuple[float, ...]) -> Pose:
    """Return the pose that ``x y z rx ry rz`` spells: metres, then intrinsic X-Y-Z Euler angles in radians."""
    if transformation == ZERO6:
        return IDENTITY
    x, y, z, rx, ry, rz = transformation
    return Pose.from_euler((x, y, z), (rx, ry, rz), "xyz")


def transformation_of(pose: Pose) -> tuple[float, ...]:
    """Return the six numbers that spell a pose."""
    return (*pose.position, *pose.euler("xyz"))
