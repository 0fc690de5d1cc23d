"""Chains of joints with massless bodies between them as one joint: formats differ in which joints they have.

URDF needs two joints for a universal one, and a joint and a fixed one if the joint frame is not that of the child; other
formats have one joint for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ossature.kinematics import Connection, factor_joint, is_massless, pose_parent_joint
from ossature.model import Axis, Body, Compound, Fixed, Joint, Model, NamedList
from ossature.model.name_references import references
from ossature.spatial import ZERO3, Pose, norm, rotate, unit


def chains_of(model: Model, bodies: Sequence[str]) -> Iterator[tuple[str, Joint, Joint]]:
    """Yield the bodies of a model that only connect two joints, with the joint to it and the one from it.

    Args:
        bodies: The bodies to consider.
    """
    for name in bodies:
        if name not in model.bodies or not _is_empty(model.bodies[name]):
            continue
        to = [joint for joint in model.joints if joint.child == name]
        onward = [joint for joint in model.joints if joint.parent == name]
        if len(to) == len(onward) == 1 and not _is_referenced(replace(model, joints=NamedList()), "bodies", name):
            yield name, to[0], onward[0]


def _is_empty(body: Body) -> bool:
    return is_massless(body) and not (body.visuals or body.collisions or body.frames or body.soft_skin)


def _is_referenced(model: Model, collection: str, element: str) -> bool:
    """Whether elements refer to one of a collection."""
    return any((kind, name) == (collection, element) for _, kind, name in references(model))


def without_chain(model: Model, body: str, first: Joint, second: Joint) -> Model | None:
    """Return a model in which one joint replaces two and the body between them, or None if no joint moves as they do."""
    merged = _merged_joint(first, second, first.pose.inverse() @ pose_parent_joint(model, second))
    gone = first.name if merged is not None and merged.name == second.name else second.name
    if merged is None or _is_referenced(model, "joints", gone):
        return None
    if isinstance(merged.type, Compound) and _is_referenced(model, "joints", merged.name):
        return None  # its coordinates have other numbers
    joints = NamedList([merged if joint is second else joint for joint in model.joints if joint is not first])
    return replace(model, bodies=model.bodies.without(body), joints=joints)


def without_root(model: Model, root: str, connection: Connection | None) -> Model | None:
    """Return a model without an empty root and the fixed joint from it, or None if other elements need them.

    A joint that fixes the root to the world fixes its child instead.
    """
    if connection is None or not connection.is_joint or not isinstance(connection.joint.type, Fixed):
        return None
    joint = connection.joint
    if any(other.parent == root for other in model.joints if other is not joint) or joint.parent != root:
        return None
    bases = [other for other in model.joints if other.child == root]
    rest = replace(model, joints=NamedList([other for other in model.joints if other is not joint and other not in bases]))
    if _is_referenced(rest, "bodies", root) or _is_referenced(model, "joints", joint.name):
        return None
    moved = [replace(other, child=joint.child, pose=Pose(), spelled_pose=None) for other in bases]
    return replace(rest, bodies=model.bodies.without(root), joints=NamedList([*rest.joints, *moved]))


def _merged_joint(first: Joint, second: Joint, between: Pose) -> Joint | None:
    """Return a joint that moves as two in series; the joint frame of the second has a pose in that of the first at zero."""
    coordinates = (*first.coordinates, *second.coordinates)
    plain = replace(second, parent=first.parent, spelled_pose=None, coordinates=())
    if isinstance(first.type, Fixed):
        return replace(plain, coordinates=second.coordinates)
    if isinstance(second.type, Fixed):
        pose = second.pose @ between.inverse()
        return replace(
            plain, name=first.name, type=first.type, pose=pose, coordinates=first.coordinates, actuation=first.actuation
        )
    axes = [_axes(first, between.inverse()), _axes(second, Pose())]
    if axes[0] is None or axes[1] is None or first.actuation is not second.actuation:
        return None
    return replace(plain, type=Compound(axes=(*axes[0], *axes[1])), coordinates=coordinates)


def _axes(joint: Joint, pose: Pose) -> tuple[Axis, ...] | None:
    """Return the axes of a joint in another frame, or None if its motion is no sequence of rotations and translations."""
    factors = factor_joint(joint.type)
    found = []
    for number, factor in enumerate(factors):
        is_plain = factor.axis is not None and factor.coordinate == number and not (factor.is_rotation and factor.translation)
        if not is_plain or factor.axis is None or not norm(factor.axis):
            return None
        direction = unit(rotate(pose.wxyz, factor.axis))
        anchor = pose.transform(factor.anchor) if factor.is_rotation else ZERO3
        found.append(Axis(direction=direction, is_revolute=factor.is_rotation, anchor=anchor))
    return tuple(found)
