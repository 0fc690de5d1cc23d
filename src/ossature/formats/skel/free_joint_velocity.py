"""The initial velocity of a free joint in SKEL files and in the model.

DART 6 expresses both parts in the axes of the parent body (or of the world), rotated by the rotation of the joint's
``<transformation>``. Its linear velocity is that of the point that would be the joint frame's origin without the initial
rotation; that of the model is the velocity of the joint frame's origin. Both are equal for a joint without
``<transformation>``. Measured on DART 6.20.
"""

from __future__ import annotations

from dataclasses import replace

from ossature.model import Body, Floating, Joint
from ossature.spatial import (
    IDENTITY,
    Pose,
    Quaternion,
    Vector3,
    add,
    conjugate,
    cross,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    subtract,
)


def to_model_velocity(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Joint:
    """Return a joint whose initial velocity is converted from SKEL to the model; only that of a free joint can differ.

    Args:
        joint: The joint, with the initial velocity of the file.
        pose_parent_skeleton: The skeleton frame in the frame of the parent body or of the world.
        child: The child body.
    """
    if not _needs_conversion(joint):
        return joint
    angular, linear = [rotate(joint.pose.wxyz, part) for part in _initial_velocity(joint)]
    return _with_velocity(joint, angular, add(linear, cross(angular, _lever_arm(joint, pose_parent_skeleton, child))))


def to_skel_velocity(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Joint:
    """Return a joint whose initial velocity is converted from the model to SKEL: the inverse of :func:`to_model_velocity`."""
    if not _needs_conversion(joint):
        return joint
    angular, linear = _initial_velocity(joint)
    linear = subtract(linear, cross(angular, _lever_arm(joint, pose_parent_skeleton, child)))
    inverse = conjugate(joint.pose.wxyz)
    return _with_velocity(joint, rotate(inverse, angular), rotate(inverse, linear))


def _needs_conversion(joint: Joint) -> bool:
    return isinstance(joint.type, Floating) and joint.pose != IDENTITY and any(joint.initial_velocities)


def _lever_arm(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Vector3:
    position = joint.pose.position
    return subtract(rotate(_initial_rotation(joint, pose_parent_skeleton, child), position), position)


def _initial_rotation(joint: Joint, pose_parent_skeleton: Pose, child: Body) -> Quaternion:
    """Return the initial rotation of the child in the frame of the parent."""
    rotation = joint.pose.wxyz
    a, b, c = joint.initial_positions[:3]
    displaced = multiply(multiply(rotation, quaternion_from_rotation_vector((a, b, c))), conjugate(rotation))
    return multiply(multiply(pose_parent_skeleton.wxyz, child.pose.wxyz), displaced)


def _initial_velocity(joint: Joint) -> tuple[Vector3, Vector3]:
    """Return the initial angular velocity [rad/s] and linear velocity [m/s]."""
    a, b, c, d, e, f = joint.initial_velocities
    return (a, b, c), (d, e, f)


def _with_velocity(joint: Joint, angular: Vector3, linear: Vector3) -> Joint:
    coordinates = [
        replace(coordinate, initial_velocity=velocity)
        for coordinate, velocity in zip(joint.coordinates, (*angular, *linear), strict=True)
    ]
    return replace(joint, coordinates=tuple(coordinates))
