"""Conversion between ``<origin>`` elements and poses. Roll, pitch and yaw are extrinsic x-y-z, thus intrinsic z-y-x angles."""

from __future__ import annotations

from functools import partial

from ossature.diagnostics import Report
from ossature.diagnostics.ledger import Ledger
from ossature.formats.suspected_degrees import report_suspected_degrees
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


def pose_of(origin: OriginElement | None, report: Report) -> Pose:
    """Return the pose of an origin; a missing origin is the identity."""
    if origin is None:
        return IDENTITY
    if origin.quat_xyzw is not None:
        return _pose_of_quaternion(origin, report)
    if origin.rpy is None or origin.rpy == ZERO3:
        return Pose(origin.xyz) if origin.xyz != ZERO3 else IDENTITY
    roll, pitch, yaw = origin.rpy
    report_suspected_degrees("rpy", partial(origin.location, "rpy"), origin.rpy, report)
    return Pose.from_euler(origin.xyz, (yaw, pitch, roll), "zyx")


def _pose_of_quaternion(origin: OriginElement, report: Report) -> Pose:
    assert origin.quat_xyzw is not None  # noqa: S101  # the caller checks it
    x, y, z, w = origin.quat_xyzw
    try:
        return Pose(origin.xyz, normalized((w, x, y, z)))
    except ValueError:
        report.add(rules.ZERO_QUATERNION, "quat_xyzw is zero", origin.location("quat_xyzw"), hint="the identity is 0 0 0 1")
        return Pose(origin.xyz)


def origin_of(pose: Pose, path: str, ledger: Ledger) -> OriginElement | None:
    """Return the origin of a pose, or None for the identity; rounding errors of the angles are recorded in the ledger."""
    if pose == IDENTITY:
        return None
    yaw, pitch, roll = angles = pose.euler("zyx")
    read_back = quaternion_from_euler(angles, "zyx")
    error = norm(rotation_vector_from_quaternion(multiply(conjugate(pose.wxyz), read_back)))
    if error > ROUNDING:
        ledger.approximated(path, "rotation written as roll, pitch and yaw", error=error)
    return OriginElement(xyz=pose.position, rpy=(roll, pitch, yaw) if angles != ZERO3 else None)


ROUNDING = 1e-12
"""Smaller differences of angles [rad] are not recorded."""
