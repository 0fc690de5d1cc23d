"""A spanning tree of a model: which joint carries each body, in an order in which parents come first."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.model import Body, Joint, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A body and what carries it.

    Attributes:
        body: The body.
        inboard: The joint that carries it, or None for a body that is placed in the model by its pose alone.
        depth: How many bodies carry it, one on the other: zero for a root.
    """

    body: Body
    inboard: Joint | None
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A spanning tree of a model.

    Attributes:
        branches: Every body once, parents before children.
        loop_joints: Joints that close loops: a further joint of a body that another one carries already.
        cut_bodies: Bodies that became roots because the joints that carry them lead round in a circle: of each circle
            the first body in file order. The joint that carried it is among the loop joints.
    """

    branches: tuple[Branch, ...]
    loop_joints: tuple[Joint, ...]
    cut_bodies: tuple[Body, ...]


def spanning_tree(model: Model) -> Tree:
    """Return the spanning tree of a model, the same one for the same model, in time linear in its size.

    The first joint of a body in file order carries it, and a body without one is a root. Joints that name bodies which
    do not exist count for nothing, and neither does the second body of one name.
    """
    inboard: dict[str, Joint] = {}
    loop_joints: list[Joint] = []
    children: dict[str, list[str]] = {}
    for joint in model.joints:
        if joint.child not in model.bodies or (joint.parent is not None and joint.parent not in model.bodies):
            continue
        if joint.child in inboard:
            loop_joints.append(joint)
            continue
        inboard[joint.child] = joint
        if joint.parent is not None:
            children.setdefault(joint.parent, []).append(joint.child)
    branches: dict[str, Branch] = {}
    cut_bodies: list[Body] = []
    for body in model.bodies:
        carrier = inboard.get(body.name)
        if carrier is None or carrier.parent is None:
            _grow(body, carrier, model, inboard, children, branches)
    order = {name: position for position, name in reversed(list(enumerate(model.bodies.names())))}
    for body in model.bodies:
        if body.name not in branches:
            # Its way to the root never ends: it lies on a circle, or hangs on one that will carry it again.
            root = model.bodies[min(_circle_below(body.name, inboard), key=order.__getitem__)]
            cut_bodies.append(root)
            loop_joints.append(inboard.pop(root.name))
            _grow(root, None, model, inboard, children, branches)
    return Tree(branches=tuple(branches.values()), loop_joints=tuple(loop_joints), cut_bodies=tuple(cut_bodies))


def _circle_below(name: str, inboard: dict[str, Joint]) -> list[str]:
    """Return the bodies of the circle to which the inboard joints lead from a body."""
    way: dict[str, int] = {}
    parent: str | None = name
    while parent is not None and parent not in way:
        way[parent] = len(way)
        parent = inboard[parent].parent
    return [] if parent is None else list(way)[way[parent] :]


def _grow(
    root: Body,
    carrier: Joint | None,
    model: Model,
    inboard: dict[str, Joint],
    children: dict[str, list[str]],
    branches: dict[str, Branch],
) -> None:
    pending = [Branch(body=root, inboard=carrier, depth=0)]
    while pending:
        branch = pending.pop()
        if branch.body.name in branches:
            continue
        branches[branch.body.name] = branch
        pending.extend(
            Branch(body=model.bodies[name], inboard=inboard[name], depth=branch.depth + 1)
            for name in reversed(children.get(branch.body.name, ()))
            if name in inboard
        )
