"""Refusal of arguments of the wrong type."""

from __future__ import annotations

from numbers import Real


def require_number(what: str, value: object) -> None:
    """Require that an argument is a real number, of Python or NumPy.

    Args:
        what: What the argument is, with its article.

    Raises:
        TypeError: It is something else, for example a text.
    """
    if not isinstance(value, Real):
        raise TypeError(f"{what} is a number, not {value!r:.80}")
