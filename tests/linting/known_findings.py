"""Rules of errors and warnings about the robots of the corpus: the reason of each, and the files that have it."""

from __future__ import annotations

URDF = {
    "implausible-density": ("fingers of 1 kg and 3 cm", "robot"),
    "implausible-inertia": ("placeholders: 1 kg and 0.1 kg·m² of a sensor of 1 mm, and of fingers", "pr2_simplified robot"),
    "initial-position-outside-limits": (
        "thumbs, knees and grippers that cannot be at zero",
        "allegro_hand_description_left allegro_hand_description_right model robot pincher_arm",
    ),
    "missing-limit": ("two prismatic joints of the base", "pr2_simplified"),
    "missing-mesh": ("the meshes are not in the corpus", "pr2_simplified atlas pioneer-lx-devil pioneer-lx robot"),
    "non-positive-mass": (
        "links that a joint moves and that have no <inertial>, nor any below them",
        "pioneer-lx-devil model irb140 irb140QT pincher_arm turtlebot_arm",
    ),
    "non-positive-size": ("collision spheres of radius 0 as placeholders", "atlas"),
    "reversed-limits": ('lower="2.775" upper="-2.775"', "pioneer-lx-devil"),
    "soft-limit-exceeds-hard-limit": (
        "soft limits 10 rad beyond the others switch the controller off, and mislead readers",
        "atlas",
    ),
    "undeclared-world-link": ("the parent world is not declared", "pr2_simplified"),
    "unknown-attribute": (
        "<collision group> and <geometry name>, which URDF does not define and all programs ignore",
        "atlas pioneer-lx-devil pioneer-lx pioneer3at pioneer3dx",
    ),
    "unknown-element": ("<origin> in <geometry>: the shapes are at another place than intended", "pioneer-lx-devil"),
    "unreachable-coupled-position": ("limits 0 to 0.8757 of joints that mimic another one with -1", "robotiq2F85"),
    "unresolved-reference": ("<gazebo reference> of a link that was renamed", "robot"),
}
COLLADA = {
    "default-used": ("no gravity is stated, and programs use different ones", "fail4 fail5_4d kuka-kr150 testik0 weldinggun"),
    "implausible-inertia": (
        "placeholders: the same moments, often 1 or 1000 kg·m², of every link",
        "barrett-wam-sensors calibration_board cmu-permma crustcrawler-ax12 darpa-arm exactdynamics-manusarmleft fail1 fail4 "
        "kuka-kr150 kuka-kr3-cr kuka-kr5-r650 kuka-youbot mitsubishi-pa10 mug1 neuronics-katana pumagripper rotation_stage "
        "schunk-lwa3 weldinggun",
    ),
    "inconsistent-derivative": (
        "derivatives that the exporter of OpenRAVE wrote wrongly",
        "barrett-hand cmu-permma darpa-arm exactdynamics-manusarmleft kuka-youbot neuronics-katana pumagripper",
    ),
    "inertia-violates-triangle-inequality": (
        "as 0.1, 0.1 and 0.35 kg·m²: no body has them",
        "barrett-hand pumaarm unimation-pumaarm",
    ),
    "missing-mass": ("no rigid body states a mass", "fail4 fail5_4d kuka-kr150 testik0 weldinggun"),
    "renamed": ("two joints are named dummy-1", "cmu-permma exactdynamics-manusarmleft"),
    "unbound-axis": ("a joint of a link without shapes is not bound", "weldinggun"),
    "unknown-link": ("references to a link that no file defines", "fail4"),
    "zero-axis": ("<rotate>0 0 0 0</rotate>", "weldinggun"),
    "zero-principal-moment": ("all moments of each link are zero", "kawada-hironx"),
}

MJCF = {
    "initial-position-outside-limits": (
        "feet, thumbs and fingers that cannot be at zero, where MuJoCo starts without a keyframe",
        "agility_cassie/cassie agility_cassie/scene trossen_vx300s/scene trossen_vx300s/vx300s trossen_wx250s/scene "
        "trossen_wx250s/wx250s wonik_allegro/left_hand wonik_allegro/right_hand wonik_allegro/scene_left "
        "wonik_allegro/scene_right",
    ),
}

SDF = {
    "default-used": (
        "the size of a shape is not stated, or as text of the shape itself",
        "worlds/acoustic_comms_moving_targets worlds/buoyancy_graded_restoring_moments "
        "worlds/buoyancy_uniform_restoring_moments worlds/imu_rotating_demo worlds/levels "
        "worlds/levels_no_performers worlds/shininess",
    ),
    "disconnected-body": (
        "links of nested models that no joint connects: tests of frames",
        "integration/nested_model_with_frames_expected model_with_custom_elements/model robot/model "
        "sdf/flattened_test_nested_model_with_frames sdf/model_nested_frame_attached_to test_nested_model_with_frames/model "
        "sdf/model_relative_to_nested_reference sdf/nested_model sdf/placement_frame sdf/world_nested_model "
        "sdf/world_relative_to_nested_reference test_model_with_frames/model "
        "test_model_with_frames_no_rotations/model",
    ),
    "implausible-density": (
        "placeholders: 1 kg in 2 cm, 50 g in 1 m³",
        "sdf/box_plane_low_friction_test worlds/imu_rotating_demo worlds/wind",
    ),
    "ignored-sdf-element": ("a second axis of a revolute joint", "sdf/joint_complete"),
    "implausible-inertia": (
        "without <inertia> a link has 1 kg·m², or placeholders of that size",
        "integration/include_custom_nested_model_expected_output sdf/basic_shapes sdf/box_plane_low_friction_test "
        "sdf/shapes_world top_camera/top_camera worlds/ackermann_steering "
        "worlds/ackermann_steering_custom_frame_id worlds/ackermann_steering_custom_topics "
        "worlds/ackermann_steering_limited_joints_pub worlds/ackermann_steering_only_custom_sub_topics "
        "worlds/ackermann_steering_slow_odom worlds/detachable_joint_enforce worlds/graded_buoyancy "
        "worlds/lift_drag worlds/only_canonical_link_moves worlds/touch_plugin worlds/wind",
    ),
    "large-time-step": ("a step of 0.1 s", "sdf/world_complete sdf/world_sibling_same_names"),
    "locked-joint": ("five screws with different pitches between the same two links", "sdf/joint_screw_thread_pitch"),
    "missing-file": (
        "includes models that are found with --search-path, or computes inertia from a mesh that is not in the corpus",
        "cylinder_dae/model cylinder_dae_convex_decomposition/model "
        "sdf/include_model_with_plugin sdf/include_pose_1_9 sdf/includes sdf/includes_1.5 "
        "sdf/includes_rotations_in_degrees sdf/includes_rotations_in_quaternions sdf/includes_rotations_in_radians "
        "sdf/placement_frame sdf/whitespace",
    ),
    "missing-mesh": (
        "the meshes are not in the corpus, or on a server",
        "building_L1/model cylinder_dae/model cylinder_dae_convex_decomposition/model "
        "model/model_for_world_merge_include relative_resource_uri/model relative_resource_uri/model2 "
        "sdf/basic_shapes sdf/resolve_uris sdf/shapes sdf/shapes_world test_model/model test_model_with_ns/model "
        "test_model_with_plugin/model worlds/advanced_lift_drag_system worlds/mecanum_drive",
    ),
    "missing-shape": (
        "visuals and collisions without <geometry>",
        "sdf/link_duplicate_cousin_collisions sdf/link_duplicate_cousin_visuals sdf/material sdf/material_pbr "
        "sdf/material_valid",
    ),
    "no-models": ("a light or an actor alone", "model_without_top_level/model test_actor/model test_light/model"),
    "plane-on-moving-body": ("all shapes on one link", "sdf/resolve_uris sdf/shapes"),
    "self-connection": (
        "both frames of the joint are fixed to one link",
        "nested_models/model sdf/world_joint_invalid_resolved_parent_same_as_child",
    ),
    "suspected-degrees": ("a pose with angles of more than a turn", "sdf/rotations_in_unnormalized_radians"),
    "unexpected-text": (
        "text between elements, and sizes that are not in <size> or <radius>",
        "sdf/inertial_stats sdf/inertial_stats_auto sdf/inertial_stats_auto_mass "
        "worlds/buoyancy_graded_restoring_moments worlds/buoyancy_uniform_restoring_moments "
        "worlds/gpu_lidar_sensor worlds/levels worlds/levels_no_performers worlds/shapes",
    ),
    "unknown-attribute": ("unknown on purpose", "sdf/unrecognized_elements sdf/unrecognized_elements_with_namespace"),
    "unknown-element": (
        "misspelt, or unknown on purpose",
        "nested_models/model robot/model sdf/custom_and_unknown_elements sdf/unrecognized_elements "
        "worlds/gpu_lidar_retro_values_sensor worlds/joint_trajectory_controller worlds/shininess",
    ),
    "unknown-sdf-frame": (
        "an unknown frame, and the child world",
        "sdf/joint_axis_invalid_expressed_in sdf/world_joint_invalid_child_world",
    ),
    "unsupported-sdf-joint": ("a gearbox without reference body", "sdf/joint_complete"),
    "unsupported-sdf-shape": (
        "polylines, height maps and parts of meshes",
        "model/model_for_world_merge_include sdf/resolve_uris sdf/shapes sdf/shapes_world test_model/model "
        "test_model_with_ns/model test_model_with_plugin/model worlds/polylines",
    ),
    "zero-axis": ("two joints without second axis", "sdf/joint_complete"),
}
"""Files of SDFormat and Gazebo in which libsdformat finds no errors, with the names of their folders."""
