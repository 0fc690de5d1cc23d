"""Poses of bodies, and what follows from shapes and joints alone."""

from ossature.kinematics.connections import Connection, changes_order, connections, motor_joint, reversed_joint
from ossature.kinematics.functions import integral_to, rate_at, value_at
from ossature.kinematics.inertia import moment_of
from ossature.kinematics.motion import motion_pose
from ossature.kinematics.poses import Positions, model_poses, pose_parent_joint, poses, turned_round
from ossature.kinematics.tree import Branch, Tree, spanning_tree

__all__ = [
    "Branch",
    "Connection",
    "Positions",
    "Tree",
    "changes_order",
    "connections",
    "integral_to",
    "model_poses",
    "moment_of",
    "motion_pose",
    "motor_joint",
    "pose_parent_joint",
    "poses",
    "rate_at",
    "reversed_joint",
    "spanning_tree",
    "turned_round",
    "value_at",
]
