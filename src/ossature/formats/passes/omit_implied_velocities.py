"""Pass: omit initial velocities of bodies that follow from those of joints and floating bases."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.kinematics import model_poses, spanning_tree
from ossature.kinematics.initial_body_velocities import initial_body_velocities
from ossature.model import Body, Model, World
from ossature.spatial import IDENTITY, ZERO3, Vector3, norm, subtract

_TOLERANCE = 1e-9
"""Largest difference between a velocity and the one that follows from joints, as a share of it [or m/s, rad/s]."""


def omit_implied_velocities(world: World, context: WriteContext) -> World:
    """Return a World for a format in which only joints and floating bases have velocities.

    Bodies with a parent joint whose velocity follows from the others specify none; those that contradict them are unchanged.
    """
    return replace(world, models=world.models.map(lambda model: _omit_velocities(model, context.ledger)))


def _omit_velocities(model: Model, ledger: Ledger) -> Model:
    children = {joint.child for joint in model.joints}
    moving = [body for body in model.bodies if body.name in children and moves_at_start(body)]
    if model.static or not moving:
        return model
    tree = spanning_tree(model)
    velocities = initial_body_velocities(model, tree, model_poses(replace(model, pose=IDENTITY), tree=tree))
    implied = {body.name for body in moving if _is_implied(body, *velocities[body.name])}
    for name in implied:
        for field in ("initial_velocity", "initial_angular_velocity_body"):
            ledger.rewritten(f"{model.name}/{name}.{field}", "it follows from the velocities of joints and floating bases")
    return replace(
        model,
        bodies=model.bodies.map(
            lambda body: (
                replace(body, initial_velocity=ZERO3, initial_angular_velocity_body=ZERO3) if body.name in implied else body
            )
        ),
    )


def moves_at_start(body: Body) -> bool:
    """Whether a body has an initial velocity of its own."""
    return any(body.initial_velocity) or any(body.initial_angular_velocity_body)


def _is_implied(body: Body, linear: Vector3, angular: Vector3) -> bool:
    pairs = ((body.initial_velocity, linear), (body.initial_angular_velocity_body, angular))
    return all(norm(subtract(specified, implied)) <= _TOLERANCE * max(1.0, norm(implied)) for specified, implied in pairs)
