"""Long lists of numbers as text → numpy arrays."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHOWN_LENGTH = 40


def floats(text: bytes) -> NDArray[np.float64]:
    """Return numbers separated by blanks, each as Python would read it.

    Raises:
        ValueError: Something is no finite number; the message names it.
    """
    words = text.split()
    if b"_" in text:  # Python allows underscores in numbers
        raise ValueError(_named(next(word for word in words if b"_" in word)))
    # Meshes name the same coordinates again and again, and reading a number is what takes time.
    try:
        values = {word: float(word) for word in set(words)}
    except ValueError:
        raise ValueError(_named(next(word for word in words if not _is_number(word)))) from None
    result = np.fromiter(map(values.__getitem__, words), float, len(words))
    if not np.isfinite(result).all():
        raise ValueError(_named(words[int(np.argmin(np.isfinite(result)))]))
    return result


def integers(text: bytes) -> NDArray[np.int64]:
    """Return whole numbers separated by blanks.

    Raises:
        ValueError: Something is no whole number, or one too large.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)  # that is how numpy tells of text that it leaves over
            return np.fromstring(text.decode("ascii"), dtype=np.int64, sep=" ") if text.strip() else np.empty(0, np.int64)
    except (DeprecationWarning, ValueError):
        bad = (word for word in text.split() if not word.removeprefix(b"-").removeprefix(b"+").isdigit())
        raise ValueError(_named(next(bad, b""))) from None


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _named(word: bytes) -> str:
    return f"'{word[:_SHOWN_LENGTH].decode('ascii', 'replace')}' is no number"
