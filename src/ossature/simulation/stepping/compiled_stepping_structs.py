"""The structures of the compiled loop, with the fields of those in ``_loop.c``, and rows that integrators record."""

from __future__ import annotations

import ctypes
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ossature.array_types import AnyArray, Int64Array

if TYPE_CHECKING:
    from collections.abc import Iterable


_Structure = TypeVar("_Structure", bound=ctypes.Structure)
_NUMBER, _COUNT, _ADDRESS = ctypes.c_double, ctypes.c_int64, ctypes.c_void_p

DONE, HAND_OVER, WATCHED, MARGINS, EQUILIBRIUM, DIVERGED = range(6)
"""Why the compiled loop ended: all steps are taken; the next one must be taken in Python; the error of the last one may be
large; the margins of contacts must be checked; bodies may be in equilibrium; the error of the last one is not finite."""

LINEAR, CURVE, DEGRESSIVE, TABLE = range(4)
"""Kinds of terms of a force law."""


def _fields(counts: str = "", numbers: str = "", addresses: str = "") -> list[tuple[str, Any]]:
    parts = ((counts, _COUNT), (numbers, _NUMBER), (addresses, _ADDRESS))
    return [(name, kind) for names, kind in parts for name in names.split()]


class _Fields(ctypes.Structure):
    """A structure of the compiled loop; an attribute that is no field of it raises :class:`AttributeError`."""

    __slots__ = ()


class Engine(_Fields):
    """Functions of the engine, and addresses in its data."""

    __slots__ = ()
    _fields_ = _fields(
        "contact_stride frame_offset friction_offset geom_offset efc_address_offset",
        "",
        "model data step step1 step2 check_pos check_vel position velocity reference_constraint kinematics com_pos com_vel "
        "collision actuation acceleration check_acc euler mul_jac_vec jac_body forward_skip set_log_handler control_callback "
        "ncon ne nf nl nefc time "
        "efc_pos efc_vel efc_aref efc_margin efc_force efc_J efc_D efc_J_rownnz efc_J_rowadr efc_J_colind contact "
        "disable_flags",
    )


class Term(_Fields):
    """A term of a force law."""

    __slots__ = ()
    _fields_ = _fields("kind is_rate rows columns", "offset a b c", "row_values column_values values slopes")


class Spring(_Fields):
    """A spring-damper whose law is not linear."""

    __slots__ = ()
    _fields_ = _fields("actuator term_count has_stop wraps", "offset lower upper", "turns terms")


class Bushing(_Fields):
    """A bushing between two moving bodies."""

    __slots__ = ()
    _fields_ = [("actuators", _COUNT * 3), ("damping", _NUMBER * 3), *_fields(addresses="axes spin")]


class WorkRows(_Fields):
    """Rows of a recorder of work: one for each step; ``count`` is the number of recorded steps."""

    __slots__ = ()
    _fields_ = _fields(
        "count nv nu columns first_column is_loaded has_constrained has_powers has_welds has_controls equalities "
        "has_ends has_end_rates has_actuations servo_count weld_count target_count",
        "",
        "servos welds targets_of_powers durations means forces rates targets applied constrained powers controls ends "
        "end_rates actuations resistances force rate smooth bias passive actuated constraint_force ctrl damper fluid "
        "gravity_compensation is_compensated_by_actuator",
    )


class ResidualRows(_Fields):
    """Residuals of loops, and constraint Jacobians: one row for each step; ``count`` is the number of recorded steps."""

    __slots__ = ()
    _fields_ = _fields("count capacity columns first_column equalities jacobian_size", "", "residuals jacobians")


class MotionPeaks(_Fields):
    """The largest rotation [rad] and displacement of a centre of mass [m] of a body in one of ``step_count`` steps."""

    __slots__ = ()
    _fields_ = [
        *_fields("step_count body_count rotated_body moved_body", "rotation rotation_time displacement displacement_time"),
        *_fields(addresses="cvel xipos subtree_com roots"),
    ]


class SampledState(_Fields):
    """The state that a sample contains."""

    __slots__ = ()
    _fields_ = _fields("body_count nq nv", "", "xpos xquat xmat subtree_com cvel qpos qvel roots")


class Contacts(_Fields):
    """The state and the settings of rigid contacts."""

    __slots__ = ()
    _fields_ = [
        *_fields("steps_left is_clear is_at_rest is_in_equilibrium count has_deepest"),
        ("deepest_geoms", _COUNT * 2),
        *_fields("", "largest_change_square reported_gap deepest deepest_time"),
        *_fields("nq na is_sparse at_end_of_step can_rest has_limits has_limit_margins has_specified_margins has_restitution"),
        *_fields("divides_impacts"),
        *_fields("", "step rate recovery quiet_square still_square motion_square equilibrium_square"),
        *_fields("", "gap_error overlap_error negligible_opening largest_steady_opening steady_square"),
        *_fields("", "largest_penetration same_depth bounce_speed largest_relaxation"),
        ("relaxation_bounds", _NUMBER * 2),
        *_fields("", "friction notable_gap"),
        *_fields("has_one_friction most_repeats"),
        *_fields(addresses="qpos act warmstart old_qpos old_qvel old_act old_warmstart"),
        *_fields(addresses="qacc specified_margins restitution geom_bodies"),
        *_fields("steps_between_updates moving_count", "travel_time velocity_change speed_allowance largest_margin"),
        *_fields(addresses="margins margin_qvel reach least_margins geom_xpos subtree_com cvel"),
        *_fields(addresses="moving_geoms moving_bodies moving_roots"),
        *_fields("kept_count kept_capacity", "negligible_change steady_change_square", "kept_slips"),
        *_fields("geom_count disable_flag steps_without_search pause", "clearance detected_distance"),
        *_fields(addresses="kept_margins approach_rates"),
    ]


class EqualityProblem(_Fields):
    """The equations of motion with equality constraints only, and memory for their solution."""

    __slots__ = ()
    _fields_ = [
        *_fields(addresses="engine"),
        *_fields("nv most_rows"),
        *_fields(addresses="mass_counts mass_columns mass smooth_force acceleration warmstart constraint_force"),
        *_fields(addresses="hessian residual values value_starts value_columns"),
    ]


class Program(_Fields):
    """A loop: a model with its inputs and elements, and what one call does."""

    __slots__ = ()
    _fields_ = [
        *_fields(addresses="engine"),
        *_fields("is_leapfrog is_split nv spring_count bushing_count target_width control_width target_stride"),
        *_fields(
            "has_constraints defers_references uses_equilibrium tree_count has_jump",
            "step negligible_square uncertainty jump_speed largest_change",
        ),
        *_fields("stage_of_velocity rotation_count", "error_weight rotation_factor"),
        *_fields(addresses="qvel before velocities estimate targets ctrl midpoint qacc moments largest_moments rotations"),
        *_fields(addresses="lengths rates constraint_force"),
        *_fields(addresses="target_rows control_rows trees are_jumping springs bushings"),
        *_fields("count taken last next_watched interval is_prepared is_estimated unsettled worst_dof"),
        *_fields(numbers="largest_error largest_error_time"),
        *_fields(addresses="target_values control_values work residuals motion"),
        *_fields(addresses="contacts equality_problem"),
        *_fields(
            "limit_count", "steps_to_limits least_impact_speed", "positions ranges limit_joints limit_positions limit_dofs"
        ),
        *_fields(addresses="scratch"),
        *_fields("scratch_size"),
    ]


SIZES: dict[str, type[ctypes.Structure]] = {
    "ENGINE_SIZE": Engine,
    "TERM_SIZE": Term,
    "SPRING_SIZE": Spring,
    "BUSHING_SIZE": Bushing,
    "WORK_ROWS_SIZE": WorkRows,
    "RESIDUAL_ROWS_SIZE": ResidualRows,
    "MOTION_PEAKS_SIZE": MotionPeaks,
    "SAMPLED_STATE_SIZE": SampledState,
    "EQUALITY_PROBLEM_SIZE": EqualityProblem,
    "CONTACTS_SIZE": Contacts,
    "PROGRAM_SIZE": Program,
}
"""The structures by the names of their sizes in the compiled module."""


@lru_cache(maxsize=256)
def _array_type(kind: type[_Structure], count: int) -> type[ctypes.Array[_Structure]]:
    # Making the class takes longer than making the array, and it is garbage in a cycle if nothing keeps it.
    return kind * count


def make_array(structures: Iterable[_Structure], kind: type[_Structure]) -> ctypes.Array[_Structure]:
    """Return an array of structures of a kind."""
    elements = list(structures)
    return _array_type(kind, len(elements))(*elements)


_FLOAT64, _INT64 = np.dtype(np.float64), np.dtype(np.int64)


_NOTHING = ctypes.c_char * 0


def address_of(array: AnyArray) -> int:
    """Return the address of the numbers of an array, which can be changed and follow each other.

    It takes a fifth of the time of numpy's interface.
    """
    return ctypes.addressof(_NOTHING.from_buffer(array))  # type: ignore[arg-type]  # an array is a buffer


def contiguous(numbers: Iterable[float], keep: list[Any]) -> int:
    """Return the address of an array of numbers, which is kept in a list."""
    array = np.array(list(numbers), dtype=np.float64)
    keep.append(array)
    return address_of(array)


def set_addresses(structure: ctypes.Structure, **arrays: AnyArray) -> None:
    """Set fields to the addresses of arrays of float64 whose numbers follow each other, which the caller keeps alive.

    Raises:
        ValueError: An array has other numbers, or gaps.
    """
    for name, array in arrays.items():
        if array.dtype != _FLOAT64 or not array.flags.c_contiguous:
            raise ValueError(f"{name} is not an array of numbers that follow each other")
        setattr(structure, name, address_of(array))


def set_index_addresses(structure: ctypes.Structure, **arrays: Int64Array) -> None:
    """Set fields to the addresses of arrays of int64, which the caller keeps alive.

    Raises:
        ValueError: An array has other numbers, or gaps.
    """
    for name, array in arrays.items():
        if array.dtype != _INT64 or not array.flags.c_contiguous:
            raise ValueError(f"{name} is not an array of integers that follow each other")
        setattr(structure, name, address_of(array))
