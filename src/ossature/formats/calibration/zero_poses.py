"""Poses of bodies at configuration zero, and their change by joint offsets."""

from __future__ import annotations

import math
from dataclasses import replace

from ossature.kinematics import motion_pose
from ossature.model import Joint, Model, NamedList, Prismatic, Revolute, Screw
from ossature.spatial import Pose, dot

_ROUNDING = 1e-9


def parent_joint(model: Model, body: str) -> Joint | None:
    """Return the parent joint of a body: the first joint of which it is the child."""
    return next((joint for joint in model.joints if joint.child == body), None)


def subtree_bodies(model: Model, body: str) -> set[str]:
    """Return a body and its descendants."""
    children: dict[str, list[str]] = {}
    with_parent: set[str] = set()
    for joint in model.joints:
        if joint.parent is not None and joint.child not in with_parent:
            children.setdefault(joint.parent, []).append(joint.child)
            with_parent.add(joint.child)
    found, pending = {body}, [body]
    while pending:
        inner = [child for child in children.get(pending.pop(), ()) if child not in found]
        found.update(inner)
        pending.extend(inner)
    return found


def with_body_pose(model: Model, body: str, pose: Pose) -> Model:
    """Return a model in which a body has another pose, and its descendants keep their poses relative to it."""
    change = pose @ model.bodies[body].pose.inverse()
    moved = subtree_bodies(model, body)
    bodies = [
        replace(one, pose=pose if one.name == body else change @ one.pose) if one.name in moved else one for one in model.bodies
    ]
    return replace(model, bodies=NamedList(bodies))


def child_pose_at(model: Model, joint: Joint, offset: float) -> Pose | None:
    """Return the pose of a joint's child at an offset of its coordinate, or None if the joint type has no offset."""
    motion = _joint_motion(joint, offset)
    return None if motion is None else model.bodies[joint.child].pose @ joint.pose @ motion @ joint.pose.inverse()


def _joint_motion(joint: Joint, offset: float) -> Pose | None:
    return motion_pose(joint.type, (offset,)) if isinstance(joint.type, Revolute | Prismatic | Screw) else None


def offset_between(joint: Joint, motion: Pose) -> float | None:
    """Return the offset of a joint for a motion in its frame, or None if there is none."""
    axis = getattr(joint.type, "axis", None)
    if axis is None:
        return None
    w, x, y, z = motion.wxyz
    angle = 2.0 * math.atan2(dot((x, y, z), axis), w)
    offset = dot(motion.position, axis) if isinstance(joint.type, Prismatic) else math.remainder(angle, math.tau)
    pose = _joint_motion(joint, offset)
    if pose is None:
        return None
    residual = pose.inverse() @ motion
    rotation = math.hypot(*residual.wxyz[1:])
    return offset if math.hypot(*residual.position) < _ROUNDING and rotation < _ROUNDING else None
