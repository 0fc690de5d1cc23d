"""Massless bodies: links between joints, and frames."""

from __future__ import annotations

from ossature.kinematics.spanning_tree import Tree
from ossature.model import Body, Fixed

_NO_MOMENT = ((0.0, 0.0, 0.0),) * 3


def is_massless(body: Body) -> bool:
    """Whether a body states that it has neither mass nor moments of inertia."""
    return body.inertial.mass == 0.0 and body.inertial.moment in (None, _NO_MOMENT)


def lumped_masses(tree: Tree) -> dict[str, float]:
    """Return for each body the total mass of its subtree [kg]."""
    masses = {branch.body.name: branch.body.inertial.mass for branch in tree.branches}
    for branch in reversed(tree.branches):
        if branch.inboard is not None and branch.inboard.parent is not None:
            masses[branch.inboard.parent] += masses[branch.body.name]
    return masses


def fixed_children(tree: Tree) -> set[str]:
    """Return the massless bodies that can be simulated: those fixed to a body with mass, or with mass in their subtree."""
    subtree_masses = lumped_masses(tree)
    attached: set[str] = set()
    with_mass: set[str] = set()
    for branch in tree.branches:
        name, inboard = branch.body.name, branch.inboard
        if not is_massless(branch.body):
            with_mass.add(name)
        elif inboard is not None and isinstance(inboard.type, Fixed) and inboard.parent is not None:
            if inboard.parent in attached or inboard.parent in with_mass:
                attached.add(name)
        elif subtree_masses[name] > 0.0:
            attached.add(name)
    return attached
