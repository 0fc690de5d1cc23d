"""A floating tree of bodies has no collision shape."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.kinematics import Tree
from ossature.model import Bushing, Constraint, Floating, Model, SpringDamper, World

RULE = Rule.note(
    "missing-collision-shape",
    "MDL034",
    "A free body has no collision shape.",
    "No body of its tree has a collision shape, and no joint connects the tree to the world: it falls without end. Add a "
    "collision shape, or fix the base.",
    aliases=("no-collision-shape",),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report floating trees of bodies without any collision shape."""
    if not any(world.gravity):
        return
    for model in world.models:
        if not model.static:
            _check_model(model, context, report)


def _check_model(model: Model, context: CheckContext, report: Report) -> None:
    touching: dict[str, bool] = {}
    held = {name for element in _supporting_connections(model) for name in (element.body1, element.body2)}
    root_of = {name: root for name, root in _unsupported_roots(context.tree(model)).items() if root not in held}
    for branch in context.tree(model).branches:
        root = root_of.get(branch.body.name)
        if root is not None:
            touches = bool(branch.body.collisions) or branch.body.soft_skin is not None
            touching[root] = touching.get(root, False) or touches
    for root, touches in touching.items():
        if not touches:
            report.add(
                RULE,
                f"floating body '{root}' and its descendants have no collision shape",
                model.bodies[root].origin,
                path=f"{model.name}/{root}",
                hint="add a collision shape, or fix the base",
            )


def _supporting_connections(model: Model) -> tuple[Bushing | Constraint | SpringDamper, ...]:
    """Return the elements that can support a body besides joints and motors."""
    return (*model.bushings, *model.constraints, *model.spring_dampers)


def _unsupported_roots(tree: Tree) -> dict[str, str]:
    """Return the root of each body that no joint connects to the world."""
    root_of: dict[str, str] = {}
    for branch in tree.branches:
        body, inboard = branch.body, branch.inboard
        if inboard is not None and inboard.parent is not None:
            if inboard.parent in root_of:
                root_of[body.name] = root_of[inboard.parent]
        elif body.gravity and (inboard is None or isinstance(inboard.type, Floating)):
            root_of[body.name] = body.name
    held = _bodies_in_loops(tree, root_of)
    return {name: root for name, root in root_of.items() if root not in held}


def _bodies_in_loops(tree: Tree, root_of: dict[str, str]) -> set[str]:
    # A loop joint of a body may connect its tree to the world, or to a supported tree.
    held: set[str] = set()
    for joint in tree.loop_joints:
        child_root = root_of.get(joint.child)
        parent_root = root_of.get(joint.parent) if joint.parent is not None else None
        if not isinstance(joint.type, Floating) and (child_root is None or parent_root is None):
            held.update(root for root in (child_root, parent_root) if root is not None)
    return held
