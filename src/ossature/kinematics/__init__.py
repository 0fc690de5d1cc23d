"""Poses of bodies, and what follows from shapes and joints alone."""

from ossature.kinematics.inertia import moment_of
from ossature.kinematics.motion import motion_pose
from ossature.kinematics.poses import Positions, model_poses, pose_parent_joint, poses
from ossature.kinematics.tree import Branch, Tree, spanning_tree

__all__ = [
    "Branch",
    "Positions",
    "Tree",
    "model_poses",
    "moment_of",
    "motion_pose",
    "pose_parent_joint",
    "poses",
    "spanning_tree",
]
