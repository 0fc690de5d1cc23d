"""Floating bases of robots, and fixing them to the world."""

from __future__ import annotations

from dataclasses import replace

from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Fixed, Joint, Model, NamedList, World
from ossature.model.unique_names import unique_name


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
    return replace(world, models=NamedList([_fix_base(model) for model in world.models]))


def _fix_base(model: Model) -> Model:
    taken = set(model.joints.names())
    added = [
        Joint(name=_unused_name(f"{body}_held", taken), type=Fixed(), parent=None, child=body) for body in floating_bases(model)
    ]
    return replace(model, joints=NamedList([*model.joints, *added])) if added else model


def _unused_name(name: str, taken: set[str]) -> str:
    unique = unique_name(name, taken, lambda count: f"{name}_{count}")
    taken.add(unique)
    return unique
