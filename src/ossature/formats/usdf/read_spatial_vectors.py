"""Poses, twists and wrenches of USDF: six numbers each."""

from __future__ import annotations

from ossature.diagnostics import Report
from ossature.formats.usdf import rules
from ossature.formats.usdf.schema import PoseElement
from ossature.model import Twist, Wrench
from ossature.spatial import EulerSpelling, Pose, Quaternion, conjugate, multiply, norm

MOST_ROUNDING = 1e-6
"""Largest difference between a quaternion and the angles of the same pose [rad]."""


def read_pose(element: PoseElement | None, report: Report) -> Pose | None:
    """Return a pose, bit-exact if the file has a quaternion."""
    if element is None or element.values is None:
        return None
    x, y, z, roll, pitch, yaw = element.values
    # Rotations about the fixed axes x, y, z are rotations about the moving axes z, y, x.
    specified = Pose.from_euler((x, y, z), (yaw, pitch, roll), "zyx")
    if element.wxyz is None:
        return specified
    if _angle_between(element.wxyz, specified.wxyz) > MOST_ROUNDING:
        message = "the angles and the quaternion of a pose are different rotations; the angles are used"
        report.add(rules.CONTRADICTORY_ROTATION, message, element.location("wxyz"))
        return specified
    return Pose((x, y, z), element.wxyz, EulerSpelling("zyx", (yaw, pitch, roll)))


def _angle_between(first: Quaternion, second: Quaternion) -> float:
    """Return the angle between two rotations [rad], or 4 if the first is not a unit quaternion."""
    w, x, y, z = multiply(conjugate(first), second)
    is_unit = abs(w * w + x * x + y * y + z * z - 1.0) < MOST_ROUNDING
    return 2.0 * norm((x, y, z)) if is_unit else 4.0


def read_twist(values: tuple[float, ...] | None) -> Twist | None:
    """Return a twist."""
    if values is None:
        return None
    a, b, c, d, e, f = values
    return Twist(linear=(a, b, c), angular=(d, e, f))


def read_wrench(values: tuple[float, ...] | None) -> Wrench | None:
    """Return a wrench."""
    if values is None:
        return None
    a, b, c, d, e, f = values
    return Wrench(force=(a, b, c), torque=(d, e, f))
