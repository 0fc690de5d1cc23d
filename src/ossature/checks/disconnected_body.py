"""A body of a model with joints has neither a joint nor a collision shape."""

from __future__ import annotations

from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Body, Model, World

RULE = Rule.warning(
    "disconnected-body",
    "MDL010",
    "A body of a model with joints has no joint and no collision shape.",
    "It moves on its own, and nothing stops it. A joint is missing, or refers to another body. Bodies with collision shapes or "
    "an initial velocity are considered free on purpose.",
)


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report bodies without joint, force element and collision shape."""
    for model in world.models:
        if model.static:
            continue
        connected = _bodies_connected_otherwise(model)
        # Free bodies above a fixed ground miss no joint.
        if not connected and all(joint.is_fixed_to_world for joint in model.joints):
            continue
        mentioned = connected | {name for joint in model.joints for name in (joint.parent, joint.child)}
        for body in model.bodies:
            if body.name not in mentioned and not _is_free_on_purpose(body):
                report.add(RULE, f"body '{body.name}' has no joint", body.origin, path=f"{model.name}/{body.name}")


def _is_free_on_purpose(body: Body) -> bool:
    touches = bool(body.collisions or body.self_collisions or body.soft_skin is not None)
    return touches or any(body.initial_velocity) or any(body.initial_angular_velocity_body)


def _bodies_connected_otherwise(model: Model) -> set[str | None]:
    pairs = (*model.motors, *model.bushings, *model.constraints, *model.spring_dampers, *model.rotational_spring_dampers)
    return {name for element in pairs for name in (element.body1, element.body2)} | {load.body for load in model.loads}
