"""Fast formatting of numbers: a recording may have a million per second."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
import orjson

from ossature.array_types import Array

PLACEHOLDER = "\0"
"""Placeholder of a number in a template: a character that neither XML nor JSON can contain."""


def number_text(numbers: Array) -> bytes:
    """Return the shortest decimal texts that round-trip exactly, separated by commas."""
    if np.isfinite(numbers).all():
        return _finite_text(numbers)
    return json.dumps(numbers.tolist(), separators=(",", ":")).encode()[1:-1]


def _finite_text(numbers: Array) -> bytes:
    return orjson.dumps(np.ascontiguousarray(numbers), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]


class NumberTemplate:
    """A text with placeholders for numbers.

    Args:
        text: The text, with :data:`PLACEHOLDER` for each number.
        order: Index of the number of each placeholder.
    """

    def __init__(self, text: str, order: Sequence[int]) -> None:
        self._order = np.array(order, dtype=np.intp)
        self._parts = [b""] * (2 * len(order) + 1)
        self._parts[::2] = text.encode().split(PLACEHOLDER.encode())

    def filled(self, numbers: Array) -> bytes:
        """Return the text with numbers; null for one that is not finite."""
        return next(self.fill_rows(numbers[None]))

    def fill_rows(self, rows: Array) -> Iterator[bytes]:
        """Yield the text with the numbers of each row; null for one that is not finite."""
        count, parts = len(self._order), self._parts
        texts = _finite_text(rows.take(self._order, axis=1).reshape(-1)).split(b",")
        for start in range(0, count * len(rows), count) if count else range(len(rows)):
            if count:
                parts[1::2] = texts[start : start + count]
            yield b"".join(parts)
