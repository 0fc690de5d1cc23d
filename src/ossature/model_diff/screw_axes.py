"""The motion of a joint between two bodies as a screw axis in the child, and its comparison with that of another joint."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ossature.kinematics import factor_joint
from ossature.model import Joint, JointType
from ossature.spatial import Pose, Vector3, add, cross, dot, norm, quaternion_from_axis_angle, rotate, scale, subtract, unit


@dataclass(frozen=True, slots=True, kw_only=True)
class ScrewAxis:
    """The axis of a joint with one coordinate, in the frame of its child.

    Attributes:
        direction: Unit vector.
        point: A point of it [m].
        is_rotation: Whether it rotates.
        translation: Translation for each unit of its coordinate [m/rad or 1].
    """

    direction: Vector3
    point: Vector3
    is_rotation: bool
    translation: float

    def motion(self, coordinate: float) -> Pose:
        """Return the child's frame after a motion, in that before it."""
        along = scale(self.direction, self.translation * coordinate)
        if not self.is_rotation:
            return Pose(along)
        wxyz = quaternion_from_axis_angle(self.direction, coordinate)
        return Pose(add(along, subtract(self.point, rotate(wxyz, self.point))), wxyz)

    def in_frame(self, pose: Pose) -> ScrewAxis:
        """Return the axis expressed in another frame, in which its own frame has a pose."""
        return ScrewAxis(
            direction=rotate(pose.wxyz, self.direction),
            point=pose.transform(self.point),
            is_rotation=self.is_rotation,
            translation=self.translation,
        )

    def distance_to(self, other: ScrewAxis) -> float:
        """Return the distance of a point of another axis from this one [m]; zero for translations, which have no position."""
        if not self.is_rotation:
            return 0.0
        offset = subtract(other.point, self.point)
        return norm(subtract(offset, scale(self.direction, dot(offset, self.direction))))

    def angle_to(self, other: ScrewAxis) -> float:
        """Return the angle between two axes [rad], whatever their senses."""
        sine = norm(cross(self.direction, other.direction))
        return math.atan2(sine, abs(dot(self.direction, other.direction)))

    def coordinate_of(self, motion: Pose) -> float:
        """Return the coordinate of the motion along or about this axis that is nearest to a pose [rad or m]."""
        if not self.is_rotation:
            return dot(motion.position, self.direction) / self.translation
        w, x, y, z = motion.wxyz
        return math.remainder(2.0 * math.atan2(dot((x, y, z), self.direction), w), math.tau)


def screw_axis(joint: Joint) -> ScrewAxis | None:
    """Return the axis of a joint with one coordinate in the frame of its child, or None for other joints."""
    factors = factor_joint(joint.type)
    if len(factors) != 1 or factors[0].axis is None or not norm(factors[0].axis):
        return None
    only = factors[0]
    axis: Vector3 = factors[0].axis
    return ScrewAxis(
        direction=unit(rotate(joint.pose.wxyz, axis)),
        point=joint.pose.transform(only.anchor),
        is_rotation=only.is_rotation,
        translation=only.translation * (1.0 if only.is_rotation else norm(axis)),
    )


def is_same_kind(a: JointType, b: JointType) -> bool:
    """Whether two joint types have the same factors: of the same number and kinds, about any axes."""
    one, other = factor_joint(a), factor_joint(b)
    kinds = [[(part.axis is None, part.is_rotation, part.coordinate) for part in side] for side in (one, other)]
    return kinds[0] == kinds[1]
