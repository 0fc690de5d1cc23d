"""A loop joint does not fit the initial poses of its bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, shared_rules
from ossature.kinematics import FormulaError, model_poses, pose_parent_joint
from ossature.model import (
    Cylindrical,
    Fixed,
    Joint,
    Model,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    World,
)
from ossature.spatial import Pose, Vector3, cross, dot, norm, rotate, rotation_vector_from_quaternion, scale, subtract

RULE = shared_rules.UNCLOSED_LOOP

_NOTABLE = 1e-6


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report loop joints with a residual above rounding."""
    for model in world.models:
        tree = context.tree(model)
        if model.static or not tree.loops:
            continue
        try:
            poses = model_poses(model, tree=tree)
        except FormulaError:
            continue  # other checks report the coupling
        for joint in tree.loop_joints:
            gap = _closure_gap(joint, model, poses)
            if gap > _NOTABLE:
                path = f"{model.name}/{joint.name}"
                message = f"joint '{joint.name}' has a loop residual of {gap:.3g} m or rad at the start"
                report.add(RULE, message, joint.origin, path=path)


def _closure_gap(joint: Joint, model: Model, poses: dict[str, Pose]) -> float:
    residual = _RESIDUALS.get(type(joint.type))
    if residual is None:
        return 0.0
    parent = model.pose if joint.parent is None else poses[joint.parent]
    motion = (parent @ pose_parent_joint(model, joint)).inverse() @ poses[joint.child] @ joint.pose
    return residual(joint.type, motion)


def _rotation_angle(motion: Pose) -> float:
    return norm(rotation_vector_from_quaternion(motion.wxyz))


def _axis_tilt(axis: Vector3, motion: Pose) -> float:
    return norm(cross(axis, rotate(motion.wxyz, axis)))


def _distance_from_axis(axis: Vector3, position: Vector3) -> float:
    return norm(subtract(position, scale(axis, dot(axis, position))))


def _universal_gap(joint_type: Universal, motion: Pose) -> float:
    skew = dot(joint_type.axis1, rotate(motion.wxyz, joint_type.axis2)) - dot(joint_type.axis1, joint_type.axis2)
    return max(norm(motion.position), abs(skew))


_RESIDUALS: dict[type, Callable[[Any, Pose], float]] = {
    Fixed: lambda t, m: max(norm(m.position), _rotation_angle(m)),
    Revolute: lambda t, m: max(norm(m.position), _axis_tilt(t.axis, m)),
    Prismatic: lambda t, m: max(_distance_from_axis(t.axis, m.position), _rotation_angle(m)),
    Cylindrical: lambda t, m: max(_distance_from_axis(t.axis, m.position), _axis_tilt(t.axis, m)),
    Spherical: lambda t, m: norm(m.position),
    Universal: _universal_gap,
    PointOnLine: lambda t, m: _distance_from_axis(t.axis, m.position),
    PointOnPlane: lambda t, m: abs(dot(cross(t.axis1, t.axis2), m.position)),
}
"""Residual of a relative motion of the joint frames that the joint does not allow [m or rad]."""
