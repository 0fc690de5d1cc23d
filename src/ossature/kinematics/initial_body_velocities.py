"""Initial velocities of bodies that follow from those of floating bases and joints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.spanning_tree import Tree, TreeJoint
from ossature.model import (
    Axis,
    Compound,
    Cylindrical,
    Euler,
    Floating,
    Joint,
    Model,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalMotion,
    Translational,
    Translational2D,
    Universal,
)
from ossature.model.joint import X_AXIS, Y_AXIS, Z_AXIS
from ossature.spatial import (
    ZERO3,
    Pose,
    Vector3,
    add,
    conjugate,
    cross,
    multiply,
    quaternion_from_rotation_vector,
    rotate,
    scale,
    subtract,
)


def initial_body_velocities(model: Model, tree: Tree, poses: Mapping[str, Pose]) -> dict[str, tuple[Vector3, Vector3]]:
    """Return the initial velocity of each body: of its centre of mass (model axes), and angular (body axes).

    They follow from the velocities of joints and of bodies without a parent joint.

    Args:
        model: The model.
        tree: Its spanning tree.
        poses: The initial pose of each body in the frame of the model.
    """
    spins: dict[str, Vector3] = {}
    origins: dict[str, Vector3] = {}
    for branch in tree.branches:
        spin, origin = _body_twist(branch, spins, origins, poses, pose_world_model=model.pose)
        spins[branch.body.name], origins[branch.body.name] = spin, origin
    result: dict[str, tuple[Vector3, Vector3]] = {}
    for body in model.bodies:
        pose = poses[body.name]
        spin = spins[body.name]
        arm = rotate(pose.wxyz, body.inertial.center_of_mass)
        linear = add(origins[body.name], cross(spin, arm))
        result[body.name] = (linear, rotate(conjugate(pose.wxyz), spin))
    return result


def _body_twist(
    branch: TreeJoint,
    spins: dict[str, Vector3],
    origins: dict[str, Vector3],
    poses: Mapping[str, Pose],
    *,
    pose_world_model: Pose,
) -> tuple[Vector3, Vector3]:
    """Return angular velocity and velocity of the origin of a branch's body, both in model axes."""
    inboard = branch.inboard
    pose = poses[branch.body.name]
    if inboard is None:
        spin = rotate(pose.wxyz, branch.body.initial_angular_velocity_body)
        arm = rotate(pose.wxyz, branch.body.inertial.center_of_mass)
        return spin, subtract(branch.body.initial_velocity, cross(spin, arm))
    joint_at = pose @ inboard.pose
    outer = pose_world_model.inverse() if inboard.parent is None else poses[inboard.parent]
    parent_spin, parent_linear = ZERO3, ZERO3
    if inboard.parent is not None:
        parent_spin = spins[inboard.parent]
        parent_linear = add(origins[inboard.parent], cross(parent_spin, subtract(joint_at.position, outer.position)))
    spin, slide = _relative_twist(inboard, joint_at, outer)
    total = add(parent_spin, spin)
    at_joint = add(parent_linear, slide)
    return total, add(at_joint, cross(total, subtract(pose.position, joint_at.position)))


def _relative_twist(joint: Joint, joint_at: Pose, outer: Pose) -> tuple[Vector3, Vector3]:
    """Return a joint's own angular velocity and that of its frame's origin, in model axes, at the start.

    Args:
        joint: The joint.
        joint_at: The joint frame, moved with the child, in the frame of the model.
        outer: The frame of the parent body, or of the world, in the frame of the model.
    """
    v = joint.initial_velocities
    if not any(v):
        return ZERO3, ZERO3
    if isinstance(joint.type, Floating):
        return rotate(outer.wxyz, (v[0], v[1], v[2])), rotate(outer.wxyz, (v[3], v[4], v[5]))
    if isinstance(joint.type, Spherical):
        return rotate(joint_at.wxyz, (v[0], v[1], v[2])), ZERO3
    q = joint.initial_positions
    wxyz_parent_joint = multiply(joint_at.wxyz, conjugate(motion_pose(joint.type, q).wxyz))
    spin, slide = _SCREWS[type(joint.type)](joint.type, q, v)
    return rotate(wxyz_parent_joint, spin), rotate(wxyz_parent_joint, slide)


def _weighted_axis_sum(axes: Sequence[Vector3], rates: Sequence[float]) -> Vector3:
    total = ZERO3
    for axis, rate in zip(axes, rates, strict=True):
        total = add(total, scale(axis, rate))
    return total


def _universal_spin(joint_type: Universal, q: Sequence[float], v: Sequence[float]) -> tuple[Vector3, Vector3]:
    first = motion_pose(Revolute(axis=joint_type.axis1), q[:1])
    return _weighted_axis_sum([joint_type.axis1, rotate(first.wxyz, joint_type.axis2)], v), ZERO3


def _euler_spin(joint_type: Euler, q: Sequence[float], v: Sequence[float]) -> tuple[Vector3, Vector3]:
    named = {"x": X_AXIS, "y": Y_AXIS, "z": Z_AXIS}
    axes, rotation = [], Pose()
    for letter, angle in zip(joint_type.order, q, strict=True):
        axes.append(rotate(rotation.wxyz, named[letter]))
        rotation = rotation @ motion_pose(Revolute(axis=named[letter]), (angle,))
    return _weighted_axis_sum(axes, v), ZERO3


def _compound_twist(joint_type: Compound, q: Sequence[float], v: Sequence[float]) -> tuple[Vector3, Vector3]:
    end = motion_pose(joint_type, q).position
    spin, slide = ZERO3, ZERO3
    for number, (first, motion) in enumerate(joint_type.motions):
        before = motion_pose(Compound(axes=joint_type.axes[:number]), q[:first])
        along = rotate(before.wxyz, _local_rate(motion, q[first:], v[first:]))
        if isinstance(motion, Axis) and not motion.is_revolute:
            slide = add(slide, along)
        else:
            spin = add(spin, along)
            slide = add(slide, cross(along, subtract(end, before.transform(motion.anchor))))
    return spin, slide


def _local_rate(motion: Axis | SphericalMotion, q: Sequence[float], v: Sequence[float]) -> Vector3:
    """Return the velocity or angular velocity of one motion, in the frame that the motions before it have moved."""
    if isinstance(motion, Axis):
        return scale(motion.direction, v[0])
    return rotate(quaternion_from_rotation_vector((q[0], q[1], q[2])), (v[0], v[1], v[2]))


_TURN = 6.283185307179586

_SCREWS: dict[type, Callable[[Any, Sequence[float], Sequence[float]], tuple[Vector3, Vector3]]] = {
    Revolute: lambda t, q, v: (scale(t.axis, v[0]), ZERO3),
    Prismatic: lambda t, q, v: (ZERO3, scale(t.axis, v[0])),
    Screw: lambda t, q, v: (scale(t.axis, v[0]), scale(t.axis, t.pitch * v[0] / _TURN)),
    Cylindrical: lambda t, q, v: (scale(t.axis, v[0]), scale(t.axis, v[1])),
    Universal: _universal_spin,
    Compound: _compound_twist,
    Euler: _euler_spin,
    Translational: lambda t, q, v: (ZERO3, (v[0], v[1], v[2])),
    Translational2D: lambda t, q, v: (ZERO3, _weighted_axis_sum([t.axis1, t.axis2], v)),
    Planar: lambda t, q, v: (scale(cross(t.axis1, t.axis2), v[2]), _weighted_axis_sum([t.axis1, t.axis2], v[:2])),
    PointOnLine: lambda t, q, v: (rotate(motion_pose(t, q).wxyz, (v[1], v[2], v[3])), scale(t.axis, v[0])),
    PointOnPlane: lambda t, q, v: (
        rotate(motion_pose(t, q).wxyz, (v[2], v[3], v[4])),
        _weighted_axis_sum([t.axis1, t.axis2], v[:2]),
    ),
}
"""Angular velocity and velocity of the joint frame's origin, in axes of the parent's joint frame."""
