"""URDF's origins ⇄ poses. Roll, pitch and yaw turn about fixed axes, which is yaw, pitch and roll about moving ones."""

from __future__ import annotations

import math

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.urdf import rules
from ossature.formats.urdf.schema import OriginElement
from ossature.spatial import (
    IDENTITY,
    ZERO3,
    Pose,
    conjugate,
    multiply,
    norm,
    normalized,
    quaternion_from_euler,
    rotation_vector_from_quaternion,
)

_WHOLE_TURN = math.tau + 1e-3
"""The largest angle that authors write who think in radians [rad], and what they round."""


def pose_of(origin: OriginElement | None, report: Report) -> Pose:
    """Return the pose that an origin spells; none at all means that the frames coincide."""
    if origin is None:
        return IDENTITY
    if origin.quat_xyzw is not None:
        return _pose_of_quaternion(origin, report)
    if origin.rpy is None or origin.rpy == ZERO3:
        return Pose(origin.xyz) if origin.xyz != ZERO3 else IDENTITY
    roll, pitch, yaw = origin.rpy
    largest = max(map(abs, origin.rpy))
    if largest > _WHOLE_TURN:
        report.add(
            rules.DEGREES,
            f"rpy turns by {largest:g} rad, which is {math.degrees(largest):.0f}°",
            origin.location("rpy"),
            hint=f"if degrees were meant: {math.radians(largest):.5g} rad",
        )
    return Pose.from_euler(origin.xyz, (yaw, pitch, roll), "zyx")


def _pose_of_quaternion(origin: OriginElement, report: Report) -> Pose:
    assert origin.quat_xyzw is not None  # noqa: S101  # the caller looked
    x, y, z, w = origin.quat_xyzw
    try:
        return Pose(origin.xyz, normalized((w, x, y, z)))
    except ValueError:
        report.add(rules.BAD_QUATERNION, "quat_xyzw is zero", origin.location("quat_xyzw"), hint="0 0 0 1 is no rotation")
        return Pose(origin.xyz)


def origin_of(pose: Pose, path: str, ledger: Ledger) -> OriginElement | None:
    """Return the origin that spells a pose, or None where there is nothing to say; rounding of angles goes to the ledger."""
    if pose == IDENTITY:
        return None
    yaw, pitch, roll = angles = pose.euler("zyx")
    read_back = quaternion_from_euler(angles, "zyx")
    error = norm(rotation_vector_from_quaternion(multiply(conjugate(pose.wxyz), read_back)))
    if error > ROUNDING:
        ledger.approximated(path, "the rotation is written as roll, pitch and yaw", error=error)
    return OriginElement(xyz=pose.position, rpy=(roll, pitch, yaw) if angles != ZERO3 else None)


ROUNDING = 1e-12
"""Angles [rad] and lengths [m] that are less apart are not told of."""
