"""Poses and velocities of the frames, models and bodies of a state in the world."""

from __future__ import annotations

from dataclasses import dataclass

from ossature.model import LinkState, ModelState, State, Twist
from ossature.model.state_frame_tree import WORLD_FRAME, parents_first
from ossature.spatial import IDENTITY, ZERO3, Pose, Vector3, add, cross, norm, rotate

MAX_DISTANCE = 1e-6
"""Largest deviation of a body's pose from that of the state [m or rad]."""
_AT_REST = Twist()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameMotion:
    """The pose and velocity of a frame in the world.

    Attributes:
        pose: The frame in the world.
        linear: Velocity of its origin, in axes of the world [m/s].
        angular: Angular velocity, in axes of the world [rad/s].
    """

    pose: Pose = IDENTITY
    linear: Vector3 = ZERO3
    angular: Vector3 = ZERO3

    def compose(self, pose: Pose, twist: Twist) -> FrameMotion:
        """Return the motion of a frame that is given in this one.

        Args:
            pose: The frame in this one.
            twist: Its twist relative to this one, expressed in this one.
        """
        wxyz = self.pose.wxyz
        arm, linear, angular = rotate(wxyz, pose.position), rotate(wxyz, twist.linear), rotate(wxyz, twist.angular)
        return FrameMotion(
            pose=self.pose @ pose,
            linear=add(add(self.linear, cross(self.angular, arm)), linear),
            angular=add(self.angular, angular),
        )


def frame_motions(state: State) -> dict[str, FrameMotion]:
    """Return the motion of every frame and model by name, and that of the world.

    A pose that is not stated is the identity, and a twist that is not stated is zero.

    Raises:
        FrameError: A parent is unknown, or the parents are cyclic.
    """
    motions = {WORLD_FRAME: FrameMotion()}
    for frame in parents_first(state):
        parent = motions[frame.parent or WORLD_FRAME]
        motions[frame.name] = parent.compose(frame.pose or IDENTITY, frame.twist or _AT_REST)
    return motions


def link_motion(model: FrameMotion, link: LinkState) -> FrameMotion:
    """Return the motion of a body, whose twist is in its own axes, from that of its model's frame."""
    pose, twist = link.pose or IDENTITY, link.twist or _AT_REST
    twist_model = Twist(linear=rotate(pose.wxyz, twist.linear), angular=rotate(pose.wxyz, twist.angular))
    return model.compose(pose, twist_model)


def link_motions(state: State) -> dict[tuple[str, str], FrameMotion]:
    """Return the motion in the world of every body whose pose is stated, by model and body.

    Raises:
        FrameError: A parent is unknown, or the parents are cyclic.
    """
    motions = frame_motions(state)
    return {
        (model.name, link.name): link_motion(motions[model.name], link)
        for model in state.models
        for link in model.links
        if link.pose is not None
    }


def states_pose(specified: ModelState) -> bool:
    """Whether a state places a model; a model that is only stated in the world keeps its pose."""
    return specified.pose is not None or specified.parent not in (None, WORLD_FRAME)


def moves(motion: FrameMotion) -> bool:
    """Whether a frame moves in the world."""
    return norm(motion.linear) > MAX_DISTANCE or norm(motion.angular) > MAX_DISTANCE
