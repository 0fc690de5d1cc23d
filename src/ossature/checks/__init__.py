"""Checks of meaning: what can be wrong with a model whose file is spelled well. One rule, one file."""

from __future__ import annotations

from ossature.assets import MeshStore
from ossature.checks import (
    bad_axis,
    bad_color,
    bad_covariance,
    bad_grasp,
    bad_mass,
    bad_motor,
    bad_normal,
    bad_rotation,
    bad_sensor_count,
    bad_sensor_increment,
    bad_sensor_range,
    bad_size,
    bad_soft_skin,
    bad_time_step,
    bad_trajectory,
    disconnected_body,
    duplicate_name,
    fighting_motor,
    formula_cycle,
    guessed_package,
    inertia_left_out,
    inertia_not_positive_definite,
    inertia_out_of_proportion,
    inertia_violates_triangle,
    initial_value_outside_limits,
    limits_in_degrees,
    locked_joint,
    long_time_step,
    missing_mesh,
    missing_name,
    motor_contradicts_itself,
    moving_plane,
    negative_dynamics,
    no_collision_shape,
    not_finite,
    odd_gravity,
    open_loop,
    parallel_axes,
    reversed_limits,
    self_joint,
    sensor_defaults,
    singular_configuration,
    singular_intrinsics,
    trajectory_over_limit,
    undefined_formula,
    unenforced_limit,
    uneven_friction,
    unknown_body,
    unknown_joint,
    unknown_sensor_target,
    unreadable_mesh,
    wrong_partial,
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
    wrong_partial,
    self_joint,
    disconnected_body,
    open_loop,
    locked_joint,
    singular_configuration,
    fighting_motor,
    bad_motor,
    motor_contradicts_itself,
    bad_grasp,
    bad_mass,
    inertia_left_out,
    inertia_not_positive_definite,
    zero_principal_moment,
    inertia_violates_triangle,
    inertia_out_of_proportion,
    bad_axis,
    bad_rotation,
    parallel_axes,
    reversed_limits,
    initial_value_outside_limits,
    limits_in_degrees,
    negative_dynamics,
    unenforced_limit,
    uneven_friction,
    guessed_package,
    missing_mesh,
    unreadable_mesh,
    bad_size,
    bad_normal,
    no_collision_shape,
    moving_plane,
    bad_soft_skin,
    not_finite,
    bad_color,
    bad_time_step,
    long_time_step,
    odd_gravity,
    bad_sensor_range,
    bad_sensor_increment,
    singular_intrinsics,
    bad_sensor_count,
    bad_covariance,
    unknown_sensor_target,
    sensor_defaults,
    bad_trajectory,
    trajectory_over_limit,
)

RULES: tuple[Rule, ...] = tuple(module.RULE for module in _CHECKS)
"""What the checks can find."""


def check(world: World, *, report: Report | None = None, meshes: MeshStore | None = None) -> Report:
    """Run every check on a World.

    Args:
        world: The World.
        report: Where findings go; a new one where none is given.
        meshes: Where meshes are looked for; beside the World's own file if not given.

    Returns:
        The report.
    """
    report = report if report is not None else Report()
    context = CheckContext(meshes or MeshStore.of(world, report.limits))
    for module in _CHECKS:
        module.check(world, report, context)
    return report
