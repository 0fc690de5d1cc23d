"""The kinematic tree of a World as rows of bodies and joints."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ossature.kinematics import spanning_tree
from ossature.kinematics.spanning_tree import TreeJoint
from ossature.model import Joint, Model, World
from ossature.model.value_text import kind_text

RowKey = tuple[str, str, str | None]
"""What identifies a row in its World: the names of model, body and joint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRow:
    """One body or joint.

    Attributes:
        body: Name of the body; of a joint that of its child.
        joint: Name of the joint; None for a body.
        depth: Number of its ancestors among the rows.
        has_rows: Whether rows are below it, which can be folded.
    """

    model: str
    body: str
    joint: str | None
    depth: int
    label: str
    hint: str
    has_rows: bool = False

    @property
    def key(self) -> RowKey:
        """What identifies the row; the joint is None for a body."""
        return self.model, self.body, self.joint


def tree_rows(world: World) -> list[TreeRow]:
    """Return a row for each body and each joint: a body is below its parent joint, and joints are below their parents."""
    several = len(world.models) > 1
    return [row for model in world.models for row in _rows_of_model(model, several=several)]


def _rows_of_model(model: Model, *, several: bool) -> Iterator[TreeRow]:
    tree = spanning_tree(model)
    children: dict[str | None, list[TreeJoint]] = {}
    for branch in tree.branches:
        children.setdefault(None if branch.inboard is None else branch.inboard.parent, []).append(branch)
    loops: dict[str | None, list[Joint]] = {}
    for joint in tree.loop_joints:
        loops.setdefault(joint.parent, []).append(joint)
    pending = [(branch, 0) for branch in reversed(children.get(None, ()))]
    while pending:
        branch, depth = pending.pop()
        if branch.inboard is not None:
            yield _joint_row(model, branch.inboard, depth, has_rows=True)
            depth += 1
        name = branch.body.name
        below, closing = children.get(name, []), loops.get(name, [])
        yield TreeRow(
            model=model.name,
            body=name,
            joint=None,
            depth=depth,
            label=f"{model.name} / {name}" if several and depth == 0 else name,
            hint=f"{branch.body.inertial.mass:g} kg",
            has_rows=bool(below or closing),
        )
        yield from (_joint_row(model, joint, depth + 1, closes_loop=True) for joint in closing)
        pending.extend((child, depth + 1) for child in reversed(below))


def _joint_row(model: Model, joint: Joint, depth: int, *, has_rows: bool = False, closes_loop: bool = False) -> TreeRow:
    kind = kind_text(type(joint.type))
    hint = f"{kind} joint, from {joint.parent or 'the world'} to {joint.child}" + (", closes a loop" if closes_loop else "")
    label = f"{joint.name} ({kind}{', loop' if closes_loop else ''})"
    return TreeRow(model=model.name, body=joint.child, joint=joint.name, depth=depth, label=label, hint=hint, has_rows=has_rows)


def unfolded(rows: Sequence[TreeRow], folded: Collection[RowKey]) -> Iterator[TreeRow]:
    """Yield the rows that are not below a folded one.

    Args:
        rows: All rows of a World.
    """
    deepest: int | None = None
    for row in rows:
        if deepest is not None and row.depth > deepest:
            continue
        deepest = row.depth if row.key in folded else None
        yield row


def ancestors(rows: Sequence[TreeRow], key: RowKey) -> set[RowKey]:
    """Return the keys of the rows that a row is below."""
    path: list[RowKey] = []
    for row in rows:
        del path[row.depth :]
        if row.key == key:
            break
        path.append(row.key)
    return set(path)


def rows_to_fold(rows: Sequence[TreeRow], most: int) -> set[RowKey]:
    """Return the keys of the rows to fold so that at most a number of rows remain, as deep as possible."""
    counts: dict[int, int] = {}
    for row in rows:
        counts[row.depth] = counts.get(row.depth, 0) + 1
    shown, depth = 0, 0
    while depth in counts and shown + counts[depth] <= most:
        shown += counts[depth]
        depth += 1
    return {row.key for row in rows if row.has_rows and row.depth >= max(depth - 1, 0)} if depth in counts else set()


def matches(row: TreeRow, text: str) -> bool:
    """Whether the name of a body or joint, or of its model, contains a text, ignoring case."""
    wanted = text.strip().casefold()
    return any(wanted in name.casefold() for name in (row.model, row.joint or row.body))
