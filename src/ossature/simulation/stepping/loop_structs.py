"""The structures of the compiled loop, with the fields of those in ``_loop.c``, and rows that integrators record."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_NUMBER, _COUNT, _ADDRESS = ctypes.c_double, ctypes.c_int64, ctypes.c_void_p

DONE, HAND_OVER, WATCHED = range(3)
"""Why the compiled loop ended: all steps are taken; the next one must be taken in Python; the error of the last is large."""

LINEAR, CURVE, DEGRESSIVE, TABLE = range(4)
"""Kinds of terms of a force law."""


def _fields(counts: str = "", numbers: str = "", addresses: str = "") -> list[tuple[str, Any]]:
    parts = ((counts, _COUNT), (numbers, _NUMBER), (addresses, _ADDRESS))
    return [(name, kind) for names, kind in parts for name in names.split()]


class Engine(ctypes.Structure):
    """Functions of the engine, and addresses in its data."""

    _fields_ = _fields(
        addresses="model data step1 step2 reference_constraint mul_jac_vec set_log_handler ncon nl nefc efc_pos efc_force"
    )


class Term(ctypes.Structure):
    """A term of a force law."""

    _fields_ = _fields("kind is_rate rows columns", "offset a b c", "row_values column_values values slopes")


class Spring(ctypes.Structure):
    """A spring-damper whose law is not linear."""

    _fields_ = _fields("actuator term_count has_stop wraps", "offset lower upper", "turns terms")


class Bushing(ctypes.Structure):
    """A bushing between two moving bodies."""

    _fields_ = [("actuators", _COUNT * 3), ("damping", _NUMBER * 3), *_fields(addresses="axes spin")]


class WorkRows(ctypes.Structure):
    """Rows of a recorder of work: one for each step; ``count`` is the number of recorded steps."""

    _fields_ = _fields(
        "count nv nu columns first_column is_loaded has_constrained has_powers has_welds has_controls equalities "
        "servo_count weld_count target_count",
        "",
        "servos welds targets_of_powers durations means forces rates targets applied constrained powers controls "
        "force rate smooth bias passive actuated constraint_force ctrl",
    )


class ResidualRows(ctypes.Structure):
    """Residuals of loops: one row for each step; ``count`` is the number of recorded steps."""

    _fields_ = _fields("count capacity columns first_column", "", "residuals")


class Program(ctypes.Structure):
    """A loop: a model with its inputs and elements, and what one call does."""

    _fields_ = [
        *_fields(addresses="engine"),
        *_fields("nv spring_count bushing_count target_width control_width target_stride"),
        *_fields("can_touch can_stop has_constraints has_contacts", "step negligible_square"),
        *_fields(addresses="qvel velocities estimate targets ctrl lengths rates target_rows control_rows springs bushings"),
        *_fields("count taken last next_watched interval", "", "target_values control_values work residuals"),
        *_fields("steps_left", "largest_change_square", "margin_qvel"),
    ]


SIZES: dict[str, type[ctypes.Structure]] = {
    "ENGINE_SIZE": Engine,
    "TERM_SIZE": Term,
    "SPRING_SIZE": Spring,
    "BUSHING_SIZE": Bushing,
    "WORK_ROWS_SIZE": WorkRows,
    "RESIDUAL_ROWS_SIZE": ResidualRows,
    "PROGRAM_SIZE": Program,
}
"""The structures by the names of their sizes in the compiled module."""


def address_of(array: NDArray[Any]) -> int:
    """Return the address of the numbers of an array."""
    address: int = array.__array_interface__["data"][0]
    return address


def contiguous(numbers: Iterable[float], keep: list[Any]) -> int:
    """Return the address of an array of numbers, which is kept in a list."""
    array = np.array(list(numbers), dtype=np.float64)
    keep.append(array)
    return address_of(array)


def numbers_of(values: Iterable[int], keep: list[Any]) -> int:
    """Return the address of an array of integers, which is kept in a list."""
    array = np.array(list(values), dtype=np.int64)
    keep.append(array)
    return address_of(array)


def set_addresses(structure: ctypes.Structure, **arrays: NDArray[Any]) -> None:
    """Set fields to the addresses of arrays of float64 whose numbers follow each other, which the caller keeps alive.

    Raises:
        ValueError: An array has other numbers, or gaps.
    """
    for name, array in arrays.items():
        if array.dtype != np.float64 or not array.flags.c_contiguous:
            raise ValueError(f"{name} is not an array of numbers that follow each other")
        setattr(structure, name, address_of(array))
