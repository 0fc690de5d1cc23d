"""Applying positions and velocities of a state to a simulation, without the engine's internal state."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import mujoco
import numpy as np

from ossature.diagnostics import Location
from ossature.kinematics.apply_state import attachment_to_world, pose_distance
from ossature.kinematics.state_frame_motions import FrameMotion, frame_motions, link_motion, moves, states_pose
from ossature.model import JointState, LinkState, ModelState, NamedList, State
from ossature.model.state_compatibility import StateDifference
from ossature.simulation.compile.address_map import BodyAddress, JointAddress, JointLayout
from ossature.simulation.compile.coordinate_mapping import write_positions, write_velocities
from ossature.simulation.compile.engine_model import EngineModel
from ossature.simulation.state.coordinates_from_state import BodyPlacement, set_state_from_joints, set_state_from_links
from ossature.simulation.stepping.engine_inputs import Inputs
from ossature.spatial import conjugate, norm, pose_from, quaternion_from, rotate

MAX_DISTANCE = 1e-6
"""Largest allowed difference between joint states and link states [m or rad], and of their velocities [m/s or rad/s]."""


def frame_differences(state: State, compiled: EngineModel) -> list[StateDifference]:
    """Return the poses and velocities of model frames in a state that a compiled World does not support."""
    motions = frame_motions(state)
    differences = []
    for specified in state.models:
        motion, bodies = motions[specified.name], compiled.index.bodies[specified.name]
        if not bodies:
            continue
        model = next(iter(bodies.values())).model
        if states_pose(specified) and pose_distance(motion.pose, model.pose) > MAX_DISTANCE:
            advice = "simulate ossature.kinematics.apply_state.place_models(world, state)"
            message = f"model '{model.name}' has another pose, and a simulation does not move models: {advice}"
            differences.append(StateDifference(message, specified.origin))
        attachment = attachment_to_world(model)
        if moves(motion) and attachment:
            message = f"the frame of model '{model.name}' moves, but {attachment}"
            differences.append(StateDifference(message, specified.origin))
    return differences


def set_plain_state(state: State, compiled: EngineModel, data: mujoco.MjData, inputs: Inputs) -> None:
    """Set the engine's time, positions and velocities from a state; unspecified values are unchanged."""
    if state.time is not None:
        data.time = state.time
    motions = frame_motions(state)
    for specified in state.models:
        index = compiled.index
        joints, bodies = index.joints[specified.name], index.bodies[specified.name]
        for joint in specified.joints:
            set_joint_state(joints[joint.name], joint.positions, joint.velocities, data)
        _set_floating_state(specified, motions[specified.name], bodies, compiled.model, data)
    if compiled.is_mechanism:
        _set_mechanism_state(state, motions, compiled, data, inputs)


def _set_mechanism_state(
    state: State, motions: Mapping[str, FrameMotion], compiled: EngineModel, data: mujoco.MjData, inputs: Inputs
) -> None:
    """Set the state of bodies in loops; unspecified coordinates are computed from the specified ones."""
    links, dofs = _links_with_specified_pose(state, motions, compiled), _specified_dofs(state, compiled)
    if links and compiled.model.nv:
        set_state_from_links(compiled.model, data, inputs, links)
    elif dofs:
        set_state_from_joints(compiled.model, data, inputs, dofs)


def _specified_dofs(state: State, compiled: EngineModel) -> list[int]:
    specified: list[int] = []
    for model in state.models:
        for joint in model.joints:
            index = compiled.index.joints[model.name][joint.name]
            if joint.positions is not None and index.layout not in (JointLayout.NONE, JointLayout.DERIVED):
                specified += range(index.dof, index.dof + index.dof_count)
    return specified


def _links_with_specified_pose(state: State, motions: Mapping[str, FrameMotion], compiled: EngineModel) -> list[BodyPlacement]:
    placements = []
    for specified in state.models:
        for link in specified.links:
            number = compiled.index.bodies[specified.name][link.name].number
            if link.pose is not None and compiled.model.body_weldid[number]:
                placements.append(BodyPlacement(number, link_motion(motions[specified.name], link)))
    return placements


def set_joint_state(
    index: JointAddress, positions: tuple[float, ...] | None, velocities: tuple[float, ...] | None, data: mujoco.MjData
) -> None:
    """Set the engine's positions and velocities of one joint, if they are specified."""
    if positions is not None and index.layout not in (JointLayout.NONE, JointLayout.DERIVED):
        write_positions(index, positions, data.qpos)
    if velocities is not None:
        write_velocities(index, velocities, data.qpos, data.qvel)


def _set_floating_state(
    specified: ModelState, frame: FrameMotion, bodies: dict[str, BodyAddress], model: mujoco.MjModel, data: mujoco.MjData
) -> None:
    for name, body in bodies.items():
        link = specified.links.get(name) or LinkState(name=name)
        address = int(model.body_jntadr[body.number])
        is_floating = address >= 0 and int(model.jnt_type[address]) == int(mujoco.mjtJoint.mjJNT_FREE)
        if not is_floating or _has_joint_state(link, specified.joints, body):
            continue
        qpos, dof = int(model.jnt_qposadr[address]), int(model.jnt_dofadr[address])
        pose = link.pose
        if pose is None:
            pose = frame.pose.inverse() @ pose_from(data.qpos[qpos : qpos + 3], data.qpos[qpos + 3 : qpos + 7])
        else:
            data.qpos[qpos : qpos + 3] = (frame.pose @ pose).position
            data.qpos[qpos + 3 : qpos + 7] = (frame.pose @ pose).wxyz
        if link.twist is not None or moves(frame):
            motion = link_motion(frame, replace(link, pose=pose))
            data.qvel[dof : dof + 3] = motion.linear
            data.qvel[dof + 3 : dof + 6] = rotate(conjugate(motion.pose.wxyz), motion.angular)


def _has_joint_state(link: LinkState, joints: NamedList[JointState], body: BodyAddress) -> bool:
    parent_joints = [joint.name for joint in body.model.joints if joint.child == link.name]
    return any(name in joints and joints[name].positions is not None for name in parent_joints)


class Contradiction(NamedTuple):
    """The largest difference of a link state from the motion of its body.

    Attributes:
        size: The difference.
        path: Model and body, if there is a difference.
        origin: Where the link state is written.
    """

    size: float = 0.0
    path: str = ""
    origin: Location | None = None


def largest_contradiction(state: State, compiled: EngineModel, data: mujoco.MjData) -> Contradiction:
    """Return the largest difference [m or rad] of a link state from the pose of its body."""
    largest = Contradiction()
    for link_path, link, frame, number in _links_of_bodies(state, compiled):
        if link.pose is None:
            continue
        distance = pose_distance(link_motion(frame, link).pose, pose_from(data.xpos[number], data.xquat[number]))
        if distance > largest.size:
            largest = Contradiction(distance, link_path, link.origin)
    return largest


def largest_twist_contradiction(state: State, compiled: EngineModel, data: mujoco.MjData) -> Contradiction:
    """Return the largest difference [m/s or rad/s] of a link state from the twist of its body.

    Differences that are small compared with the twist are rounding.
    """
    largest = Contradiction()
    for link_path, link, frame, number in _links_of_bodies(state, compiled):
        if link.twist is None:
            continue
        pose = pose_from(data.xpos[number], data.xquat[number])
        motion = link_motion(frame, replace(link, pose=frame.pose.inverse() @ pose))
        actual = np.zeros(6)
        mujoco.mj_objectVelocity(compiled.model, data, mujoco.mjtObj.mjOBJ_XBODY, number, actual, 0)
        spin, velocity = actual[:3].tolist(), actual[3:].tolist()
        difference = max(math.dist(motion.angular, spin), math.dist(motion.linear, velocity))
        if difference > max(largest.size, MAX_DISTANCE * max(norm(motion.angular), norm(motion.linear))):
            largest = Contradiction(difference, link_path, link.origin)
    return largest


def _links_of_bodies(state: State, compiled: EngineModel) -> Iterator[tuple[str, LinkState, FrameMotion, int]]:
    """Yield the path and state of each link, the motion of its model's frame, and the engine's index of its body."""
    motions = frame_motions(state)
    for specified in state.models:
        for link in specified.links:
            number = compiled.index.bodies[specified.name][link.name].number
            yield f"{specified.name}/{link.name}", link, motions[specified.name], number


def apply_wrenches(state: State, compiled: EngineModel, data: mujoco.MjData) -> None:
    """Apply the wrenches of link states, with constant directions in the world."""
    for specified in state.models:
        for link in specified.links:
            if link.wrench is None:
                continue
            number = compiled.index.bodies[specified.name][link.name].number
            wxyz = quaternion_from(data.xquat[number])
            force, torque = rotate(wxyz, link.wrench.force), rotate(wxyz, link.wrench.torque)
            arm = data.xpos[number] - data.xipos[number]
            data.xfrc_applied[number, :3] = force
            data.xfrc_applied[number, 3:] = np.asarray(torque) + np.cross(arm, force)
