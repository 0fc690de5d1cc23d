"""Conversion between poses and the six numbers of a SKEL ``<transformation>``."""

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

ROUNDING = 1e-12
"""Rotations by smaller angles are rounding errors [rad]."""


def pose_of(transformation: tuple[float, ...]) -> Pose:
    """Return the pose of ``x y z rx ry rz``: a position [m], and intrinsic X-Y-Z Euler angles [rad]."""
    if transformation == ZERO6:
        return IDENTITY
    x, y, z, rx, ry, rz = transformation
    return Pose.from_euler((x, y, z), (rx, ry, rz), "xyz")


def transformation_of(pose: Pose, path: str, ledger: Ledger) -> tuple[float, ...]:
    """Return the six numbers of a pose; rounding errors of the angles are recorded in the ledger."""
    angles = pose.euler("xyz")
    read_back = quaternion_from_euler(angles, "xyz")
    if read_back != pose.wxyz and pose is not IDENTITY:
        error = norm(rotation_vector_from_quaternion(multiply(conjugate(pose.wxyz), read_back)))
        record = ledger.rewritten if error < ROUNDING else ledger.approximated
        record(path, "rotation written as Euler angles", error=error)
    return (*pose.position, *angles)
