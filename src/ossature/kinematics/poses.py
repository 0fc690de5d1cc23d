"""Where every body is, for given joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ossature.diagnostics import suggestion
from ossature.kinematics.connections import changes_order
from ossature.kinematics.followers import has_followers, joint_positions
from ossature.kinematics.grasps import carry
from ossature.kinematics.motion import motion_pose
from ossature.kinematics.tree import Branch, Tree, spanning_tree
from ossature.model import Free, Joint, Model, Spherical, World
from ossature.spatial import IDENTITY, Pose, rotation_vector_from_quaternion

Positions: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]
"""Joint coordinates by model and joint."""


def poses(world: World, positions: Positions | None = None) -> dict[str, dict[str, Pose]]:
    """Return the pose of every body in the world frame.

    Joints that close loops are not considered: the joints of the spanning tree place every body. What a hand holds moves with
    it, whatever is given for joints on which it floats.

    Args:
        world: The World.
        positions: Joint coordinates. Joints that are not named stay at their initial positions, or where their formulas
            put them, whatever their limits say; what is given for a joint that follows others counts before its formula.

    Returns:
        Poses by model and body.

    Raises:
        KeyError: There is no model or joint of that name; the message names the nearest.
        ValueError: A joint gets too many or too few coordinates, or joints follow each other, or a formula has no value, or a
            grasp of the World cannot be.
    """
    positions = positions or {}
    for name in positions:
        if name not in world.models:
            raise KeyError(_no_such("model", name, world.models.names()))
    placed = {model.name: model_poses(model, positions.get(model.name, {})) for model in world.models}
    if not (positions and world.grasps):
        return placed
    start = {model.name: model_poses(model) if model.name in positions else placed[model.name] for model in world.models}
    return carry(world, start, placed)


def model_poses(
    model: Model, positions: Mapping[str, Sequence[float]] | None = None, tree: Tree | None = None
) -> dict[str, Pose]:
    """Return the pose of every body of one model in the world frame; see :func:`poses`."""
    positions = positions or {}
    for name, values in positions.items():
        joint = model.joints.get(name)
        if joint is None:
            raise KeyError(_no_such("joint", name, model.joints.names()))
        if len(values) != joint.degrees_of_freedom:
            raise ValueError(f"joint '{name}' has {joint.degrees_of_freedom} coordinates, not {len(values)}")
    if has_followers(model):
        positions = joint_positions(model, positions)
    result: dict[str, Pose] = {}
    for branch in (tree or spanning_tree(model)).branches:
        body, inboard = branch.body, branch.inboard
        if inboard is None:
            result[body.name] = model.pose @ body.pose
            continue
        world_parent = model.pose if inboard.parent is None else result[inboard.parent]
        q = _stated(branch, positions)
        moved = pose_parent_joint(model, inboard) @ motion_pose(inboard.type, q)
        result[body.name] = world_parent @ moved @ inboard.pose.inverse()
    return result


def _stated(branch: Branch, positions: Mapping[str, Sequence[float]]) -> Sequence[float]:
    """Return the coordinates of the joint that carries a body, in the direction in which it carries it."""
    inboard = branch.inboard
    assert inboard is not None  # noqa: S101  # the caller looked
    stated = positions.get(inboard.name) if branch.is_joint else None
    if stated is None:
        return inboard.initial_positions
    if not branch.is_reversed:
        return stated
    return turned_round(inboard, stated)


def turned_round(inboard: Joint, positions: Sequence[float]) -> Sequence[float]:
    """Return the coordinates of a reversed joint from those of the joint that it reverses, or the other way."""
    if isinstance(inboard.type, Spherical):
        return [-value for value in positions]
    if isinstance(inboard.type, Free):
        inverse = motion_pose(inboard.type, positions).inverse()
        return (*rotation_vector_from_quaternion(inverse.wxyz), *inverse.position)
    return positions[::-1] if changes_order(inboard.type) else positions


def pose_parent_joint(model: Model, joint: Joint) -> Pose:
    """Return the joint frame in the parent body's frame, or in the model frame where the parent is the world."""
    parent = IDENTITY if joint.parent is None else model.bodies[joint.parent].pose
    return parent.inverse() @ model.bodies[joint.child].pose @ joint.pose


def _no_such(kind: str, name: str, choices: Sequence[str]) -> str:
    return f"there is no {kind} '{name}': {suggestion(name, choices) or 'there are none'}"
