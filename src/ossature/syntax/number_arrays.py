"""Conversion between long lists of numbers in text and numpy arrays.

A compiled module reads plain numbers, if it is installed (``_number_arrays.c``); the arrays are the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from ossature.array_types import AnyArray, Array, Int64Array
from ossature.compiled_modules import compiled_module

if TYPE_CHECKING:
    from ossature.diagnostics.resource_limits import Budget

_SOURCE = Path(__file__).parent / "_number_arrays.c"
_BLANKS = b" \t\r\n"
_COMMAS = bytes.maketrans(_BLANKS, b"," * len(_BLANKS))
_DECIMAL = b"0123456789+-.eE" + _BLANKS
_BLANK = re.compile(rb"\s")
_CHUNK_BYTES = 1 << 14
_SHOWN_LENGTH = 40
_ITEM_BYTES = 8


def floats(text: bytes, budget: Budget | None = None) -> Array:
    """Return numbers separated by whitespace, each equal to Python's ``float`` of it.

    Args:
        budget: Limits the size of the array, or None.

    Raises:
        LimitError: The array would be larger than the limit.
        ValueError: A word is not a finite number; the message contains it.
    """
    _require_array(text, budget)
    result = _read_plain_numbers(text, "fill_floats", np.float64)
    if result is None:
        result = np.concatenate([np.empty(0), *map(_parse_floats, _split_in_chunks(text))])
    if not np.isfinite(result).all():
        raise ValueError(_invalid_number_message(text.split()[int(np.argmin(np.isfinite(result)))]))
    return result


def integers(text: bytes, budget: Budget | None = None) -> Int64Array:
    """Return integers separated by whitespace.

    Args:
        budget: Limits the size of the array, or None.

    Raises:
        LimitError: The array would be larger than the limit.
        ValueError: A word is not an integer, or does not fit into 64 bits.
    """
    _require_array(text, budget)
    plain = _read_plain_numbers(text, "fill_integers", np.int64)
    if plain is not None:
        return plain
    return np.concatenate([np.empty(0, np.int64), *map(_parse_integers, _split_in_chunks(text))])


def _read_plain_numbers(text: bytes, fill: str, kind: type) -> AnyArray | None:
    """Return the numbers of a text by a function of the compiled module; None without it, or if a word is not plain."""
    compiled = compiled_module("ossature.syntax._number_arrays", _SOURCE)
    if compiled is None:
        return None
    result = np.empty(compiled.count_words(text), kind)
    return result if getattr(compiled, fill)(text, result) else None


def _require_array(text: bytes, budget: Budget | None) -> None:
    # Numbers are counted only if there may be too many: each needs at least two bytes of text, including the separator.
    if budget is not None and _ITEM_BYTES * ((len(text) + 1) // 2) > budget.limits.array_bytes:
        budget.require_array(sum(len(chunk.split()) for chunk in _split_in_chunks(text)), _ITEM_BYTES)


def text_of(numbers: AnyArray) -> str:
    """Return finite numbers, separated by spaces, as the shortest texts that are read back bit-exact."""
    return _format_json(numbers.ravel())[1:-1].decode().replace(",", " ")


def rows_of(numbers: AnyArray) -> list[str]:
    """Return each row of a table of finite numbers as :func:`text_of` does."""
    return _format_json(numbers)[2:-2].decode().replace("],[", "\n").replace(",", " ").splitlines()


def _format_json(numbers: AnyArray) -> bytes:
    # Converted to 64 bits: of narrower types, orjson writes the shortest text for the narrower type.
    wide = np.ascontiguousarray(numbers, np.float64 if numbers.dtype.kind == "f" else np.int64)
    return orjson.dumps(wide, option=orjson.OPT_SERIALIZE_NUMPY)


def _split_in_chunks(text: bytes) -> Iterator[bytes]:
    """Split text at whitespace, to limit the number of Python objects at a time."""
    start = 0
    while start < len(text):
        blank = _BLANK.search(text, start + _CHUNK_BYTES)
        stop = blank.start() if blank else len(text)
        yield text[start:stop].strip(_BLANKS)
        start = stop + 1


def _parse_floats(text: bytes) -> Array:
    numbers = _parse_json(text)
    if numbers is None:
        numbers = [_parse_number(word, float) for word in text.split()]
    return np.fromiter(numbers, float, len(numbers))


def _parse_integers(text: bytes) -> Int64Array:
    numbers = _parse_json(text)
    if numbers is None or not set(map(type, numbers)) <= {int}:
        numbers = [_parse_number(word, int) for word in text.split()]
    try:
        return np.fromiter(numbers, np.int64, len(numbers))
    except OverflowError:
        raise ValueError(_invalid_number_message(str(max(numbers, key=abs)).encode())) from None


def _parse_json(text: bytes) -> list[Any] | None:
    """Return the numbers if all are valid JSON, as nearly always, or None.

    A JSON parser reads them several times faster than ``float``, with bit-exact results.
    """
    listed = b"[" + text.translate(_COMMAS) + b"]"
    # JSON reads a negative zero without a fraction as an integer without sign.
    if text.translate(None, _DECIMAL) or b"-0," in listed or b"-0]" in listed:
        return None
    try:
        numbers: list[Any] = orjson.loads(listed)
    except orjson.JSONDecodeError:
        return None
    return numbers


def _parse_number(word: bytes, kind: Callable[[bytes], Any]) -> Any:
    try:
        if b"_" not in word:  # Python allows underscores in numbers
            return kind(word)
    except ValueError:
        pass
    raise ValueError(_invalid_number_message(word))


def _invalid_number_message(word: bytes) -> str:
    return f"'{word[:_SHOWN_LENGTH].decode('ascii', 'replace')}' is not a number"
