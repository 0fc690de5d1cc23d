"""Arrays of the compiled model as plain numbers of Python, without defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ossature.model import Range
from ossature.model.joint import UNBOUNDED


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
