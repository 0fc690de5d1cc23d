"""The initial positions and velocities of a World in the engine, before loops and motors are assembled."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.kinematics import model_poses, spanning_tree
from ossature.kinematics.forward_kinematics import attached_components
from ossature.kinematics.initial_body_velocities import initial_body_velocities, moves_at_start, velocity_of_origin
from ossature.model import Model
from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.compile.engine_model import EngineModel


def initial_coordinates(compiled: EngineModel) -> tuple[Vector, Vector]:
    """Return the initial positions and velocities, which must not be changed."""
    return compiled.shared_results.get(_initial_coordinates, compiled, None)


def _initial_coordinates(compiled: EngineModel, _: None) -> tuple[Vector, Vector]:
    """Return the initial positions and velocities of the World in the engine."""
    qpos, qvel = np.array(compiled.model.qpos0), np.zeros(compiled.model.nv)
    for index in compiled.index.all_joints():
        write_positions(index, index.joint.initial_positions, qpos)
        write_velocities(index, index.joint.initial_velocities, qpos, qvel)
    for bodies in compiled.index.bodies.values():
        if bodies and not compiled.is_mjcf_world:
            _place_floating_roots(compiled, next(iter(bodies.values())).model, qpos, qvel)
    return qpos, qvel


def _place_floating_roots(compiled: EngineModel, model: Model, qpos: Vector, qvel: Vector) -> None:
    """Write the initial poses and velocities of floating bodies that a loop joint places, by its initial state.

    Velocities that bodies specify are those after a projection onto joints and loops, which is not done here.
    """
    components, engine = () if model.static else attached_components(model), compiled.model
    if not components:
        return
    poses, tree = model_poses(model), spanning_tree(model)
    to_model = model.pose.inverse()
    velocities = initial_body_velocities(model, tree, {name: to_model @ pose for name, pose in poses.items()})
    for body in [model.bodies[component.bodies[0]] for component in components]:
        joint = int(engine.body_jntadr[compiled.index.body(model.name, body.name).number])
        if joint < 0 or engine.jnt_type[joint] != mujoco.mjtJoint.mjJNT_FREE:
            continue
        pose = poses[body.name]
        if pose != model.pose @ body.pose:
            first = int(engine.jnt_qposadr[joint])
            qpos[first : first + 7] = *pose.position, *pose.wxyz
        if not any(map(moves_at_start, model.bodies)):
            first = int(engine.jnt_dofadr[joint])
            of_center, angular = velocities[body.name]
            qvel[first : first + 6] = *velocity_of_origin(model, body, pose, of_center, angular), *angular
