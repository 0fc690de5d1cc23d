"""Paths of joints between two bodies, through the spanning tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ossature.diagnostics import OssatureError, suggestion
from ossature.kinematics.spanning_tree import TreeJoint, spanning_tree
from ossature.model import Floating, Joint, Model


class ArmError(OssatureError, ValueError):
    """An arm cannot be determined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathJoint:
    """A joint on the path from one body to another.

    Attributes:
        joint: The joint, motor or bushing, as a joint.
        is_forward: Whether the path leads from its parent to its child.
        is_joint: Whether it is a joint of the model; others keep their initial positions.
    """

    joint: Joint
    is_forward: bool
    is_joint: bool


def base_of(model: Model, tip: str) -> str | None:
    """Return the default base of an arm: the world, or the floating base that carries the tip."""
    require_body(model, tip)
    branches = {branch.body.name: branch for branch in spanning_tree(model).branches}
    root = _ancestors(branches, tip)[-1]
    inboard = branches[root].inboard
    return root if inboard is None or isinstance(inboard.type, Floating) else None


def joint_path(model: Model, base: str | None, tip: str) -> tuple[PathJoint, ...]:
    """Return the joints on the path from one body to another through the spanning tree.

    Args:
        base: The first body, or None for the world.
        tip: The last body.

    Raises:
        ArmError: A body does not exist, or no joints connect the two.
    """
    for name in (base, tip):
        if name is not None:
            require_body(model, name)
    branches = {branch.body.name: branch for branch in spanning_tree(model).branches}
    outward = _ancestors(branches, tip)
    inward = [] if base is None else _ancestors(branches, base)
    while outward and inward and outward[-1] == inward[-1]:
        outward.pop()
        inward.pop()
    if inward and outward and not _are_connected(branches, inward, outward):
        raise ArmError(f"no joints connect '{base}' and '{tip}'")
    back = [_path_joint(branches[name], is_outward=False) for name in inward]
    forth = [_path_joint(branches[name], is_outward=True) for name in outward[::-1]]
    return tuple([step for step in (*back, *forth) if step is not None])


def _are_connected(branches: Mapping[str, TreeJoint], inward: Sequence[str], outward: Sequence[str]) -> bool:
    """Whether two paths without a common body both end at the world."""
    ends = [branches[path[-1]].inboard for path in (inward, outward)]
    return all(inboard is not None for inboard in ends)


def _path_joint(branch: TreeJoint, *, is_outward: bool) -> PathJoint | None:
    if branch.inboard is None or branch.connection is None:
        return None
    return PathJoint(joint=branch.connection.joint, is_forward=is_outward is not branch.is_reversed, is_joint=branch.is_joint)


def _ancestors(branches: Mapping[str, TreeJoint], body: str) -> list[str]:
    found = [body]
    while (inboard := branches[found[-1]].inboard) is not None and inboard.parent is not None:
        found.append(inboard.parent)
    return found


def require_body(model: Model, body: str) -> None:
    """Raise an error if a model has no body of a name."""
    if body not in model.bodies:
        hint = suggestion(body, model.bodies.names()) or "it has no bodies"
        raise ArmError(f"'{model.name}' has no body '{body}': {hint}")
