"""Passes: express the initial velocities of bodies by those of their joints, for formats whose bodies have none."""

from __future__ import annotations

from dataclasses import replace

from ossature.assets import MeshStore
from ossature.diagnostics import Ledger, OssatureError
from ossature.formats.format import WriteContext
from ossature.kinematics import model_poses, spanning_tree
from ossature.kinematics.initial_body_velocities import initial_body_velocities, moves_at_start
from ossature.kinematics.velocity_projection import ProjectedVelocities, project_velocities
from ossature.model import Body, Joint, Model, World
from ossature.spatial import IDENTITY, ZERO3, Vector3, norm, subtract

_TOLERANCE = 1e-9
"""Largest difference between two velocities that are equal, as a share of them [or m/s, rad/s]."""
_FIELDS = ("initial_velocity", "initial_angular_velocity_body")


def project_initial_velocities(world: World, context: WriteContext) -> World:
    """Return a World in which all bodies of models in motion, and their joints, have velocities that agree.

    Velocities that joints and loops do not allow become those that a simulation starts with. A model without loops has the same
    velocities before and after its loops are dropped only if this pass comes first.
    """
    return replace(world, models=world.models.map(lambda model: _project_velocities(model, context.meshes, context.ledger)))


def express_velocities_by_joints(world: World, context: WriteContext) -> World:
    """Return a World for a format in which only joints and floating bases have velocities.

    Bodies that a motor or bushing connects keep their velocity, as far as it does not follow from joints.
    """
    projected = project_initial_velocities(world, context)
    return replace(world, models=projected.models.map(lambda model: _omit_implied_velocities(model, context.ledger)))


def _project_velocities(model: Model, meshes: MeshStore, ledger: Ledger) -> Model:
    if model.static or not model.joints or not any(map(moves_at_start, model.bodies)):
        return model
    try:
        projected = project_velocities(model, meshes)
    except (OssatureError, ValueError) as error:
        for body in filter(moves_at_start, model.bodies):
            ledger.approximated(f"{model.name}/{body.name}", f"the velocities of its joints are not computed: {error}")
        return model
    moved = replace(model, bodies=model.bodies.map(lambda body: _with_projected_velocity(model, body, projected, ledger)))
    return _with_joint_velocities(moved, projected, ledger)


def _with_projected_velocity(model: Model, body: Body, projected: ProjectedVelocities, ledger: Ledger) -> Body:
    """Return a body with the velocity that joints and loops allow; an equal one is unchanged."""
    linear, angular = projected.linear[body.name], projected.angular[body.name]
    if not moves_at_start(body):
        return replace(body, initial_velocity=linear, initial_angular_velocity_body=angular)
    path = f"{model.name}/{body.name}"
    is_changed = [
        _record_change(f"{path}.{field}", norm(value), change, ledger)
        for field, value, change in zip(
            _FIELDS,
            (linear, angular),
            (projected.changes_linear[body.name], projected.changes_angular[body.name]),
            strict=True,
        )
    ]
    return replace(
        body,
        initial_velocity=linear if is_changed[0] else body.initial_velocity,
        initial_angular_velocity_body=angular if is_changed[1] else body.initial_angular_velocity_body,
    )


def _record_change(path: str, size: float, change: float, ledger: Ledger) -> bool:
    """Record a velocity that joints do not allow, and return whether it is one."""
    if change <= _TOLERANCE * max(1.0, size):
        return False
    detail = "joints and loops do not allow the velocities that bodies specify: those that a simulation starts with"
    ledger.approximated(path, detail, error=change)
    return True


def _with_joint_velocities(model: Model, projected: ProjectedVelocities, ledger: Ledger) -> Model:
    joints = []
    for joint in model.joints:
        velocities = projected.joints.get(joint.name)
        if velocities is not None:
            joints.append(_with_velocities(model, joint, velocities, ledger))
    return replace(model, joints=model.joints.replaced(*joints))


def _with_velocities(model: Model, joint: Joint, velocities: tuple[float, ...], ledger: Ledger) -> Joint:
    """Return a joint with other velocities, as far as they differ."""
    largest = max(1.0, *map(abs, velocities)) if velocities else 1.0
    pairs = zip(joint.initial_velocities, velocities, strict=True)
    differ = [abs(specified - value) > _TOLERANCE * largest for specified, value in pairs]
    if not any(differ):
        return joint
    path = f"{model.name}/{joint.name}"
    for number, is_other in enumerate(differ):
        if is_other:
            detail = "computed from the velocities of the bodies"
            ledger.rewritten(f"{path}.coordinates[{number}].initial_velocity", detail, location=joint.origin)
    coordinates = [
        replace(coordinate, initial_velocity=value if is_other else coordinate.initial_velocity)
        for coordinate, value, is_other in zip(joint.coordinates, velocities, differ, strict=True)
    ]
    return replace(joint, coordinates=tuple(coordinates))


def _omit_implied_velocities(model: Model, ledger: Ledger) -> Model:
    """Return a model in which bodies whose velocity follows from those of joints and floating bases specify none."""
    children = {joint.child for joint in model.joints}
    moving = [body for body in model.bodies if body.name in children and moves_at_start(body)]
    if model.static or not moving:
        return model
    tree = spanning_tree(model)
    velocities = initial_body_velocities(model, tree, model_poses(replace(model, pose=IDENTITY), tree=tree))
    implied = dict.fromkeys(body.name for body in moving if _is_implied(body, *velocities[body.name]))
    for name in implied:
        for field in _FIELDS:
            ledger.rewritten(f"{model.name}/{name}.{field}", "it follows from the velocities of joints and floating bases")
    return replace(
        model,
        bodies=model.bodies.map(
            lambda body: (
                replace(body, initial_velocity=ZERO3, initial_angular_velocity_body=ZERO3) if body.name in implied else body
            )
        ),
    )


def _is_implied(body: Body, linear: Vector3, angular: Vector3) -> bool:
    pairs = ((body.initial_velocity, linear), (body.initial_angular_velocity_body, angular))
    return all(norm(subtract(specified, implied)) <= _TOLERANCE * max(1.0, norm(implied)) for specified, implied in pairs)
