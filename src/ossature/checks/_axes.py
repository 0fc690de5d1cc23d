"""The axes of joints."""

from __future__ import annotations

import itertools

from ossature.model import Compound, JointType
from ossature.spatial import Vector3

_NAMES = ("axis", "axis1", "axis2")


def axes_of(joint_type: JointType) -> list[Vector3]:
    """Return the axes of a joint type."""
    if isinstance(joint_type, Compound):
        return [axis.direction for axis in joint_type.axes]
    return [getattr(joint_type, name) for name in _NAMES if hasattr(joint_type, name)]


def pairs_of_non_parallel_axes(joint_type: JointType) -> list[tuple[Vector3, Vector3]]:
    """Return the pairs of axes of a joint type that must not be parallel."""
    if isinstance(joint_type, Compound):
        neighbours = itertools.pairwise(joint_type.axes)
        return [(first.direction, second.direction) for first, second in neighbours if first.is_revolute is second.is_revolute]
    axes = axes_of(joint_type)
    return [(axes[0], axes[1])] if len(axes) == 2 else []
