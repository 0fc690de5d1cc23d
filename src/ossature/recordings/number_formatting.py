"""Fast formatting of numbers: a recording may have a million per second.

A compiled module fills them into texts, if it is installed (``_number_template.c``); the texts are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import orjson

from ossature.array_types import Array
from ossature.compiled_modules import compiled_module

_SOURCE = Path(__file__).parent / "_number_template.c"

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
        self._literals = tuple(text.encode().split(PLACEHOLDER.encode()))

    def filled(self, numbers: Array) -> bytes:
        """Return the text with numbers; null for one that is not finite."""
        return next(self.fill_rows(numbers[None]))

    def fill_rows(self, rows: Array) -> Iterator[bytes]:
        """Yield the text with the numbers of each row; null for one that is not finite."""
        numbers = _finite_text(rows.take(self._order, axis=1).reshape(-1))
        yield from (compiled_fill() or fill)(self._literals, numbers, len(rows))


Fill: TypeAlias = "Callable[[tuple[bytes, ...], bytes, int], Iterable[bytes]]"
"""Returns the texts of samples: ``fill(literals, numbers, samples)``."""


def fill(literals: tuple[bytes, ...], numbers: bytes, samples: int) -> Iterator[bytes]:
    """Yield the texts of samples.

    Args:
        literals: The parts of the text of a sample before its first number, between two numbers, and after the last one.
        numbers: The numbers of all samples, separated by commas.
        samples: The number of samples.
    """
    count, texts = len(literals) - 1, numbers.split(b",")
    parts = [b""] * (2 * count + 1)
    parts[::2] = literals
    for sample in range(samples):
        parts[1::2] = texts[sample * count : (sample + 1) * count]
        yield b"".join(parts)


def compiled_fill() -> Fill | None:
    """Return the compiled function that does what :func:`fill` does; None if it is not installed, or of another version."""
    module = compiled_module("ossature.recordings._number_template", _SOURCE)
    function: Fill | None = None if module is None else module.fill
    return function
