"""The initial positions and velocities of a World in the engine, before loops and motors are assembled."""

from __future__ import annotations

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.kinematics import model_poses, spanning_tree
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
            _place_floating_roots(compiled, next(iter(bodies.values())).model, qpos)
    return qpos, qvel


def _place_floating_roots(compiled: EngineModel, model: Model, qpos: Vector) -> None:
    """Write the initial poses of floating bodies that a loop joint places, by its initial positions."""
    tree, engine = spanning_tree(model), compiled.model
    if model.static or not tree.loops:
        return
    roots = [branch.body for branch in tree.branches if branch.inboard is None]
    placed = model_poses(model) if roots else {}
    for name in [body.name for body in roots if placed[body.name] != model.pose @ body.pose]:
        joint = int(engine.body_jntadr[compiled.index.body(model.name, name).number])
        if joint >= 0 and engine.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
            first = int(engine.jnt_qposadr[joint])
            qpos[first : first + 7] = *placed[name].position, *placed[name].wxyz
