"""Checkpoint of a USDF file: engine state for a bit-exact restart."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ossature.diagnostics import Report
from ossature.formats.usdf import rules
from ossature.formats.usdf.schema import WHOLE, ArrayElement, RememberedElement
from ossature.model import Checkpoint, CheckpointArray

_LONGEST_INTEGER = 20
"""Digits of the largest number that fits 64 bits."""
_NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""Non-finite numbers, which only checkpoints may contain."""


def read_checkpoint(element: RememberedElement | None, report: Report) -> Checkpoint | None:
    """Return the checkpoint, or None with a finding if a part of it is invalid."""
    if element is None or element.plain is None:
        return None
    arrays = []
    for specified in element.array:
        try:
            arrays.append(CheckpointArray(name=specified.name or "", values=_read_values(specified)))
        except ValueError:
            message = f"invalid numbers of '{specified.name}' in the checkpoint"
            hint = "the restart has the precision of the positions and velocities"
            report.add(rules.INVALID_CHECKPOINT, message, specified.location(), hint=hint)
            return None
    settings = tuple([(setting.name or "", setting.value or "") for setting in element.setting])
    return Checkpoint(plain=element.plain, settings=settings, arrays=tuple(arrays), origin=element.location())


def _read_values(element: ArrayElement) -> tuple[float, ...] | tuple[int, ...]:
    words = (element.values or "").split()
    return _parse_integers(words) if element.type == WHOLE else tuple(map(_parse_number, words))


def _parse_integers(words: Sequence[str]) -> tuple[int, ...]:
    if any(len(word) > _LONGEST_INTEGER for word in words):
        raise ValueError("an integer of more than 64 bits")
    numbers = tuple(map(int, words))
    if not all(-(1 << 63) <= number < 1 << 64 for number in numbers):
        raise ValueError("an integer of more than 64 bits")
    return numbers


def _parse_number(word: str) -> float:
    if word in _NOT_FINITE:
        return _NOT_FINITE[word]
    value = float(word)
    if not math.isfinite(value):
        raise ValueError("a number that is too large")
    return value
