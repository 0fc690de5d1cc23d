"""The axes of joints."""

from __future__ import annotations

from ossature.model import JointType
from ossature.spatial import Vector3

_NAMES = ("axis", "axis1", "axis2")


def axes_of(joint_type: JointType) -> list[Vector3]:
    """Return the axes that a joint type states."""
    return [getattr(joint_type, name) for name in _NAMES if hasattr(joint_type, name)]
