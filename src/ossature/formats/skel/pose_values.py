"""SKEL's six numbers for a pose."""

from __future__ import annotations

from ossature.diagnostics.ledger import Ledger
from ossature.formats.skel.schema import ZERO6
from ossature.spatial import (
    IDENTITY,
    Pose,
    conjugate,
    multiply,
    norm,
    quaternion_from_euler,
    rotation_vector_from_quaternion,
)


def pose_of(transformation: tuple[float, ...]) -> Pose:
    """Return the pose that ``x y z rx ry rz`` spells: metres, then intrinsic X-Y-Z Euler angles in radians."""
    if transformation == ZERO6:
        return IDENTITY
    x, y, z, rx, ry, rz = transformation
    return Pose.from_euler((x, y, z), (rx, ry, rz), "xyz")


def transformation_of(pose: Pose, path: str, ledger: Ledger) -> tuple[float, ...]:
    """Return the six numbers that spell a pose; rounding of the angles goes to the ledger."""
    angles = pose.euler("xyz")
    read_back = quaternion_from_euler(angles, "xyz")
    if read_back != pose.wxyz and pose is not IDENTITY:
        error = norm(rotation_vector_from_quaternion(multiply(conjugate(pose.wxyz), read_back)))
        ledger.approximated(path, "the rotation is written as Euler angles", error=error)
    return (*pose.position, *angles)
