"""A graph of bodies and joints as trees of links, which is how COLLADA lists them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ossature.model import Fixed, Floating, Joint, Model

DEEPEST = 60
"""How many links hang on one another at most: each takes several elements inside one another, and readers stop somewhere."""


@dataclass(slots=True)
class LinkTree:
    """Links that hang on one link.

    Attributes:
        root: The body on which all others hang, None for the world.
        carrying: The joints of each body that carry a further one.
        closing: Joints that close loops among them.
    """

    root: str | None
    carrying: dict[str | None, list[Joint]] = field(default_factory=dict)
    closing: list[Joint] = field(default_factory=list)

    def joints(self) -> Iterator[Joint]:
        """Yield the joints that carry bodies, in the order of a walk that goes down each branch before the next."""
        pending = list(reversed(self.carrying.get(self.root, [])))
        while pending:
            joint = pending.pop()
            yield joint
            pending.extend(reversed(self.carrying.get(joint.child, [])))

    def bodies(self) -> list[str | None]:
        """Return its bodies in the same order, the root first."""
        return [self.root, *(joint.child for joint in self.joints())]


@dataclass(slots=True)
class Forest:
    """All bodies and joints of a model.

    Attributes:
        trees: The trees.
        whole: Joints that are said by no tree: that hold a body to the world or let it go, or that join two trees.
    """

    trees: list[LinkTree]
    whole: list[Joint]


def forest_of(model: Model, joints: list[Joint]) -> Forest:
    """Return the trees of a model; the first joint that reaches a body carries it.

    Args:
        model: The model.
        joints: Those of its joints whose bodies exist.
    """
    parent_body: dict[str, Joint] = {}
    rest: list[Joint] = []
    whole: list[Joint] = []
    for joint in joints:
        if joint.parent is None and isinstance(joint.type, Fixed | Floating):
            whole.append(joint)
        elif joint.child not in parent_body and _can_be_parent(joint, parent_body):
            parent_body[joint.child] = joint
        else:
            rest.append(joint)
    _cut_long_chains(parent_body, whole)
    trees = _trees(model, parent_body)
    tree_of = {body: tree for tree in trees for body in tree.bodies()}
    for joint in rest:
        tree = tree_of.get(joint.parent)
        if tree is not None and tree is tree_of[joint.child]:
            tree.closing.append(joint)
        else:
            whole.append(joint)
    return Forest(trees=trees, whole=[joint for joint in joints if any(joint is one for one in whole)])


def _can_be_parent(joint: Joint, parent_body: dict[str, Joint]) -> bool:
    """Whether a joint's parent does not hang on its child."""
    body = joint.parent
    while body is not None and body != joint.child:
        body = parent_body[body].parent if body in parent_body else None
    return body is None


def _cut_long_chains(parent_body: dict[str, Joint], whole: list[Joint]) -> None:
    depths: dict[str | None, int] = {None: 0}
    for first in list(parent_body):
        chain: list[str] = []
        body: str | None = first
        while body not in depths and body in parent_body:
            chain.append(body)
            body = parent_body[body].parent
        depth = depths.setdefault(body, 0)
        for name in reversed(chain):
            depth += 1
            if depth > DEEPEST:
                whole.append(parent_body.pop(name))
                depth = 0
            depths[name] = depth


def _trees(model: Model, parent_body: dict[str, Joint]) -> list[LinkTree]:
    carrying: dict[str | None, list[Joint]] = {}
    for joint in parent_body.values():
        carrying.setdefault(joint.parent, []).append(joint)
    roots = [body.name for body in model.bodies if body.name not in parent_body]
    needs_world = None in carrying or not roots
    trees = [LinkTree(root) for root in ([None, *roots] if needs_world else roots)]
    for tree in trees:
        pending = [tree.root]
        while pending:
            body = pending.pop()
            if body in carrying:
                tree.carrying[body] = carrying[body]
                pending.extend(joint.child for joint in carrying[body])
    return trees
