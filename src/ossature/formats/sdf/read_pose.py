"""Poses of SDFormat. Roll, pitch and yaw are about the fixed axes x, y and z."""

from __future__ import annotations

import math

from ossature.diagnostics import Report
from ossature.formats.sdf import rules
from ossature.formats.sdf.schema_common import LinkPoseElement
from ossature.formats.suspected_degrees import report_suspected_degrees
from ossature.spatial import IDENTITY, ZERO3, Pose, normalized


def pose_of(element: LinkPoseElement | None, report: Report) -> Pose:
    """Return a pose in the frame that it names; an absent or empty one is the identity."""
    if element is None or not element.numbers:
        return IDENTITY
    numbers, is_quaternion = element.numbers, element.rotation_format == "quat_xyzw"
    if len(numbers) != (7 if is_quaternion else 6):
        expected = "seven numbers, x y z and a quaternion x y z w" if is_quaternion else "six numbers, x y z and roll pitch yaw"
        report.add(rules.INVALID_POSE, f"<pose> has {len(numbers)} numbers", element.location(), hint=f"write {expected}")
        return IDENTITY
    x, y, z = numbers[:3]
    if is_quaternion:
        return _pose_of_quaternion(element, report)
    if element.degrees:
        numbers = (*numbers[:3], *map(math.radians, numbers[3:]))
    else:
        report_suspected_degrees("<pose>", element.location, numbers[3:], report, position=numbers[:3])
    roll, pitch, yaw = numbers[3:]
    if (roll, pitch, yaw) == ZERO3:
        return IDENTITY if (x, y, z) == ZERO3 else Pose((x, y, z))
    return Pose.from_euler((x, y, z), (yaw, pitch, roll), "zyx")


def _pose_of_quaternion(element: LinkPoseElement, report: Report) -> Pose:
    x, y, z, qx, qy, qz, qw = element.numbers or (0.0,) * 7
    try:
        return Pose((x, y, z), normalized((qw, qx, qy, qz)))
    except ValueError:
        report.add(rules.ZERO_QUATERNION, "the quaternion is zero", element.location(), hint="the identity is 0 0 0 1")
        return Pose((x, y, z))
