"""What an exact restart needs, in the extension that other programs skip."""

from __future__ import annotations

import math

from ossature.diagnostics import Report
from ossature.formats.usdf import rules
from ossature.formats.usdf.schema import WHOLE, ArrayElement, RememberedElement
from ossature.model import Remembered, RememberedArray

_LONGEST_WHOLE = 20
"""Digits of the largest number that fits 64 bits."""


def read_remembered(element: RememberedElement | None, report: Report) -> Remembered | None:
    """Return what a simulation remembered, or None with a finding where a part of it cannot be read."""
    if element is None or element.plain is None:
        return None
    arrays = []
    for stated in element.array:
        try:
            arrays.append(RememberedArray(name=stated.name or "", values=_values(stated)))
        except ValueError:
            message = f"the numbers of '{stated.name}' cannot be read"
            report.add(
                rules.UNREADABLE_MEMORY, message, stated.location(), hint="restart to the precision of the plain numbers"
            )
            return None
    settings = tuple([(setting.name or "", setting.value or "") for setting in element.setting])
    return Remembered(plain=element.plain, settings=settings, arrays=tuple(arrays), origin=element.location())


def _values(element: ArrayElement) -> tuple[float, ...] | tuple[int, ...]:
    words = (element.values or "").split()
    if element.type == WHOLE:
        if any(len(word) > _LONGEST_WHOLE for word in words):
            raise ValueError("a whole number of more than 64 bits")
        whole = tuple(map(int, words))
        if not all(-(1 << 63) <= number < 1 << 64 for number in whole):
            raise ValueError("a whole number of more than 64 bits")
        return whole
    values = tuple(map(float, words))
    if not all(map(math.isfinite, values)):
        raise ValueError("a number that is not finite")
    return values
