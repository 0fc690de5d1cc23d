"""Converts numbers to the unit of a document so that they are read back bit-exactly."""

from __future__ import annotations

import math

from ossature.syntax.xml_values import format_number

_NEIGHBOURS = 3


def convert_to_unit(value: float, unit: float) -> float:
    """Return the number whose product with a unit is a value; of several, the one with the shortest text.

    Some values are not such a product. Then the nearest number is used, in the shortest form with the same product, so that
    writing the value that is read gives the same text again.
    """
    if value == 0.0:
        return 0.0  # arrays of numbers do not preserve the sign of zero
    nearest = value / unit
    if not math.isfinite(nearest):
        return nearest
    exact = [number for number in _adjacent_floats(nearest) if number * unit == value]
    if not exact:
        value = nearest * unit
        exact = [number for number in _adjacent_floats(nearest) if number * unit == value]
    return min(exact, key=lambda number: (len(format_number(number)), abs(number - nearest)), default=nearest)


def _adjacent_floats(number: float) -> list[float]:
    lower = upper = number
    found = [number]
    for _ in range(_NEIGHBOURS):
        lower, upper = math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf)
        found += [lower, upper]
    return found
