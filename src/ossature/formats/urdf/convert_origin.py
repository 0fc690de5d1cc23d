"""Conversion between ``<origin>`` elements and poses. Roll, pitch and yaw are extrinsic x-y-z, thus intrinsic z-y-x angles."""

from __future__ import annotations

import math

from ossature.diagnostics import Report, Safety
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
from ossature.syntax import xml_fixes
from ossature.syntax.xml_fixes import fix_of
from ossature.syntax.xml_values import VECTOR3

_LARGEST_ANGLE = math.tau + 1e-3
"""The largest plausible angle in radians, with a tolerance for rounding [rad]; larger ones are probably in degrees."""


def pose_of(origin: OriginElement | None, report: Report) -> Pose:
    """Return the pose of an origin; a missing origin is the identity."""
    if origin is None:
        return IDENTITY
    if origin.quat_xyzw is not None:
        return _pose_of_quaternion(origin, report)
    if origin.rpy is None or origin.rpy == ZERO3:
        return Pose(origin.xyz) if origin.xyz != ZERO3 else IDENTITY
    roll, pitch, yaw = origin.rpy
    largest = max(map(abs, origin.rpy))
    if largest > _LARGEST_ANGLE:
        report.add(
            rules.SUSPECTED_DEGREES,
            f"rpy has an angle of {largest:g} rad, which is {math.degrees(largest):.0f}°",
            origin.location("rpy"),
            hint=f"if it is in degrees, write {math.radians(largest):.5g} rad",
            fix=fix_of(
                origin.node,
                xml_fixes.replace_value,
                "rpy",
                VECTOR3.format(tuple(map(math.radians, origin.rpy))),
                safety=Safety.UNSAFE,
            ),
        )
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
