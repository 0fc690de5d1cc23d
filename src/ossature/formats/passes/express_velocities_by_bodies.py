"""Pass: express the initial velocities of joints by those of their bodies, for formats whose joints have none."""

from __future__ import annotations

from dataclasses import replace

from ossature.diagnostics import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.passes.express_velocities_by_joints import project_initial_velocities
from ossature.kinematics import model_poses, spanning_tree
from ossature.kinematics.initial_body_velocities import initial_body_velocities, moves_at_start
from ossature.kinematics.joint_couplings import with_initial_coupled_positions
from ossature.model import Body, Joint, Model, World
from ossature.spatial import IDENTITY, Vector3


def express_velocities_by_bodies(world: World, context: WriteContext) -> World:
    """Return a World in which only bodies have velocities, also those that joints move."""
    projected = project_initial_velocities(world, context)
    return replace(world, models=projected.models.map(lambda model: _with_body_velocities(model, context.ledger)))


def _with_body_velocities(model: Model, ledger: Ledger) -> Model:
    if model.static or not any(any(joint.initial_velocities) for joint in model.joints):
        return model
    coupled = with_initial_coupled_positions(model)
    tree = spanning_tree(coupled)
    velocities = initial_body_velocities(coupled, tree, model_poses(replace(coupled, pose=IDENTITY), tree=tree))
    bodies = model.bodies.map(lambda body: _with_velocity(model, body, velocities[body.name], ledger))
    return replace(model, bodies=bodies, joints=model.joints.map(lambda joint: _without_velocities(model, joint, ledger)))


def _with_velocity(model: Model, body: Body, velocity: tuple[Vector3, Vector3], ledger: Ledger) -> Body:
    linear, angular = velocity
    if moves_at_start(body) or not (any(linear) or any(angular)):
        return body
    for field in ("initial_velocity", "initial_angular_velocity_body"):
        ledger.rewritten(f"{model.name}/{body.name}.{field}", "computed from the initial velocities of joints")
    return replace(body, initial_velocity=linear, initial_angular_velocity_body=angular)


def _without_velocities(model: Model, joint: Joint, ledger: Ledger) -> Joint:
    for index, velocity in enumerate(joint.initial_velocities):
        if velocity:
            path = f"{model.name}/{joint.name}.coordinates[{index}].initial_velocity"
            ledger.rewritten(path, "its bodies state their velocities", location=joint.origin)
    if not any(joint.initial_velocities):
        return joint
    return replace(joint, coordinates=tuple([replace(one, initial_velocity=0.0) for one in joint.coordinates]))
