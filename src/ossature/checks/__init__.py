"""Checks of the meaning of a model, after its file was read. One file for each rule."""

from __future__ import annotations

from ossature.assets import MeshStore
from ossature.checks import (
    anisotropic_friction,
    assumed_sensor_defaults,
    color_out_of_range,
    conflicting_motors,
    disconnected_body,
    duplicate_name,
    formula_cycle,
    guessed_package,
    ignored_inertia,
    implausible_gravity,
    implausible_inertia,
    inconsistent_derivative,
    inconsistent_motor_datasheet,
    inertia_not_positive_definite,
    inertia_violates_triangle_inequality,
    initial_position_outside_limits,
    invalid_covariance,
    invalid_grasp,
    invalid_motor_parameter,
    invalid_sensor_increment,
    invalid_sensor_range,
    invalid_sensor_resolution,
    invalid_soft_body,
    invalid_trajectory,
    large_time_step,
    locked_joint,
    missing_collision_shape,
    missing_mesh,
    missing_name,
    negative_damping_or_stiffness,
    non_finite_number,
    non_positive_mass,
    non_positive_size,
    non_positive_time_step,
    non_unit_axis,
    non_unit_normal,
    non_unit_quaternion,
    parallel_axes,
    plane_on_moving_body,
    reversed_limits,
    self_connection,
    singular_initial_configuration,
    singular_intrinsics,
    suspected_degrees,
    trajectory_exceeds_limits,
    unclosed_loop,
    undefined_formula,
    unenforced_position_limit,
    unknown_body,
    unknown_joint,
    unknown_sensor_target,
    unreadable_mesh,
    zero_principal_moment,
)
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import World

_CHECKS = (
    missing_name,
    duplicate_name,
    unknown_body,
    unknown_joint,
    formula_cycle,
    undefined_formula,
    inconsistent_derivative,
    self_connection,
    disconnected_body,
    unclosed_loop,
    locked_joint,
    singular_initial_configuration,
    conflicting_motors,
    invalid_motor_parameter,
    inconsistent_motor_datasheet,
    invalid_grasp,
    non_positive_mass,
    ignored_inertia,
    inertia_not_positive_definite,
    zero_principal_moment,
    inertia_violates_triangle_inequality,
    implausible_inertia,
    non_unit_axis,
    non_unit_quaternion,
    parallel_axes,
    reversed_limits,
    initial_position_outside_limits,
    suspected_degrees,
    negative_damping_or_stiffness,
    unenforced_position_limit,
    anisotropic_friction,
    guessed_package,
    missing_mesh,
    unreadable_mesh,
    non_positive_size,
    non_unit_normal,
    missing_collision_shape,
    plane_on_moving_body,
    invalid_soft_body,
    non_finite_number,
    color_out_of_range,
    non_positive_time_step,
    large_time_step,
    implausible_gravity,
    invalid_sensor_range,
    invalid_sensor_increment,
    singular_intrinsics,
    invalid_sensor_resolution,
    invalid_covariance,
    unknown_sensor_target,
    assumed_sensor_defaults,
    invalid_trajectory,
    trajectory_exceeds_limits,
)

RULES: tuple[Rule, ...] = tuple(module.RULE for module in _CHECKS)
"""The rules of all checks."""


def check(world: World, *, report: Report | None = None, meshes: MeshStore | None = None) -> Report:
    """Run every check on a World.

    Args:
        world: The World.
        report: Report to add findings to; a new one by default.
        meshes: Store of meshes; by default one for the folder of the World's file.

    Returns:
        The report.
    """
    report = report if report is not None else Report()
    context = CheckContext(meshes or MeshStore.of(world, report.limits))
    for module in _CHECKS:
        module.check(world, report, context)
    return report
