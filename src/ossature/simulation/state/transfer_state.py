"""Transfer of the state of a simulation to another compilation of the same World, after a grasp or a release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import mujoco
import numpy as np

from ossature.array_types import Vector
from ossature.simulation.actuator_layout import controls_of
from ossature.simulation.compile.address_map import BodyAddress
from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.compile.integrator_options import apply_integrator_to_model
from ossature.simulation.observation.recording import BodyState
from ossature.simulation.observation.sample_order_after_recompilation import StateSample
from ossature.simulation.stepping.constraint_projection import equality_rows, weighted_inverse

_ANCHORED = (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD))


def transfer_state(
    current: StateSample, old: EngineModel, old_data: mujoco.MjData, new: EngineModel, data: mujoco.MjData
) -> None:
    """Set the current state in the engine's data of a new compilation."""
    data.time = old_data.time
    data.userdata[:] = old_data.userdata
    if new.is_mjcf_world:
        _copy_native_state(old, old_data, new, data)
        return
    _copy_joint_states(old, old_data, new, data)
    for model, joints in new.index.joints.items():
        for name, index in joints.items():
            write_positions(index, current.positions[model][name], data.qpos)
            write_velocities(index, current.velocities[model][name], data.qpos, data.qvel)
    for body in _floating_bodies(new):
        _set_floating_body(new.model, data, body, current.bodies[body.model.name][body.body.name])
    _copy_inputs(old, old_data, new, data)
    _copy_collision_masks(old, new)
    mujoco.mj_fwdPosition(new.model, data)


def _copy_native_state(old: EngineModel, old_data: mujoco.MjData, new: EngineModel, data: mujoco.MjData) -> None:
    """Copy the whole state of MuJoCo: two compilations differ only in the welds of grasps, which come last."""
    state = np.zeros(mujoco.mj_stateSize(old.model, _NATIVE_STATE))
    mujoco.mj_getState(old.model, old_data, state, _NATIVE_STATE)
    mujoco.mj_setState(new.model, data, state, _NATIVE_STATE)
    count = min(old.model.neq - len(old.grasp_plan.grasps), new.model.neq)
    data.eq_active[:count] = old_data.eq_active[:count]
    for field in ("geom_contype", "geom_conaffinity", "actuator_group"):
        getattr(new.model, field)[:] = getattr(old.model, field)
    new.model.opt.gravity[:] = old.model.opt.gravity
    mujoco.mj_fwdPosition(new.model, data)


_NATIVE_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION) & ~int(mujoco.mjtState.mjSTATE_EQ_ACTIVE)
"""All but the switches of equalities, whose number changes."""


def _copy_joint_states(old: EngineModel, old_data: mujoco.MjData, new: EngineModel, data: mujoco.MjData) -> None:
    """Copy the states of engine joints with the same name, such as those of clones that close loops."""
    for number in range(new.model.njnt):
        name = new.model.joint(number).name
        before = mujoco.mj_name2id(old.model, mujoco.mjtObj.mjOBJ_JOINT, name) if name else -1
        if before >= 0 and old.model.jnt_type[before] == new.model.jnt_type[number]:
            target, source = new.model.joint(number), old.model.joint(before)
            data.joint(target.id).qpos = old_data.joint(source.id).qpos
            data.joint(target.id).qvel = old_data.joint(source.id).qvel


def _floating_bodies(compiled: EngineModel) -> Iterator[BodyAddress]:
    model = compiled.model
    for bodies in compiled.index.bodies.values():
        for index in bodies.values():
            first = int(model.body_jntadr[index.number])
            if first >= 0 and model.jnt_type[first] == mujoco.mjtJoint.mjJNT_FREE and not model.joint(first).name:
                yield index


def _set_floating_body(model: mujoco.MjModel, data: mujoco.MjData, index: BodyAddress, state: BodyState) -> None:
    joint = data.joint(int(model.body_jntadr[index.number]))
    joint.qpos = (*state.position, *state.wxyz)
    joint.qvel = (*state.linear_velocity, *state.angular_velocity_body)


def _copy_inputs(old: EngineModel, old_data: mujoco.MjData, new: EngineModel, data: mujoco.MjData) -> None:
    for number in range(len(new.model.actuator_trntype)):
        before = mujoco.mj_name2id(old.model, mujoco.mjtObj.mjOBJ_ACTUATOR, new.model.actuator(number).name)
        if before >= 0:
            data.ctrl[controls_of(new.model, number)] = old_data.ctrl[controls_of(old.model, before)]
            new.model.actuator_group[number] = old.model.actuator_group[before]
            _copy_activations(old.model, old_data, before, new.model, data, number)
    for model, bodies in new.index.bodies.items():
        for name, index in bodies.items():
            data.xfrc_applied[index.number] = old_data.xfrc_applied[old.index.bodies[model][name].number]
    new.model.opt.gravity[:] = old.model.opt.gravity


def _copy_activations(
    old_model: mujoco.MjModel, old_data: mujoco.MjData, before: int, model: mujoco.MjModel, data: mujoco.MjData, number: int
) -> None:
    count = int(model.actuator_actnum[number])
    if count:
        target, source = int(model.actuator_actadr[number]), int(old_model.actuator_actadr[before])
        data.act[target : target + count] = old_data.act[source : source + count]


def _copy_collision_masks(old: EngineModel, new: EngineModel) -> None:
    """Copy the collision masks, so that disabled shapes remain disabled."""
    for model, bodies in new.index.bodies.items():
        for name, index in bodies.items():
            before = old.index.bodies[model][name]
            pairs = zip((*index.touching, *index.inner_geoms), (*before.touching, *before.inner_geoms), strict=True)
            for geom, other in pairs:
                if geom is not None and other is not None:
                    new.model.geom_contype[geom] = old.model.geom_contype[other]
                    new.model.geom_conaffinity[geom] = old.model.geom_conaffinity[other]


def conserve_momentum_on_grasp(old: EngineModel, old_data: mujoco.MjData, new: EngineModel, data: mujoco.MjData) -> None:
    """Set the velocities after a grasp: the momentum of all bodies is conserved, as in an impact without rebound.

    Constraints on coordinates keep their rates, so that driven joints do not slow down.
    """
    model = new.model
    mass = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, mass)
    before = np.array(data.qvel)
    data.qvel[:] = np.linalg.solve(mass, _generalized_momentum(old, old_data, new, data, mass))
    _, J = equality_rows(model, data)
    if not J.size:
        return
    kinds = model.eq_type[np.array(data.efc_id[: data.ne])]
    target_rates = np.where(np.isin(kinds, _ANCHORED), 0.0, J @ before)
    data.qvel[:] += weighted_inverse(model, data, J) @ (target_rates - J @ data.qvel)


def _generalized_momentum(
    old: EngineModel, old_data: mujoco.MjData, new: EngineModel, data: mujoco.MjData, mass: Vector
) -> Vector:
    """Return the generalised momentum in the new compilation of all bodies with their velocities in the old one."""
    model = new.model
    mujoco.mj_comVel(model, data)
    # The momentum of the coordinates includes rotors, which belong to no body.
    momentum: Vector = mass @ data.qvel
    velocity_old, velocity_new = np.zeros(6), np.zeros(6)
    translation, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
    for number in range(1, model.nbody):
        before = mujoco.mj_name2id(old.model, mujoco.mjtObj.mjOBJ_BODY, model.body(number).name)
        if before < 0 or not model.body_mass[number]:
            continue
        mujoco.mj_objectVelocity(old.model, old_data, mujoco.mjtObj.mjOBJ_BODY, before, velocity_old, 0)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, number, velocity_new, 0)
        mujoco.mj_jacBodyCom(model, data, translation, rotation, number)
        difference, axes = velocity_old - velocity_new, data.ximat[number].reshape(3, 3)
        spin = axes @ (model.body_inertia[number] * (axes.T @ difference[:3]))
        momentum += translation.T @ (model.body_mass[number] * difference[3:]) + rotation.T @ spin
    return momentum


def with_same_integrator(old: EngineModel, new: EngineModel) -> EngineModel:
    """Return a compilation with the integrator of the previous one instead of its own choice."""
    if new.is_mjcf_world:
        return new
    apply_integrator_to_model(old.choice.integrator, new.model)
    return replace(new, choice=old.choice, is_mechanism=old.is_mechanism)
