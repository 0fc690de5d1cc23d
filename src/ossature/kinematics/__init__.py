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
from ossature.kinematics.ik import IkOptions, InverseKinematics
from ossature.kinematics.ik_results import FailureKind, IkFailure, IkResult, IkSolution
from ossature.kinematics.ik_types import Suitability, suitability, with_solvers
from ossature.kinematics.inertia import moment_of
from ossature.kinematics.linear import Linear, linear_form
from ossature.kinematics.manipulators import (
    Arm,
    ArmError,
    arm_joints,
    arm_of,
    base_of,
    find_arm,
    find_manipulator,
    free_joints_of,
    gripper_joints,
    moved_bodies,
    tip_pose,
)
from ossature.kinematics.massless import borne_bodies, is_massless
from ossature.kinematics.motion import motion_pose
from ossature.kinematics.poses import Positions, model_poses, pose_parent_joint, poses, turned_round
from ossature.kinematics.stages import Stage, stages_of
from ossature.kinematics.targets import (
    Direction3D,
    Lookat3D,
    Ray4D,
    Rotation3D,
    Target,
    Transform6D,
    Translation3D,
    TranslationDirection5D,
    target_at,
)
from ossature.kinematics.tree import Branch, Tree, spanning_tree

__all__ = [
    "Arm",
    "ArmError",
    "Branch",
    "Connection",
    "Direction3D",
    "FailureKind",
    "Follower",
    "FormulaCycleError",
    "FormulaError",
    "IkFailure",
    "IkOptions",
    "IkResult",
    "IkSolution",
    "InverseKinematics",
    "Linear",
    "Lookat3D",
    "Positions",
    "Ray4D",
    "Rotation3D",
    "Stage",
    "Suitability",
    "Target",
    "Transform6D",
    "Translation3D",
    "TranslationDirection5D",
    "Tree",
    "UndefinedFormulaError",
    "UnknownSourceError",
    "all_followers",
    "arm_joints",
    "arm_of",
    "base_of",
    "borne_bodies",
    "changes_order",
    "connections",
    "derivatives",
    "evaluate",
    "find_arm",
    "find_manipulator",
    "followers",
    "free_bases",
    "free_joints_of",
    "gripper_joints",
    "has_followers",
    "integral_to",
    "is_coordinate",
    "is_massless",
    "joint_positions",
    "linear_form",
    "model_poses",
    "moment_of",
    "motion_pose",
    "motor_joint",
    "moved_bodies",
    "partial",
    "pose_parent_joint",
    "poses",
    "rate_at",
    "reversed_joint",
    "second_partial",
    "spanning_tree",
    "stages_of",
    "suitability",
    "target_at",
    "tip_pose",
    "turned_round",
    "value_at",
    "with_fixed_bases",
    "with_followers_at_start",
    "with_solvers",
    "world_with_followers_at_start",
]
