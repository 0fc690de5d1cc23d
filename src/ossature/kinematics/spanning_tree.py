"""The spanning tree of a model: the inboard joint of each body, parents before children."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ossature.kinematics.disjoint_sets import DisjointSets
from ossature.kinematics.joint_graph_edges import Connection, connections, reversed_joint, tree_priority
from ossature.kinematics.model_cache import CachedForModel
from ossature.model import Body, Floating, Joint, Model, Motor


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeJoint:
    """A body and its inboard joint.

    Attributes:
        body: The body.
        inboard: The joint whose child is the body, or None for a floating body.
        connection: The joint or motor of the model that ``inboard`` comes from.
        is_reversed: Whether ``inboard`` is that joint with parent and child exchanged.
        depth: The number of its ancestors: zero for a root.
    """

    body: Body
    inboard: Joint | None = None
    connection: Connection | None = None
    is_reversed: bool = False
    depth: int = 0

    @property
    def motor(self) -> Motor | None:
        """The motor whose guide is the inboard joint, or None."""
        return None if self.connection is None else self.connection.motor

    @property
    def is_joint(self) -> bool:
        """Whether the inboard joint is a joint of the model."""
        return self.connection is not None and self.connection.is_joint


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A spanning tree of a model.

    Attributes:
        branches: Every body once, parents before children.
        loops: The connections that close loops: those that are not in the tree, except free joints.
    """

    branches: tuple[TreeJoint, ...]
    loops: tuple[Connection, ...]

    @property
    def loop_joints(self) -> tuple[Joint, ...]:
        """The joints and motors that close loops, as joints."""
        return tuple([loop.joint for loop in self.loops])

    def moving_bodies(self, grasped: Collection[str] = ()) -> set[str]:
        """Return the names of the bodies that can move relative to the model: by a joint or a grasp, and their descendants."""
        moving = set(grasped)
        for branch in self.branches:
            inboard = branch.inboard
            if inboard is None or inboard.degrees_of_freedom > 0 or inboard.parent in moving:
                moving.add(branch.body.name)
        return moving


@CachedForModel
def spanning_tree(model: Model) -> Tree:
    """Return the spanning tree of a model, deterministically, in time linear in its size except for a sort.

    Connections are chosen by :func:`tree_priority`, then in file order, if they connect two components (Kruskal's algorithm);
    those that point towards the root are reversed. Components without a connection to the world get a floating root, preferably
    a body that is not the child of a joint. Joints with unknown bodies are ignored, and so are bodies with the name of an
    earlier one.
    """
    return _SpanningTreeBuilder(model).tree()


def parent_joint_outside_tree(model: Model, body: str | None) -> Joint | None:
    """Return the first joint whose child is a body, if the body moves by another one in the spanning tree.

    That is so for a joint that closes a loop, and for a body between the root of the tree and its parent.
    """
    parent = next((joint for joint in model.joints if joint.child == body), None)
    branch = next((branch for branch in spanning_tree(model).branches if branch.body.name == body), None)
    if parent is None or branch is None:
        return None
    inboard = branch.inboard if branch.is_joint and not branch.is_reversed else None
    return None if inboard is not None and inboard.name == parent.name else parent


class _SpanningTreeBuilder:
    """Grows the tree from its roots along the chosen connections."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._all = connections(model)
        self._chosen = _choose_tree_connections(self._all)
        self._incident: dict[str | None, list[int]] = {}
        for number in self._chosen:
            joint = self._all[number].joint
            self._incident.setdefault(joint.parent, []).append(number)
            self._incident.setdefault(joint.child, []).append(number)
        self._used: set[int] = set()
        self._branches: dict[str, TreeJoint] = {}

    def tree(self) -> Tree:
        rooted = {self._all[number].joint.child: number for number in reversed(self._incident.get(None, []))}
        for body in self._model.bodies:
            if body.name in rooted:
                self._grow(self._make_branch(body, rooted[body.name], 0))
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

    def _make_branch(self, body: Body, number: int, depth: int) -> TreeJoint:
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
        name = branch.body.name
        for number in self._incident.get(name, ()):
            joint = self._all[number].joint
            if number in self._used or joint.parent is None:
                continue
            if joint.parent == name:
                if joint.child in self._branches:
                    continue  # its body is in a component that cannot reach this one: the joint closes a loop
                yield self._make_branch(self._model.bodies[joint.child], number, branch.depth + 1)
                continue
            inboard = reversed_joint(joint, self._model)
            if inboard is not None:
                self._used.add(number)
                yield TreeJoint(
                    body=self._model.bodies[joint.parent],
                    inboard=inboard,
                    connection=self._all[number],
                    is_reversed=True,
                    depth=branch.depth + 1,
                )


def _choose_tree_connections(found: Sequence[Connection]) -> list[int]:
    """Return the numbers of the connections of a spanning forest, in file order."""
    components: DisjointSets[str | None] = DisjointSets()
    order = sorted(range(len(found)), key=lambda number: tree_priority(found[number]))
    return sorted(number for number in order if components.join(found[number].joint.parent, found[number].joint.child))
