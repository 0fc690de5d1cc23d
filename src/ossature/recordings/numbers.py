"""Many numbers as text, fast: a recording may have a million in a second."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def number_text(numbers: NDArray[np.float64]) -> bytes:
    """Return the shortest texts that read back as the same numbers, with commas between them."""
    values = numbers.tolist()
    if math.isfinite(sum(values)):
        return orjson.dumps(values)[1:-1]
    return json.dumps(values, separators=(",", ":")).encode()[1:-1]


class Template:
    """A text with places for numbers.

    Args:
        text: The text; at each place it has ``%b``, and each ``%`` of its own is doubled.
        order: Which number belongs to each place.
    """

    def __init__(self, text: str, order: Sequence[int]) -> None:
        import numpy as np

        self._text, self._order = text.encode(), np.array(order, dtype=np.intp)

    def filled(self, numbers: NDArray[np.float64]) -> bytes:
        """Return the text with numbers in their places, and null where one is not finite."""
        return self._text % tuple(orjson.dumps(numbers.take(self._order).tolist())[1:-1].split(b","))
