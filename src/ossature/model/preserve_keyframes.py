"""Keyframes of a model whose initial state changes: they state what they took from the former initial state."""

from __future__ import annotations

from dataclasses import replace

from ossature.model.joint import Joint
from ossature.model.keyframe import Keyframe, KeyframeBody, KeyframeJoint
from ossature.model.model import Model


def preserve_keyframes(before: Model, after: Model) -> Model:
    """Return a model with another initial state whose keyframes are the same states as before.

    Args:
        before: The model with the former initial state.
        after: The model with the new one; it has the same joints and bodies.
    """
    if not after.keyframes:
        return after
    joints = [joint for joint in before.joints if _initial_state(joint) != _initial_state(after.joints[joint.name])]
    bodies = [body for body in before.bodies if body.mocap and body.pose != after.bodies[body.name].pose]
    if not (joints or bodies):
        return after
    poses = [KeyframeBody(body=body.name, pose=before.pose @ body.pose) for body in bodies]
    keyframes = [_complete(keyframe, joints, poses) for keyframe in after.keyframes]
    return replace(after, keyframes=after.keyframes.replaced(*keyframes))


def _initial_state(joint: Joint) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return joint.initial_positions, joint.initial_velocities


def _complete(keyframe: Keyframe, joints: list[Joint], poses: list[KeyframeBody]) -> Keyframe:
    specified = {one.joint: one for one in keyframe.joints}
    for joint in joints:
        one = specified.get(joint.name, KeyframeJoint(joint=joint.name))
        specified[joint.name] = replace(
            one,
            positions=joint.initial_positions if one.positions is None else one.positions,
            velocities=joint.initial_velocities if one.velocities is None else one.velocities,
        )
    placed = {one.body: one for one in poses} | {one.body: one for one in keyframe.bodies}
    return replace(keyframe, joints=tuple(specified.values()), bodies=tuple(placed.values()))
