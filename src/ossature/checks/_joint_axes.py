"""The axes of joints."""

from __future__ import annotations

import itertools

from ossature.model import Axis, Compound, JointType
from ossature.spatial import Vector3


def axes_of(joint_type: JointType) -> list[Vector3]:
    """Return the axes of a joint type."""
    if isinstance(joint_type, Compound):
        return [axis.direction for axis in joint_type.axes if isinstance(axis, Axis)]
    return [getattr(joint_type, name) for name in ("axis", "axis1", "axis2") if hasattr(joint_type, name)]


def pairs_of_non_parallel_axes(joint_type: JointType) -> list[tuple[Vector3, Vector3]]:
    """Return the pairs of axes of a joint type that must not be parallel."""
    if isinstance(joint_type, Compound):
        return [
            (first.direction, second.direction)
            for first, second in itertools.pairwise(joint_type.axes)
            if isinstance(first, Axis) and isinstance(second, Axis) and _must_not_be_parallel(first, second)
        ]
    axes = axes_of(joint_type)
    return [(axes[0], axes[1])] if len(axes) == 2 else []


def _must_not_be_parallel(first: Axis, second: Axis) -> bool:
    """Whether two axes move the child in the same way if they are parallel; different parallel rotations do not."""
    return first.is_revolute is second.is_revolute and not (first.is_revolute and first.anchor != second.anchor)
