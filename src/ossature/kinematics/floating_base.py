"""Bases: the bodies of a robot that nothing holds, and a World in which they are held."""

from __future__ import annotations

from dataclasses import replace

from ossature.kinematics.spanning_tree import spanning_tree
from ossature.model import Fixed, Joint, Model, NamedList, World
from ossature.model.unique_names import unique_name


def floating_bases(model: Model) -> tuple[str, ...]:
    """Return the bodies of a model that carry others by joints and hang on nothing themselves."""
    if model.static:
        return ()
    carrying = {joint.parent for joint in model.joints} | {joint.child for joint in model.joints if joint.parent is None}
    return tuple(
        [
            branch.body.name
            for branch in spanning_tree(model).branches
            if branch.inboard is None and branch.body.name in carrying
        ]
    )


def fix_bases(world: World) -> World:
    """Return the World with every robot bolted to the ground where it stands.

    Files of some formats leave open whether a robot's base is held; simulated as they stand, such robots fall.
    """
    return replace(world, models=NamedList([_fixed(model) for model in world.models]))


def _fixed(model: Model) -> Model:
    taken = set(model.joints.names())
    held = [Joint(name=_fresh(f"{body}_held", taken), type=Fixed(), parent=None, child=body) for body in floating_bases(model)]
    return replace(model, joints=NamedList([*model.joints, *held])) if held else model


def _fresh(name: str, taken: set[str]) -> str:
    unique = unique_name(name, taken, lambda count: f"{name}_{count}")
    taken.add(unique)
    return unique
