"""Joints that follow others, for formats that cannot say what they follow."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.kinematics import FormulaError, has_followers, with_followers_at_start
from ossature.model import Coordinate, Joint, Model, Named, World, formula_text


def without_followers(world: World, ledger: Ledger) -> World:
    """Return a World whose joints all move by themselves, from where their formulas put them at the start."""
    if not any(has_followers(model) for model in world.models):
        return world
    return replace(world, models=Named([_without_followers(model, ledger) for model in world.models]))


def _without_followers(model: Model, ledger: Ledger) -> Model:
    try:
        started = with_followers_at_start(model)
    except FormulaError:
        started = model  # a formula that gives nothing is dropped like any other
    joints = [_alone(before, after, model.name, ledger) for before, after in zip(model.joints, started.joints, strict=True)]
    return replace(model, joints=Named(joints))


def _alone(before: Joint, after: Joint, model: str, ledger: Ledger) -> Joint:
    if all(coordinate.formula is None for coordinate in before.coordinates):
        return before
    for number, (stated, started) in enumerate(zip(before.coordinates, after.coordinates, strict=True)):
        _account(stated, started, f"{model}/{before.name}.coordinates[{number}]", before, ledger)
    return replace(after, coordinates=tuple([replace(coordinate, formula=None) for coordinate in after.coordinates]))


def _account(stated: Coordinate, started: Coordinate, path: str, joint: Joint, ledger: Ledger) -> None:
    if stated.formula is None:
        return
    detail = f"it follows {formula_text(stated.formula.position)}, which the format cannot say: it moves by itself"
    ledger.dropped(f"{path}.formula", detail, location=joint.origin)
    for field in ("initial_position", "initial_velocity"):
        if getattr(stated, field) != getattr(started, field):
            ledger.rewritten(f"{path}.{field}", "it starts as its formula says", location=joint.origin)
