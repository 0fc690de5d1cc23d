"""Joint states that follow from the poses and twists of links in a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ossature.array_types import Array
from ossature.diagnostics import Location
from ossature.kinematics.forward_kinematics import pose_parent_joint
from ossature.kinematics.initial_body_velocities import relative_twist
from ossature.kinematics.joint_coordinates import joint_coordinates
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.spanning_tree import TreeJoint, spanning_tree
from ossature.kinematics.state_frame_motions import FrameMotion, frame_motions, link_motion, moves, states_pose
from ossature.model import Floating, Joint, JointState, Model, ModelState, NamedList, State, World
from ossature.spatial import IDENTITY, Pose

MAX_TWIST_RESIDUAL = 1e-4
"""Largest part of a relative twist that a joint cannot have and that is rounding [m/s or rad/s, or a share of the twist]."""


class TwistResidual(NamedTuple):
    """The part of the relative twist of two links that their joint cannot have.

    Attributes:
        path: Model and joint.
        size: Its size [m/s or rad/s].
        origin: Where the state of one of the links is written.
    """

    path: str
    size: float
    origin: Location | None = None

    @property
    def message(self) -> str:
        """The residual, for people."""
        return f"the twists of the links of '{self.path}' differ by {self.size:.3g} m/s or rad/s from a motion of the joint"


def complete_joint_states(state: State, world: World) -> tuple[State, list[TwistResidual]]:
    """Return a state with the joint positions and velocities that follow from its links, and the twists that do not fit.

    A joint position that the state does not specify is computed if the poses of both bodies of the joint are known: from link
    states, or from a body before it and specified joint positions. Velocities are computed in the same way from twists. If
    joints cannot have a relative pose, the positions are those nearest to it.

    Args:
        state: A state that fits the World, with complete model poses.

    Raises:
        FrameError: The frames of the state cannot be resolved.
    """
    motions = frame_motions(state)
    residuals: list[TwistResidual] = []
    models = []
    for specified in state.models:
        model = world.models[specified.name]
        if model.static or _is_complete(specified, model) or not any(link.pose or link.twist for link in specified.links):
            models.append(specified)
            continue
        base = motions[model.name].pose if states_pose(specified) else model.pose
        completion = _JointStateCompletion(model, specified, motions[model.name], base)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is not determined
            models.append(completion.complete())
        residuals += completion.residuals
    return replace(state, models=NamedList(models)), residuals


@dataclass(slots=True)
class _JointStateCompletion:
    """Computes the joint states of one model along its spanning tree.

    Attributes:
        frame: The motion of the frame in which the links are stated.
        base: The pose of the model in the world.
        poses: The known poses of bodies in the world; of None, those of the model.
        twists: The known velocities of the origins of bodies, and angular velocities, in axes of the world, shape (6,).
    """

    model: Model
    specified: ModelState
    frame: FrameMotion
    base: Pose
    poses: dict[str | None, Pose] = field(default_factory=dict)
    twists: dict[str | None, Array] = field(default_factory=dict)
    joints: dict[str, JointState] = field(default_factory=dict)
    residuals: list[TwistResidual] = field(default_factory=list)

    def complete(self) -> ModelState:
        """Return the state of the model with all joint states that are determined."""
        self.poses[None], self.twists[None] = self.base, np.zeros(6)
        self.joints = {joint.name: joint for joint in self.specified.joints}
        tree = spanning_tree(self.model)
        for branch in tree.branches:
            self._visit(branch)
        for loop in tree.loops:
            if loop.is_joint:
                self._determine_positions(loop.joint)
                self._determine_velocities(loop.joint, reports_residual=False)
        found = [self.joints[joint.name] for joint in self.model.joints if joint.name in self.joints]
        return replace(self.specified, joints=NamedList(found))

    def _visit(self, branch: TreeJoint) -> None:
        """Determine the state of the inboard joint of a body, then the motion of the body."""
        name = branch.body.name
        link = self.specified.links.get(name)
        if link is not None and link.pose is not None:
            self.poses[name] = link_motion(self.frame, link).pose
        joint = branch.connection.joint if branch.connection is not None and branch.is_joint else None
        if joint is not None:
            self._determine_positions(joint)
            self._move_body(name, joint)
        is_moved = branch.depth == 0 and (joint is None or _is_base(joint)) and moves(self.frame)
        if link is not None and (link.twist is not None or is_moved) and name in self.poses:
            in_frame = replace(link, pose=self.frame.pose.inverse() @ self.poses[name])
            motion = link_motion(self.frame, in_frame)
            self.twists[name] = np.array([*motion.linear, *motion.angular])
        if joint is not None:
            self._determine_velocities(joint)
            self._move_twist(name, joint)

    def _determine_positions(self, joint: Joint) -> None:
        state = self.joints.get(joint.name) or JointState(name=joint.name)
        if state.positions is not None or not self._joins(joint, self.poses):
            return
        before_motion = self.poses[joint.parent] @ pose_parent_joint(self.model, joint)
        positions = joint_coordinates(joint, before_motion.inverse() @ self.poses[joint.child] @ joint.pose)
        self.joints[joint.name] = replace(state, positions=positions)

    def _move_body(self, body: str, joint: Joint) -> None:
        """Set the pose of a body from that of the other body of its joint, as far as the positions of the joint are known."""
        positions = self._positions(joint)
        other = joint.parent if body == joint.child else joint.child
        if positions is None or other not in self.poses:
            return
        motion = pose_parent_joint(self.model, joint) @ motion_pose(joint.type, positions) @ joint.pose.inverse()
        self.poses[body] = self.poses[other] @ (motion if body == joint.child else motion.inverse())

    def _determine_velocities(self, joint: Joint, *, reports_residual: bool = True) -> None:
        state = self.joints.get(joint.name) or JointState(name=joint.name)
        jacobian = self._jacobian(joint)
        if state.velocities is not None or jacobian is None or not self._joins(joint, self.twists):
            return
        joint_at = self.poses[joint.child] @ joint.pose
        relative = self._twist_at(joint.child, joint_at) - self._twist_at(joint.parent, joint_at)
        if not (np.isfinite(relative).all() and np.isfinite(jacobian).all()):
            return
        velocities = np.linalg.lstsq(jacobian, relative, rcond=None)[0]
        self.joints[joint.name] = replace(state, velocities=tuple(velocities.tolist()))
        residual = float(np.linalg.norm(relative - jacobian @ velocities))
        if reports_residual and residual > MAX_TWIST_RESIDUAL * max(1.0, float(np.linalg.norm(relative))):
            links = [self.specified.links.get(name) for name in (joint.child, joint.parent) if name is not None]
            origin = next((link.origin for link in links if link is not None and link.twist is not None), None)
            self.residuals.append(TwistResidual(f"{self.model.name}/{joint.name}", residual, origin))

    def _move_twist(self, body: str, joint: Joint) -> None:
        """Set the twist of a body from that of the other body of its joint, as far as the velocities of the joint are known."""
        jacobian = self._jacobian(joint)
        velocities = () if not joint.degrees_of_freedom else self._velocities(joint)
        other = joint.parent if body == joint.child else joint.child
        if jacobian is None or velocities is None or other not in self.twists:
            return
        joint_at = self.poses[joint.child] @ joint.pose
        relative = jacobian @ np.asarray(velocities, dtype=np.float64)
        at_joint = self._twist_at(other, joint_at) + (relative if body == joint.child else -relative)
        arm = np.subtract(self.poses[body].position, joint_at.position)
        self.twists[body] = np.concatenate([at_joint[:3] + np.cross(at_joint[3:], arm), at_joint[3:]])

    def _jacobian(self, joint: Joint) -> Array | None:
        """Return the matrix from velocities of a joint to the twist at its frame, in axes of the world, shape (6, n)."""
        positions = self._positions(joint)
        if positions is None or not self._joins(joint, self.poses):
            return None
        outer = IDENTITY if joint.parent is None else self.poses[joint.parent]
        result = np.zeros((6, joint.degrees_of_freedom))
        for number, unit_velocities in enumerate(np.eye(joint.degrees_of_freedom).tolist()):
            joint_at = self.poses[joint.child] @ joint.pose
            spin, slide = relative_twist(joint, positions, unit_velocities, joint_at, outer)
            result[:, number] = (*slide, *spin)
        return result

    def _twist_at(self, body: str | None, joint_at: Pose) -> Array:
        """Return the velocity of the point of a body at a joint, and the angular velocity, in axes of the world, shape (6,)."""
        twist, arm = self.twists[body], np.subtract(joint_at.position, self.poses[body].position)
        return np.concatenate([twist[:3] + np.cross(twist[3:], arm), twist[3:]])

    def _joins(self, joint: Joint, known: Mapping[str | None, object]) -> bool:
        return joint.parent in known and joint.child in known

    def _velocities(self, joint: Joint) -> tuple[float, ...] | None:
        return self.joints[joint.name].velocities if joint.name in self.joints else None

    def _positions(self, joint: Joint) -> tuple[float, ...] | None:
        if not joint.degrees_of_freedom:
            return ()
        return self.joints[joint.name].positions if joint.name in self.joints else None


def _is_complete(specified: ModelState, model: Model) -> bool:
    """Whether a state has the positions and velocities of all joints."""
    stated = {joint.name for joint in specified.joints if joint.positions is not None and joint.velocities is not None}
    return all(joint.name in stated for joint in model.joints if joint.degrees_of_freedom)


def _is_base(joint: Joint) -> bool:
    """Whether a joint places a floating base."""
    return isinstance(joint.type, Floating) and joint.parent is None
