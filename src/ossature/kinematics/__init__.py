"""Forward and inverse kinematics, kinematic loops, mobility, couplings and grasps."""

from ossature.kinematics.acyclic_graph import AcyclicGraph
from ossature.kinematics.affine_expressions import AffineForm, affine_form
from ossature.kinematics.closed_loop_poses import LoopClosureError, poses
from ossature.kinematics.coordinate_map import KinematicsError
from ossature.kinematics.default_moment_of_inertia import default_moment_of_inertia
from ossature.kinematics.expression_evaluation import derivatives, evaluate, partial, second_partial
from ossature.kinematics.floating_base import (
    BaseChoice,
    ChosenBase,
    choose_bases,
    fix_base,
    fix_bases,
    floating_bases,
    free_base,
)
from ossature.kinematics.floor_below_robots import add_ground
from ossature.kinematics.forward_kinematics import (
    Positions,
    model_poses,
    pose_parent_joint,
    with_initial_positions,
)
from ossature.kinematics.grasps import (
    GraspError,
    PossibleGrasps,
    RigidGroups,
    add_grasp,
    find_body,
    grasped_bodies,
    path_of,
    remove_grasp,
    validate_grasp,
)
from ossature.kinematics.gripper_closing import Finger, GripperError, close_or_open_gripper, fingers_of
from ossature.kinematics.ik.configuration_vector_ik import CollisionChecker, IkConfigurations
from ossature.kinematics.ik.inverse_kinematics import IkOptions, InverseKinematics
from ossature.kinematics.ik.result import FailureKind, IkFailure, IkResult, IkSolution
from ossature.kinematics.ik.supported_targets import Suitability, suitability, with_solvers
from ossature.kinematics.ik.targets import (
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
from ossature.kinematics.inertia_inference import DEFAULT_DENSITY, InferredInertia, infer_inertia
from ossature.kinematics.joint_couplings import (
    CoupledCoordinate,
    FormulaCycleError,
    FormulaError,
    UndefinedFormulaError,
    UnknownSourceError,
    all_coupled_coordinates,
    has_coupled_coordinates,
    is_coordinate,
    joint_positions,
    sorted_coupled_coordinates,
    with_initial_coupled_positions,
    world_with_initial_coupled_positions,
)
from ossature.kinematics.joint_factorization import ElementaryMotion, factor_joint
from ossature.kinematics.joint_graph_edges import (
    Connection,
    connections,
    motor_joint,
    reverse_coordinates,
    reversed_joint,
    reversed_state,
    swaps_axes,
)
from ossature.kinematics.joint_path import ArmError, base_of
from ossature.kinematics.joint_transforms import motion_pose
from ossature.kinematics.keyframe_states import (
    find_keyframes,
    joint_states_of,
    keyframe_names,
    keyframe_state,
    start_at_keyframe,
)
from ossature.kinematics.loop_analysis_limit import LoopSizeError
from ossature.kinematics.manipulator_chain import (
    Arm,
    arm_joints,
    arm_of,
    bodies_moved_by,
    find_arm,
    find_manipulator,
    free_joints_of,
    gripper_joints,
    is_moved_by,
    moved_bodies,
    tip_pose,
)
from ossature.kinematics.massless_bodies import fixed_children, is_massless
from ossature.kinematics.merge_fixed_joints import merge_fixed_joints
from ossature.kinematics.mobility import Mobility, MobilityError, Redundancy, mobility_of
from ossature.kinematics.model_dynamics import Dynamics
from ossature.kinematics.model_kinematics import Kinematics
from ossature.kinematics.spanning_tree import Tree, TreeJoint, spanning_tree
from ossature.kinematics.time_function_evaluation import (
    angle_at,
    integral_to,
    jump_of_repetition,
    mean_over_step,
    rate_at,
    value_at,
)

__all__ = [
    "DEFAULT_DENSITY",
    "AcyclicGraph",
    "AffineForm",
    "Arm",
    "ArmError",
    "BaseChoice",
    "ChosenBase",
    "CollisionChecker",
    "Connection",
    "CoupledCoordinate",
    "Direction3D",
    "Dynamics",
    "ElementaryMotion",
    "FailureKind",
    "Finger",
    "FormulaCycleError",
    "FormulaError",
    "GraspError",
    "GripperError",
    "IkConfigurations",
    "IkFailure",
    "IkOptions",
    "IkResult",
    "IkSolution",
    "InferredInertia",
    "InverseKinematics",
    "Kinematics",
    "KinematicsError",
    "Lookat3D",
    "LoopClosureError",
    "LoopSizeError",
    "Mobility",
    "MobilityError",
    "Positions",
    "PossibleGrasps",
    "Ray4D",
    "Redundancy",
    "RigidGroups",
    "Rotation3D",
    "Suitability",
    "Target",
    "Transform6D",
    "Translation3D",
    "TranslationDirection5D",
    "Tree",
    "TreeJoint",
    "UndefinedFormulaError",
    "UnknownSourceError",
    "add_grasp",
    "add_ground",
    "affine_form",
    "all_coupled_coordinates",
    "angle_at",
    "arm_joints",
    "arm_of",
    "base_of",
    "bodies_moved_by",
    "choose_bases",
    "close_or_open_gripper",
    "connections",
    "default_moment_of_inertia",
    "derivatives",
    "evaluate",
    "factor_joint",
    "find_arm",
    "find_body",
    "find_keyframes",
    "find_manipulator",
    "fingers_of",
    "fix_base",
    "fix_bases",
    "fixed_children",
    "floating_bases",
    "free_base",
    "free_joints_of",
    "grasped_bodies",
    "gripper_joints",
    "has_coupled_coordinates",
    "infer_inertia",
    "integral_to",
    "is_coordinate",
    "is_massless",
    "is_moved_by",
    "joint_positions",
    "joint_states_of",
    "jump_of_repetition",
    "keyframe_names",
    "keyframe_state",
    "mean_over_step",
    "merge_fixed_joints",
    "mobility_of",
    "model_poses",
    "motion_pose",
    "motor_joint",
    "moved_bodies",
    "partial",
    "path_of",
    "pose_parent_joint",
    "poses",
    "rate_at",
    "remove_grasp",
    "reverse_coordinates",
    "reversed_joint",
    "reversed_state",
    "second_partial",
    "sorted_coupled_coordinates",
    "spanning_tree",
    "start_at_keyframe",
    "suitability",
    "swaps_axes",
    "target_at",
    "tip_pose",
    "validate_grasp",
    "value_at",
    "with_initial_coupled_positions",
    "with_initial_positions",
    "with_solvers",
    "world_with_initial_coupled_positions",
]
