"""Nothing of a body that can fall has a shape that touches."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule, Severity
from ossature.model import Free, Model, World

RULE = Rule(
    name="no-collision-shape",
    severity=Severity.NOTE,
    summary="Nothing of a body that can fall has a shape that touches.",
    explanation=(
        "No body of its tree has a collision shape, and no joint holds the tree to the world, so it falls "
        "through everything for ever."
    ),
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report free trees of bodies without any collision shape."""
    if not any(world.gravity):
        return
    for model in world.models:
        if not model.static:
            _check_model(model, context, report)


def _check_model(model: Model, context: CheckContext, report: Report) -> None:
    touching: dict[str, bool] = {}
    root_of: dict[str, str] = {}
    for branch in context.tree(model).branches:
        body, inboard = branch.body, branch.inboard
        if inboard is not None and inboard.parent is not None:
            root = root_of.get(inboard.parent)
        else:
            falls = (inboard is None or isinstance(inboard.type, Free)) and body.gravity
            root = body.name if falls else None
        if root is not None:
            root_of[body.name] = root
            touches = bool(body.collisions) or body.soft_skin is not None
            touching[root] = touching.get(root, False) or touches
    for root, touches in touching.items():
        if not touches:
            report.add(
                RULE,
                f"'{root}' and what hangs on it falls through everything",
                model.bodies[root].origin,
                path=f"{model.name}/{root}",
                hint="add a <collision_shape>, or hold it by a joint",
            )
