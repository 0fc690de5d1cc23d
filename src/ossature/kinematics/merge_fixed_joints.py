"""Merging bodies that fixed joints connect."""

from __future__ import annotations

from dataclasses import replace

from ossature.assets import MeshStore
from ossature.kinematics.default_moment_of_inertia import default_moment_of_inertia
from ossature.kinematics.massless_bodies import is_massless
from ossature.model import Body, Fixed, Force6D, Joint, Model, Odometry, World
from ossature.model.merge_bodies import merge_body
from ossature.model.name_references import references

_NO_MOMENT = ((0.0, 0.0, 0.0),) * 3


def merge_fixed_joints(world: World, meshes: MeshStore | None = None) -> World:
    """Return a World in which bodies that fixed joints connect are one body.

    The child becomes part of the parent: mass, centre of mass and inertia are exact, shapes and the elements on the child keep
    their positions, and a frame with the name of the child marks its former frame. Joints to the world are kept, and those
    whose child has properties of its own: a soft skin, another setting of gravity or self-collision, or a sensor that measures
    between the two bodies (``Force6D``) or the motion of that frame (``Odometry``). Bodies of a merged body collide as one
    body: neighbours of the child become neighbours of the parent.

    Args:
        world: The World.
        meshes: Its meshes, for moments of inertia that are computed from shapes; one that reads all files by default.

    Raises:
        AssetError: A mesh is needed and is unavailable.
    """
    store = MeshStore() if meshes is None else meshes
    for model in world.models:
        for joint in model.joints:
            current = world.models[model.name]
            if not model.static and joint.name in current.joints and _can_be_merged(world, current, current.joints[joint.name]):
                merged = merged_joint(current, current.joints[joint.name], store)
                world = replace(world, models=world.models.replaced(merged))
    return world


def _can_be_merged(world: World, model: Model, joint: Joint) -> bool:
    if not isinstance(joint.type, Fixed) or joint.parent is None or joint.parent == joint.child:
        return False
    parent, child = model.bodies[joint.parent], model.bodies[joint.child]
    used = any(name == joint.name for _, collection, name in references(model) if collection == "joints")
    same = (parent.gravity, parent.self_collide) == (child.gravity, child.self_collide)
    return same and not used and parent.soft_skin is None and child.soft_skin is None and not _is_measured(world, model, child)


def _is_measured(world: World, model: Model, body: Body) -> bool:
    """Whether a sensor measures the body itself, or a grasp states it."""
    for sensor in model.sensors:
        measured = getattr(sensor.description, "target", None) or sensor.body
        if isinstance(sensor.description, Force6D | Odometry) and measured == body.name:
            return True
    paths = [(path.model, path.body) for grasp in world.grasps for path in (grasp.link, grasp.body)]
    ignored = [(grasp.link.model, name) for grasp in world.grasps for name in grasp.ignored_bodies]
    return (model.name, body.name) in paths + ignored


def merged_joint(model: Model, joint: Joint, meshes: MeshStore) -> Model:
    """Return a model in which the child of a fixed joint is part of its parent, which is a body.

    Raises:
        AssetError: A mesh is needed and is unavailable.
    """
    parent = model.bodies[str(joint.parent)]
    child = model.bodies[joint.child]
    specified = [_with_moment(body, meshes) for body in (parent, child)]
    prepared = replace(model, bodies=model.bodies.replaced(*specified), joints=model.joints.without(joint.name))
    merged = merge_body(prepared, child.name, parent.name, parent.pose.inverse() @ child.pose)
    parallel = [other.name for other in merged.joints if other.parent == other.child and isinstance(other.type, Fixed)]
    return replace(merged, joints=merged.joints.without(*parallel))


def _with_moment(body: Body, meshes: MeshStore) -> Body:
    moment = _NO_MOMENT if is_massless(body) else default_moment_of_inertia(body, meshes)
    return replace(body, inertial=replace(body.inertial, moment=moment))
