"""Long lists of numbers as text ⇄ numpy arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ossature.diagnostics.resource_limits import Budget

_BLANKS = b" \t\r\n"
_COMMAS = bytes.maketrans(_BLANKS, b"," * len(_BLANKS))
_DECIMAL = b"0123456789+-.eE" + _BLANKS
_BLANK = re.compile(rb"\s")
_NEGATIVE_ZERO = re.compile(rb"-0(?![^\s])")
"""What JSON takes for a whole number, which has no sign of zero."""
_PIECE = 1 << 14
_SHOWN_LENGTH = 40
_ITEM_BYTES = 8


def floats(text: bytes, budget: Budget | None = None) -> NDArray[np.float64]:
    """Return numbers separated by blanks, each as Python would read it.

    Args:
        text: The numbers.
        budget: What limits the size of the array, or None.

    Raises:
        LimitError: The array would be larger than the limit.
        ValueError: Something is no finite number; the message names it.
    """
    _require_array(text, budget)
    result = np.concatenate([np.empty(0), *map(_floats, _pieces(text))])
    if not np.isfinite(result).all():
        raise ValueError(_named(text.split()[int(np.argmin(np.isfinite(result)))]))
    return result


def integers(text: bytes, budget: Budget | None = None) -> NDArray[np.int64]:
    """Return whole numbers separated by blanks.

    Args:
        text: The numbers.
        budget: What limits the size of the array, or None.

    Raises:
        LimitError: The array would be larger than the limit.
        ValueError: Something is no whole number, or one too large.
    """
    _require_array(text, budget)
    return np.concatenate([np.empty(0, np.int64), *map(_integers, _pieces(text))])


def _require_array(text: bytes, budget: Budget | None) -> None:
    # Numbers are counted only if there may be too many: each takes at least two bytes of text, a blank included.
    if budget is not None and _ITEM_BYTES * ((len(text) + 1) // 2) > budget.limits.array_bytes:
        budget.require_array(sum(len(piece.split()) for piece in _pieces(text)), _ITEM_BYTES)


def text_of(numbers: NDArray[Any]) -> str:
    """Return finite numbers, in order, with blanks between them: the shortest texts that read back to the same bits."""
    return _json(numbers.ravel())[1:-1].decode().replace(",", " ")


def rows_of(numbers: NDArray[Any]) -> list[str]:
    """Return each row of a table of finite numbers as :func:`text_of` does."""
    return _json(numbers)[2:-2].decode().replace("],[", "\n").replace(",", " ").splitlines()


def _json(numbers: NDArray[Any]) -> bytes:
    # As numbers of 64 bits: of fewer bits it would write the shortest text for these.
    wide = np.ascontiguousarray(numbers, np.float64 if numbers.dtype.kind == "f" else np.int64)
    return orjson.dumps(wide, option=orjson.OPT_SERIALIZE_NUMPY)


def _pieces(text: bytes) -> Iterator[bytes]:
    """Cut text at blanks, so that only a few of its numbers are Python objects at a time."""
    start = 0
    while start < len(text):
        blank = _BLANK.search(text, start + _PIECE)
        stop = blank.start() if blank else len(text)
        yield text[start:stop].strip(_BLANKS)
        start = stop + 1


def _floats(text: bytes) -> NDArray[np.float64]:
    numbers = _as_json(text)
    if numbers is None:
        numbers = [_number(word, float) for word in text.split()]
    return np.fromiter(numbers, float, len(numbers))


def _integers(text: bytes) -> NDArray[np.int64]:
    numbers = _as_json(text)
    if numbers is None or not set(map(type, numbers)) <= {int}:
        numbers = [_number(word, int) for word in text.split()]
    try:
        return np.fromiter(numbers, np.int64, len(numbers))
    except OverflowError:
        raise ValueError(_named(str(max(numbers, key=abs)).encode())) from None


def _as_json(text: bytes) -> list[Any] | None:
    """Return plainly written numbers, which is nearly all that there are, or None where some are not.

    A parser of JSON reads them several times faster than ``float`` does, and to the same bits.
    """
    if text.translate(None, _DECIMAL) or _NEGATIVE_ZERO.search(text):
        return None
    try:
        numbers: list[Any] = orjson.loads(b"[" + text.translate(_COMMAS) + b"]")
    except orjson.JSONDecodeError:
        return None
    return numbers


def _number(word: bytes, kind: Callable[[bytes], Any]) -> Any:
    try:
        if b"_" not in word:  # which Python allows in numbers
            return kind(word)
    except ValueError:
        pass
    raise ValueError(_named(word))


def _named(word: bytes) -> str:
    return f"'{word[:_SHOWN_LENGTH].decode('ascii', 'replace')}' is no number"
