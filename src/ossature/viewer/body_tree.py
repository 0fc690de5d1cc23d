"""The bodies of a World as rows of a tree."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.kinematics import spanning_tree
from ossature.model import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One body.

    Attributes:
        model: Name of its model.
        body: Its name.
        joint: Name of the joint that carries it, or None.
        depth: How many bodies carry it, and the model if there are several.
        label: What people read.
        hint: What else they read when they point at it.
    """

    model: str
    body: str
    joint: str | None
    depth: int
    label: str
    hint: str


def outline(world: World) -> list[Row]:
    """Return a row for every body: each below the one that carries it, in file order."""
    rows: list[Row] = []
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
                hint += f", carried by {type(joint.type).__name__.lower()} {joint.name}"
            row = Row(
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


def found(row: Row, text: str) -> bool:
    """Whether a row has a text in the name of its model, body or joint; capital letters do not matter."""
    wanted = text.strip().casefold()
    return any(wanted in name.casefold() for name in (row.model, row.body, row.joint or ""))
