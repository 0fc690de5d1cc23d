"""Values of the compiled model as plain values of Python, without defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ossature.model import Range
from ossature.model.joint import UNBOUNDED

SOLREF = (0.02, 1.0)
SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)

NUMBERS_OF_OPTION = {
    "impratio": 1.0,
    "tolerance": 1e-8,
    "ls_tolerance": 0.01,
    "noslip_tolerance": 1e-6,
    "ccd_tolerance": 1e-6,
    "sleep_tolerance": 0.001,
    "density": 0.0,
    "viscosity": 0.0,
    "o_margin": 0.0,
    "iterations": 100,
    "ls_iterations": 50,
    "noslip_iterations": 0,
    "ccd_iterations": 35,
    "sdf_iterations": 10,
    "sdf_initpoints": 40,
}
ARRAYS_OF_OPTION = {
    "wind": (0.0, 0.0, 0.0),
    "magnetic": (0.0, -0.5, 0.0),
    "o_solref": (0.02, 1.0),
    "o_solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
    "o_friction": (1.0, 1.0, 0.005, 0.0001, 0.0001),
}
WORDS_OF_OPTION = {"integrator": "Euler", "cone": "pyramidal", "jacobian": "auto", "solver": "Newton"}
OPTION_DEFAULTS: Mapping[str, object] = {
    **NUMBERS_OF_OPTION,
    **ARRAYS_OF_OPTION,
    **{name: word for name, word in WORDS_OF_OPTION.items() if name != "integrator"},
}
"""MuJoCo's defaults of the attributes of ``<option>`` that are not stated; the integrator is."""


def numbers(array: Any) -> tuple[float, ...]:
    """Return the numbers of an array; those of single precision as the shortest decimal numbers that have their value."""
    if array.dtype == np.float32:
        return tuple([float(str(number)) for number in array.ravel()])
    return tuple(map(float, array.ravel().tolist()))


def specified(array: Any, default: Sequence[float]) -> tuple[float, ...] | None:
    """Return the numbers of an array, or None if they are the default."""
    found = numbers(array)
    return None if found == tuple(default) else found


def specified_number(value: Any, default: Any) -> Any:
    """Return a number, or None if it is the default."""
    plain = value.item() if hasattr(value, "item") else value
    return None if plain == default else plain


def without_zeros(values: Sequence[float]) -> tuple[float, ...]:
    """Return numbers without the zeros at their end."""
    last = max([number for number, value in enumerate(values, start=1) if value != 0.0], default=0)
    return tuple(values[:last])


def nonzero(array: Any) -> tuple[float, ...] | None:
    """Return the numbers of an array without the zeros at their end, or None if all are zero."""
    return without_zeros(numbers(array)) or None


def user_numbers(element: Any, values: Any) -> tuple[float, ...] | None:
    """Return the user's numbers of an element as they are stated, or else the compiled ones without the zeros at their end.

    Args:
        element: The element of the specification, or None for one that the compiler made.
        values: Its numbers in the compiled model.
    """
    if not values.size:
        return None
    return nonzero(values) if element is None else tuple(map(float, element.userdata)) or None


def limits(limited: Any, values: Any) -> Range:
    """Return a range, or an unbounded one."""
    return Range(lower=float(values[0]), upper=float(values[1])) if limited else UNBOUNDED
