"""Forward kinematics of a spanning tree: the poses of bodies at given joint coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from ossature.diagnostics import suggestion
from ossature.diagnostics.counted_nouns import counted
from ossature.kinematics.joint_couplings import has_coupled_coordinates, joint_positions
from ossature.kinematics.joint_graph_edges import Connection, connections, reverse_coordinates
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.model_cache import CachedForModel
from ossature.kinematics.spanning_tree import Tree, TreeJoint, spanning_tree
from ossature.model import Joint, Model, UnknownNameError, World
from ossature.model.preserve_keyframes import preserve_keyframes
from ossature.spatial import IDENTITY, Pose, rotation_vector_from_quaternion

Positions: TypeAlias = Mapping[str, Mapping[str, Sequence[float]]]
"""Joint coordinates by model and joint."""

_UNMOVED = 1e-12
"""Motion of a floating root that is rounding [rad, or m per m]."""


def model_poses(
    model: Model,
    positions: Mapping[str, Sequence[float]] | None = None,
    tree: Tree | None = None,
    known: Mapping[str, Pose] | None = None,
) -> dict[str, Pose]:
    """Return the pose of every body of a model in the world, from the joints of its spanning tree.

    Loop joints are ignored, except those that connect a floating root with bodies before it in the tree, such as a ball joint
    with springs whose child is nearer to the world: the root is placed by the first of them. :func:`ossature.kinematics.poses`
    closes loops.

    Args:
        model: The model.
        positions: Coordinates by name of a joint, or by :attr:`Connection.label` of a motor [rad or m]; see
            :func:`ossature.kinematics.poses`.
        tree: The spanning tree; computed if not given.
        known: Poses of bodies in the world that are given; the joints of these bodies are ignored.

    Raises:
        KeyError: There is no joint of that name; the message names the nearest.
        ValueError: A joint has too many or too few coordinates, or a formula gives no value.
    """
    positions = positions or {}
    known = known or {}
    if positions:
        require_known_coordinates(model, positions)
    if has_coupled_coordinates(model):
        positions = joint_positions(model, positions)
    result: dict[str, Pose] = {}
    is_own = tree is None or tree is spanning_tree(model)
    for link in _links(model) if is_own or tree is None else _links_of(model, tree):
        if link.body in known:
            result[link.body] = known[link.body]
            continue
        if link.inboard is None:
            result[link.body] = link.before
            continue
        specified = positions.get(link.label)
        if specified is None:
            motion = link.initial_motion
        else:
            motion = motion_pose(
                link.inboard.type, reverse_coordinates(link.inboard, specified) if link.is_reversed else specified
            )
        world_parent = model.pose if link.parent is None else result[link.parent]
        result[link.body] = world_parent @ (link.before @ motion) @ link.after
    for component in attached_components(model, tree):
        if component.bodies[0] not in known:
            _move_component(component, model, positions, result)
    return result


class AttachedComponent(NamedTuple):
    """The bodies of a floating root, and the loop joint that connects them with bodies before them in the tree."""

    bodies: tuple[str, ...]
    connection: Connection


def attached_components(model: Model, tree: Tree | None = None) -> tuple[AttachedComponent, ...]:
    """Return the components of a floating root whose initial state is that of a loop joint, in the order of the tree."""
    is_own = tree is None or tree is spanning_tree(model)
    return _own_attached_components(model) if is_own or tree is None else _find_attached_components(model, tree)


@CachedForModel
def _own_attached_components(model: Model) -> tuple[AttachedComponent, ...]:
    return _find_attached_components(model, spanning_tree(model))


def _find_attached_components(model: Model, tree: Tree) -> tuple[AttachedComponent, ...]:
    if not tree.loops or all(branch.depth or branch.inboard is not None for branch in tree.branches):
        return ()
    starts = [number for number, branch in enumerate(tree.branches) if not branch.depth] + [len(tree.branches)]
    found: list[AttachedComponent] = []
    for start, past in pairwise(starts):
        if tree.branches[start].inboard is not None:
            continue
        before: set[str | None] = {None, *(branch.body.name for branch in tree.branches[:start])}
        bodies = {branch.body.name: None for branch in tree.branches[start:past]}
        for loop in tree.loops:
            parent, child = loop.joint.parent, loop.joint.child
            if (parent in bodies and child in before) or (child in bodies and parent in before):
                found.append(AttachedComponent(tuple(bodies), loop))
                break
    return tuple(found)


def _move_component(
    component: AttachedComponent, model: Model, positions: Mapping[str, Sequence[float]], result: dict[str, Pose]
) -> None:
    """Move the bodies of a floating root so that their loop joint has its coordinates."""
    joint = component.connection.joint
    specified = positions.get(component.connection.label)
    motion = motion_pose(joint.type, joint.initial_positions if specified is None else specified)
    before_motion = (model.pose if joint.parent is None else result[joint.parent]) @ pose_parent_joint(model, joint)
    after_motion = result[joint.child] @ joint.pose
    if joint.child in component.bodies:
        move = before_motion @ motion @ after_motion.inverse()
    else:
        move = after_motion @ (before_motion @ motion).inverse()
    angle = math.hypot(*rotation_vector_from_quaternion(move.wxyz))
    size = 1.0 + math.hypot(*after_motion.position)
    if angle < _UNMOVED and math.hypot(*move.position) < _UNMOVED * size:
        return
    for body in component.bodies:
        result[body] = move @ result[body]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A body, and the constants of its inboard joint.

    Attributes:
        inboard: Its inboard joint, or None for a root.
        parent: Name of its parent, or None for the world.
        label: The label of the joint's connection.
        is_reversed: Whether the joint is reversed.
        before: The joint frame in the parent's frame; of a root its pose in the world.
        after: The body in the joint frame.
        initial_motion: The transform of the joint at its initial positions.
    """

    body: str
    inboard: Joint | None = None
    parent: str | None = None
    label: str = ""
    is_reversed: bool = False
    before: Pose = IDENTITY
    after: Pose = IDENTITY
    initial_motion: Pose = IDENTITY


@CachedForModel
def _links(model: Model) -> tuple[_Link, ...]:
    return _links_of(model, spanning_tree(model))


def _links_of(model: Model, tree: Tree) -> tuple[_Link, ...]:
    return tuple([_make_link(model, branch) for branch in tree.branches])


def _make_link(model: Model, branch: TreeJoint) -> _Link:
    inboard = branch.inboard
    if inboard is None:
        return _Link(body=branch.body.name, before=model.pose @ branch.body.pose)
    return _Link(
        body=branch.body.name,
        inboard=inboard,
        parent=inboard.parent,
        label="" if branch.connection is None else branch.connection.label,
        is_reversed=branch.is_reversed,
        before=pose_parent_joint(model, inboard),
        after=inboard.pose.inverse(),
        initial_motion=motion_pose(inboard.type, inboard.initial_positions),
    )


def locked_pose(model: Model, joint: Joint) -> Pose:
    """Return the pose of the child of a joint at its initial positions, in the parent, or in the world."""
    outer = model.pose if joint.parent is None else IDENTITY
    return outer @ pose_parent_joint(model, joint) @ motion_pose(joint.type, joint.initial_positions) @ joint.pose.inverse()


def pose_parent_joint(model: Model, joint: Joint) -> Pose:
    """Return the joint frame in the parent body's frame, or in the model frame if the parent is the world."""
    parent = IDENTITY if joint.parent is None else model.bodies[joint.parent].pose
    return parent.inverse() @ model.bodies[joint.child].pose @ joint.pose


def require_known_coordinates(model: Model, positions: Mapping[str, Sequence[float]]) -> None:
    """Raise an error if coordinates are given for an unknown joint or motor, or too many or too few.

    Raises:
        KeyError: There is no such joint or motor; the message names the nearest.
        ValueError: There are too many or too few coordinates.
    """
    for name, values in positions.items():
        joint = model.joints.get(name) or _guides(model).get(name)
        if joint is None:
            raise UnknownNameError(unknown_name_message("joint", name, model.joints.names()))
        if len(values) != joint.degrees_of_freedom:
            raise ValueError(f"joint '{name}' has {counted(joint.degrees_of_freedom, 'coordinate')}, not {len(values)}")


def _guides(model: Model) -> dict[str, Joint]:
    """Return the guides of motors and the bushings as joints, by the label of their connection."""
    return {connection.label: connection.joint for connection in connections(model) if not connection.is_joint}


def unknown_name_message(kind: str, name: str, choices: Sequence[str]) -> str:
    """Return a message about an unknown name, with the nearest known one."""
    return f"there is no {kind} '{name}': {suggestion(name, choices) or f'there are no {kind}s'}"


def with_initial_positions(world: World, positions: Mapping[str, Mapping[str, Sequence[float]]]) -> World:
    """Return a World with other initial positions of joints.

    Args:
        world: The World.
        positions: Coordinates by model and joint [rad or m]; all coordinates of each joint.

    Raises:
        KeyError: A model or joint does not exist.
        ValueError: The number of coordinates of a joint is wrong.
    """
    specified = [(world.models[name], joints) for name, joints in positions.items()]
    changed = [_start_model(model, joints) for model, joints in specified if joints]
    return replace(world, models=world.models.replaced(*changed)) if changed else world


def _start_model(model: Model, positions: Mapping[str, Sequence[float]]) -> Model:
    joints = [start_joint(model.joints[name], at) for name, at in positions.items()]
    return preserve_keyframes(model, replace(model, joints=model.joints.replaced(*joints)))


def start_joint(
    joint: Joint,
    positions: Sequence[float | None] | None,
    velocities: Sequence[float | None] | None = None,
    efforts: Sequence[float | None] | None = None,
) -> Joint:
    """Return a joint with another initial state; None for what is unchanged, also of single coordinates.

    Raises:
        ValueError: The number of coordinates is wrong.
    """
    changes: list[dict[str, Any]] = [{} for _ in joint.coordinates]
    fields = {"initial_position": positions, "initial_velocity": velocities, "initial_effort": efforts}
    for name, values in fields.items():
        for change, value in zip(changes, values or [None] * len(changes), strict=True):
            if value is not None:
                change[name] = float(value)
    coordinates = [
        replace(specified, **change, states_position="initial_position" in change or specified.states_position)
        for specified, change in zip(joint.coordinates, changes, strict=True)
    ]
    return replace(joint, coordinates=tuple(coordinates))
