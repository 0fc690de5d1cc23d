"""The initial velocity of a free joint, in SKEL and in the model.

DART 6 takes both parts in axes of the parent body (of the world where there is none), turned by the rotation of the
joint's ``<transformation>``, and refers the linear part to a point that lies, seen from the body's origin, where the
joint frame would lie if the body were not turned. The model refers it to the joint frame itself. The two agree where the
joint has no ``<transformation>``, as most have. Measured on DART 6.20.
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

Velocity = tuple[Vector3, Vector3]
"""Angular, then linear."""


def velocity_in_model(joint: Joint, outer: Pose, child: Body) -> Joint:
    """Return a free joint whose initial velocity, read as the file gives it, is put in the model's terms.

    Args:
        joint: The joint.
        outer: The frame in which the child's pose is given, seen from the parent body or the world.
        child: The child body.
    """
    if not _matters(joint):
        return joint
    spin, slide = _parts(joint)
    spin, slide = rotate(joint.pose.wxyz, spin), rotate(joint.pose.wxyz, slide)
    return _with(joint, spin, add(slide, cross(spin, _lever(joint, outer, child))))


def velocity_in_file(joint: Joint, outer: Pose, child: Body) -> Joint:
    """Return a free joint with its initial velocity as a file gives it; the inverse of the above."""
    if not _matters(joint):
        return joint
    spin, slide = _parts(joint)
    slide = subtract(slide, cross(spin, _lever(joint, outer, child)))
    back = conjugate(joint.pose.wxyz)
    return _with(joint, rotate(back, spin), rotate(back, slide))


def _matters(joint: Joint) -> bool:
    return isinstance(joint.type, Floating) and joint.pose != IDENTITY and any(joint.initial_velocities)


def _lever(joint: Joint, outer: Pose, child: Body) -> Vector3:
    position = joint.pose.position
    return subtract(rotate(_rotation(joint, outer, child), position), position)


def _rotation(joint: Joint, outer: Pose, child: Body) -> Quaternion:
    """Return the child's initial rotation, seen from the parent."""
    turn = joint.pose.wxyz
    a, b, c = joint.initial_positions[:3]
    moved = multiply(multiply(turn, quaternion_from_rotation_vector((a, b, c))), conjugate(turn))
    return multiply(multiply(outer.wxyz, child.pose.wxyz), moved)


def _parts(joint: Joint) -> Velocity:
    a, b, c, d, e, f = joint.initial_velocities
    return (a, b, c), (d, e, f)


def _with(joint: Joint, spin: Vector3, slide: Vector3) -> Joint:
    coordinates = [
        replace(coordinate, initial_velocity=velocity)
        for coordinate, velocity in zip(joint.coordinates, (*spin, *slide), strict=True)
    ]
    return replace(joint, coordinates=tuple(coordinates))
