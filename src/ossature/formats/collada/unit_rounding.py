"""Numbers in a document's unit that are read as the same bits again."""

from __future__ import annotations

import math

from ossature.syntax.xml_values import format_number

_NEIGHBOURS = 3


def in_unit(value: float, unit: float) -> float:
    """Return the number that gives a value when it is multiplied by a unit: of several the shortest to write.

    Some values are no product of any number with the unit. Of those the nearest number is taken, and of all that are read
    as it is the shortest, so that what is read can be written as it stood.
    """
    if value == 0.0:
        return 0.0  # without a sign, which arrays of numbers do not keep
    near = value / unit
    if not math.isfinite(near):
        return near
    same = [number for number in _around(near) if number * unit == value]
    if not same:
        value = near * unit
        same = [number for number in _around(near) if number * unit == value]
    return min(same, key=lambda number: (len(format_number(number)), abs(number - near)), default=near)


def _around(number: float) -> list[float]:
    lower = upper = number
    found = [number]
    for _ in range(_NEIGHBOURS):
        lower, upper = math.nextafter(lower, -math.inf), math.nextafter(upper, math.inf)
        found += [lower, upper]
    return found
