"""Where bodies stand with all joints at zero, and how that moves."""

from __future__ import annotations

import math
from dataclasses import replace

from ossature.model import Joint, Model, NamedList, Prismatic, Revolute, Screw
from ossature.spatial import Pose, dot, quaternion_from_axis_angle, scale

_ROUNDING = 1e-9


def parent_joint(model: Model, body: str) -> Joint | None:
    """Return the joint that carries a body: the first of which it is the child."""
    return next((joint for joint in model.joints if joint.child == body), None)


def subtree_bodies(model: Model, body: str) -> set[str]:
    """Return a body with all that it carries."""
    children: dict[str, list[str]] = {}
    carried: set[str] = set()
    for joint in model.joints:
        if joint.parent is not None and joint.child not in carried:
            children.setdefault(joint.parent, []).append(joint.child)
            carried.add(joint.child)
    found, pending = {body}, [body]
    while pending:
        inner = [child for child in children.get(pending.pop(), ()) if child not in found]
        found.update(inner)
        pending.extend(inner)
    return found


def moved_with(model: Model, body: str, pose: Pose) -> Model:
    """Return a model in which a body has another pose, and what it carries stands on it as before."""
    change = pose @ model.bodies[body].pose.inverse()
    moving = subtree_bodies(model, body)
    bodies = [
        replace(one, pose=pose if one.name == body else change @ one.pose) if one.name in moving else one
        for one in model.bodies
    ]
    return replace(model, bodies=NamedList(bodies))


def displaced(model: Model, joint: Joint, offset: float) -> Pose | None:
    """Return the pose of a joint's child where its coordinate is an offset instead of zero; None for a joint that has none."""
    motion = _motion(joint, offset)
    if motion is None:
        return None
    return model.bodies[joint.child].pose @ joint.pose @ motion @ joint.pose.inverse()


def _motion(joint: Joint, offset: float) -> Pose | None:
    match joint.type:
        case Revolute(axis=axis):
            return Pose(wxyz=quaternion_from_axis_angle(axis, offset))
        case Prismatic(axis=axis):
            return Pose(scale(axis, offset))
        case Screw(axis=axis, pitch=pitch):
            return Pose(scale(axis, pitch * offset / math.tau), quaternion_from_axis_angle(axis, offset))
    return None


def offset_between(joint: Joint, motion: Pose) -> float | None:
    """Return the offset of a joint that gives a motion in its frame, or None where none does."""
    axis = getattr(joint.type, "axis", None)
    if axis is None:
        return None
    w, x, y, z = motion.wxyz
    angle = 2.0 * math.atan2(dot((x, y, z), axis), w)
    offset = dot(motion.position, axis) if isinstance(joint.type, Prismatic) else math.remainder(angle, math.tau)
    again = _motion(joint, offset)
    if again is None:
        return None
    rest = again.inverse() @ motion
    turned = math.hypot(*rest.wxyz[1:])
    return offset if math.hypot(*rest.position) < _ROUNDING and turned < _ROUNDING else None
