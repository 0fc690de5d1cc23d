"""A spanning tree of a model: which joint carries each body, in an order in which parents come first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ossature.kinematics.joint_graph import Connection, connections, reversed_joint, tree_priority
from ossature.model import Body, Floating, Joint, Model, Motor


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeJoint:
    """A body and what carries it.

    Attributes:
        body: The body.
        inboard: The joint that carries it, its child the body; or None for a body that is placed in the model by its
            pose alone.
        connection: The joint or motor of the model that ``inboard`` comes from.
        is_reversed: Whether ``inboard`` is that joint with parent and child exchanged.
        depth: How many bodies carry it, one on the other: zero for a root.
    """

    body: Body
    inboard: Joint | None = None
    connection: Connection | None = None
    is_reversed: bool = False
    depth: int = 0

    @property
    def motor(self) -> Motor | None:
        """The motor that carries it, or None where none does."""
        return None if self.connection is None else self.connection.motor

    @property
    def is_joint(self) -> bool:
        """Whether a joint of the model carries it."""
        return self.connection is not None and self.connection.is_joint


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A spanning tree of a model.

    Attributes:
        branches: Every body once, parents before children.
        loops: The connections that close loops: those that are not in the tree, free joints excepted.
    """

    branches: tuple[TreeJoint, ...]
    loops: tuple[Connection, ...]

    @property
    def loop_joints(self) -> tuple[Joint, ...]:
        """The joints and motors that close loops, as joints."""
        return tuple([loop.joint for loop in self.loops])


def spanning_tree(model: Model) -> Tree:
    """Return the spanning tree of a model, the same one for the same model, in time linear in its size but for a sort.

    Connections are taken by :func:`tree_priority`, then in file order, as long as they join what was not joined before;
    those that point the wrong way are reversed. A body that no joint leads to from the world is a root, preferably one
    that no joint has for its child. Joints that name bodies which do not exist count for nothing, and neither does the
    second body of one name.
    """
    return _SpanningTreeBuilder(model).tree()


class _SpanningTreeBuilder:
    """A tree that grows from its roots along the chosen connections."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._all = connections(model)
        self._chosen = _choose(self._all)
        self._at: dict[str | None, list[int]] = {}
        for number in self._chosen:
            joint = self._all[number].joint
            self._at.setdefault(joint.parent, []).append(number)
            self._at.setdefault(joint.child, []).append(number)
        self._used: set[int] = set()
        self._branches: dict[str, TreeJoint] = {}

    def tree(self) -> Tree:
        """Return the tree."""
        rooted = {self._all[number].joint.child: number for number in reversed(self._at.get(None, []))}
        for body in self._model.bodies:
            if body.name in rooted:
                self._grow(self._branch(body, rooted[body.name], 0))
        children = {connection.joint.child for connection in self._all}
        for is_last_resort in (False, True):
            for body in self._model.bodies:
                if is_last_resort or body.name not in children:
                    self._grow(TreeJoint(body=body))
        loops = [
            connection
            for number, connection in enumerate(self._all)
            if number not in self._used and not isinstance(connection.joint.type, Floating)
        ]
        return Tree(branches=tuple(self._branches.values()), loops=tuple(loops))

    def _branch(self, body: Body, number: int, depth: int) -> TreeJoint:
        self._used.add(number)
        connection = self._all[number]
        return TreeJoint(body=body, inboard=connection.joint, connection=connection, depth=depth)

    def _grow(self, root: TreeJoint) -> None:
        pending = [root]
        while pending:
            branch = pending.pop()
            if branch.body.name in self._branches:
                continue
            self._branches[branch.body.name] = branch
            pending.extend(reversed(list(self._outward(branch))))

    def _outward(self, branch: TreeJoint) -> Iterator[TreeJoint]:
        here = branch.body.name
        for number in self._at.get(here, ()):
            joint = self._all[number].joint
            if number in self._used or joint.parent is None:
                continue
            if joint.parent == here:
                yield self._branch(self._model.bodies[joint.child], number, branch.depth + 1)
                continue
            turned = reversed_joint(joint, self._model)
            if turned is not None:
                self._used.add(number)
                yield TreeJoint(
                    body=self._model.bodies[joint.parent],
                    inboard=turned,
                    connection=self._all[number],
                    is_reversed=True,
                    depth=branch.depth + 1,
                )


def _choose(found: list[Connection]) -> list[int]:
    """Return the numbers of the connections that span all that is connected, in file order."""
    leader: dict[str | None, str | None] = {}

    def find(name: str | None) -> str | None:
        root = name
        while (above := leader.get(root, root)) != root:
            root = above
        while name != root:
            leader[name], name = root, leader.get(name, name)
        return root

    chosen = []
    for number in sorted(range(len(found)), key=lambda number: tree_priority(found[number])):
        joint = found[number].joint
        first, second = find(joint.parent), find(joint.child)
        if first != second:
            leader[second] = first
            chosen.append(number)
    return sorted(chosen)
