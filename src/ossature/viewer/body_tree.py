"""The kinematic tree of a World as rows."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.kinematics import spanning_tree
from ossature.model import World
from ossature.model.value_text import kind_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeRow:
    """One body.

    Attributes:
        model: Name of its model.
        body: Its name.
        joint: Name of its parent joint, or None.
        depth: Number of its ancestors in the kinematic tree.
        label: Text of the row.
        hint: Tooltip.
    """

    model: str
    body: str
    joint: str | None
    depth: int
    label: str
    hint: str


def tree_rows(world: World) -> list[TreeRow]:
    """Return a row for each body, after its parent and in file order."""
    rows: list[TreeRow] = []
    several = len(world.models) > 1
    for model in world.models:
        branches = spanning_tree(model).branches
        children: dict[str | None, list[int]] = {}
        for number, branch in enumerate(branches):
            children.setdefault(None if branch.inboard is None else branch.inboard.parent, []).append(number)
        pending = [(number, 0) for number in reversed(children.get(None, ()))]
        while pending:
            number, depth = pending.pop()
            branch = branches[number]
            joint = branch.inboard
            label = f"{model.name} / {branch.body.name}" if several and depth == 0 else branch.body.name
            hint = f"{branch.body.inertial.mass:g} kg"
            if joint is not None:
                hint += f", parent joint {joint.name} ({kind_text(type(joint.type))})"
            row = TreeRow(
                model=model.name,
                body=branch.body.name,
                joint=None if joint is None else joint.name,
                depth=depth,
                label=label,
                hint=hint,
            )
            rows.append(row)
            pending.extend((child, depth + 1) for child in reversed(children.get(branch.body.name, ())))
    return rows


def matches(row: TreeRow, text: str) -> bool:
    """Whether the name of the model, body or joint of a row contains a text, ignoring case."""
    wanted = text.strip().casefold()
    return any(wanted in name.casefold() for name in (row.model, row.body, row.joint or ""))
