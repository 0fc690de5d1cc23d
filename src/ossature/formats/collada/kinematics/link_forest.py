"""Splits the graph of bodies and joints into trees of links, as COLLADA requires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ossature.model import Fixed, Floating, Joint, Model

MAX_DEPTH = 60
"""Maximum depth of a link tree: each link nests several elements, and XML parsers limit the depth."""


@dataclass(slots=True)
class LinkTree:
    """A tree of links.

    Attributes:
        root: The root body, None for the world.
        child_joints: The joints from each body to its children.
        loop_joints: The joints that close loops in the tree.
    """

    root: str | None
    child_joints: dict[str | None, list[Joint]] = field(default_factory=dict)
    loop_joints: list[Joint] = field(default_factory=list)

    def joints(self) -> Iterator[Joint]:
        """Yield the joints of the tree depth first, without loop joints."""
        pending = list(reversed(self.child_joints.get(self.root, [])))
        while pending:
            joint = pending.pop()
            yield joint
            pending.extend(reversed(self.child_joints.get(joint.child, [])))

    def bodies(self) -> list[str | None]:
        """Return its bodies depth first, starting with the root."""
        return [self.root, *(joint.child for joint in self.joints())]


@dataclass(slots=True)
class Forest:
    """All bodies and joints of a model.

    Attributes:
        extension_joints: The joints outside of trees: fixed and floating bases, and joints between two trees.
    """

    trees: list[LinkTree]
    extension_joints: list[Joint]


def forest_of(model: Model, joints: list[Joint]) -> Forest:
    """Return the trees of a model; the first joint of a child body is its parent joint.

    Args:
        joints: Its joints with existing bodies.
    """
    parent_joints: dict[str, Joint] = {}
    rest: list[Joint] = []
    outside: list[Joint] = []
    for joint in joints:
        if joint.parent is None and isinstance(joint.type, Fixed | Floating):
            outside.append(joint)
        elif joint.child not in parent_joints and _can_be_parent(joint, parent_joints):
            parent_joints[joint.child] = joint
        else:
            rest.append(joint)
    _cut_long_chains(parent_joints, outside)
    trees = _build_trees(model, parent_joints)
    tree_of = {body: tree for tree in trees for body in tree.bodies()}
    for joint in rest:
        tree = tree_of.get(joint.parent)
        if tree is not None and tree is tree_of[joint.child]:
            tree.loop_joints.append(joint)
        else:
            outside.append(joint)
    return Forest(trees, extension_joints=[joint for joint in joints if any(joint is other for other in outside)])


def _can_be_parent(joint: Joint, parent_joints: dict[str, Joint]) -> bool:
    """Whether the parent of a joint is not a descendant of its child."""
    body = joint.parent
    while body is not None and body != joint.child:
        body = parent_joints[body].parent if body in parent_joints else None
    return body is None


def _cut_long_chains(parent_joints: dict[str, Joint], outside: list[Joint]) -> None:
    depths: dict[str | None, int] = {None: 0}
    for first in list(parent_joints):
        chain: list[str] = []
        body: str | None = first
        while body not in depths and body in parent_joints:
            chain.append(body)
            body = parent_joints[body].parent
        depth = depths.setdefault(body, 0)
        for name in reversed(chain):
            depth += 1
            if depth > MAX_DEPTH:
                outside.append(parent_joints.pop(name))
                depth = 0
            depths[name] = depth


def _build_trees(model: Model, parent_joints: dict[str, Joint]) -> list[LinkTree]:
    child_joints: dict[str | None, list[Joint]] = {}
    for joint in parent_joints.values():
        child_joints.setdefault(joint.parent, []).append(joint)
    roots = [body.name for body in model.bodies if body.name not in parent_joints]
    needs_world = None in child_joints or not roots
    trees = [LinkTree(root) for root in ([None, *roots] if needs_world else roots)]
    for tree in trees:
        pending = [tree.root]
        while pending:
            body = pending.pop()
            if body in child_joints:
                tree.child_joints[body] = child_joints[body]
                pending.extend(joint.child for joint in child_joints[body])
    return trees
