"""Poses of bodies, and what follows from shapes and joints alone."""

from ossature.kinematics.bases import free_bases, with_fixed_bases
from ossature.kinematics.connections import Connection, changes_order, connections, motor_joint, reversed_joint
from ossature.kinematics.expressions import derivatives, evaluate, partial, second_partial
from ossature.kinematics.followers import (
    Follower,
    FormulaCycleError,
    FormulaError,
    UndefinedFormulaError,
    UnknownSourceError,
    all_followers,
    followers,
    has_followers,
    is_coordinate,
    joint_positions,
    with_followers_at_start,
    world_with_followers_at_start,
)
from ossature.kinematics.functions import integral_to, rate_at, value_at
from ossature.kinematics.inertia import moment_of
from ossature.kinematics.linear import Linear, linear_form
from ossature.kinematics.motion import motion_pose
from ossature.kinematics.poses import Positions, model_poses, pose_parent_joint, poses, turned_round
from ossature.kinematics.tree import Branch, Tree, spanning_tree

__all__ = [
    "Branch",
    "Connection",
    "Follower",
    "FormulaCycleError",
    "FormulaError",
    "Linear",
    "Positions",
    "Tree",
    "UndefinedFormulaError",
    "UnknownSourceError",
    "all_followers",
    "changes_order",
    "connections",
    "derivatives",
    "evaluate",
    "followers",
    "free_bases",
    "has_followers",
    "integral_to",
    "is_coordinate",
    "joint_positions",
    "linear_form",
    "model_poses",
    "moment_of",
    "motion_pose",
    "motor_joint",
    "partial",
    "pose_parent_joint",
    "poses",
    "rate_at",
    "reversed_joint",
    "second_partial",
    "spanning_tree",
    "turned_round",
    "value_at",
    "with_fixed_bases",
    "with_followers_at_start",
    "world_with_followers_at_start",
]
