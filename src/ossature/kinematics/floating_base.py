"""Floating bases of robots, and fixing them to the world."""

from __future__ import annotations

from dataclasses import replace

from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Fixed, Joint, Model, ModelError, World
from ossature.model.unique_names import take_unique_name


def floating_bases(model: Model) -> tuple[str, ...]:
    """Return the root bodies of a model that have child bodies but no joint of their own."""
    if model.static:
        return ()
    parents = {joint.parent for joint in model.joints} | {joint.child for joint in model.joints if joint.parent is None}
    return tuple(
        [branch.body.name for branch in spanning_tree(model).branches if branch.inboard is None and branch.body.name in parents]
    )


def fix_bases(world: World) -> World:
    """Return the World with every floating base fixed to the world at its pose.

    Some formats do not specify whether the base of a robot is fixed; without a fixed base, a simulated robot falls.
    """
    return replace(world, models=world.models.map(_fix_base))


def fix_base(world: World, model: str) -> World:
    """Return the World with the floating bases of one model fixed to the world at their poses.

    Raises:
        ModelError: There is no such model, or it has no floating base.
    """
    fixed = _fix_base(world.find(Model, model))
    if fixed is world.models[model]:
        raise ModelError(f"Model '{model}' has no floating base")
    return replace(world, models=world.models.replaced(fixed))


def free_base(world: World, model: str) -> World:
    """Return the World without the fixed joints between one model and the world, so that its base floats.

    Raises:
        ModelError: There is no such model, or no fixed joint connects it to the world.
    """
    found = world.find(Model, model)
    fixed = [joint.name for joint in found.joints if joint.parent is None and isinstance(joint.type, Fixed)]
    if not fixed:
        raise ModelError(f"Model '{model}' has no fixed joint to the world")
    return replace(world, models=world.models.replaced(replace(found, joints=found.joints.without(*fixed))))


def _fix_base(model: Model) -> Model:
    taken = set(model.joints.names())
    added = [
        Joint(name=take_unique_name(f"{body}_held", taken), type=Fixed(), parent=None, child=body)
        for body in floating_bases(model)
    ]
    return replace(model, joints=model.joints.with_(*added)) if added else model
