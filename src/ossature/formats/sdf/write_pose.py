"""Writer of poses: roll, pitch and yaw if they give the rotation to the bit, else a quaternion."""

from __future__ import annotations

from typing import TypeVar

from ossature.formats.sdf.schema_common import LinkPoseElement
from ossature.spatial import IDENTITY, IDENTITY_WXYZ, ZERO3, Pose

PoseT = TypeVar("PoseT", bound=LinkPoseElement)


def write_pose(pose: Pose, kind: type[PoseT]) -> PoseT | None:
    """Return a pose as an element of a class, or None for the identity."""
    if pose == IDENTITY:
        return None
    angles = _angles(pose)
    if angles is not None:
        return kind(numbers=(*pose.position, *angles))
    w, x, y, z = pose.wxyz
    return kind(rotation_format="quat_xyzw", numbers=(*pose.position, x, y, z, w))


def _angles(pose: Pose) -> tuple[float, ...] | None:
    """Return roll, pitch and yaw of a pose if they are read as the same quaternion."""
    if pose.wxyz == IDENTITY_WXYZ:
        return ZERO3
    angles = pose.euler("zyx")
    return angles[::-1] if Pose.from_euler(pose.position, angles, "zyx").wxyz == pose.wxyz else None
