"""Many numbers as text, fast: a recording may have a million in a second."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import orjson
from numpy.typing import NDArray

PLACE = "\0"
"""Where a number goes in the text of a template: a character that neither XML nor JSON can have."""


def number_text(numbers: NDArray[np.float64]) -> bytes:
    """Return the shortest texts that read back as the same numbers, with commas between them."""
    if np.isfinite(numbers).all():
        return _finite_text(numbers)
    return json.dumps(numbers.tolist(), separators=(",", ":")).encode()[1:-1]


def _finite_text(numbers: NDArray[np.float64]) -> bytes:
    return orjson.dumps(np.ascontiguousarray(numbers), option=orjson.OPT_SERIALIZE_NUMPY)[1:-1]


class NumberTemplate:
    """A text with places for numbers.

    Args:
        text: The text, with ``PLACE`` at each place.
        order: Which number belongs to each place.
    """

    def __init__(self, text: str, order: Sequence[int]) -> None:
        self._order = np.array(order, dtype=np.intp)
        self._parts = [b""] * (2 * len(order) + 1)
        self._parts[::2] = text.encode().split(PLACE.encode())

    def filled(self, numbers: NDArray[np.float64]) -> bytes:
        """Return the text with numbers in their places, and null where one is not finite."""
        if len(self._order):
            self._parts[1::2] = _finite_text(numbers.take(self._order)).split(b",")
        return b"".join(self._parts)
