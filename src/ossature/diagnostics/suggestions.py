"""Hints that name the choice nearest to a misspelt name, in bounded time."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from enum import StrEnum
from itertools import islice
from typing import NoReturn

_MOST_SHOWN = 12
_MOST_COMPARED = 1000
_LONGEST_COMPARED = 80
_MOST_COMPARISONS = 50_000


def suggestion(name: object, choices: Iterable[str]) -> str | None:
    """Return a hint with the choice nearest to a misspelt name, or all choices if none is near.

    Of many choices the first thousand are compared; None if there are no choices.
    """
    known = sorted(set(islice(choices, _MOST_COMPARED)))
    if not known:
        return None
    lowered = {choice.lower(): choice for choice in known if len(choice) <= _LONGEST_COMPARED}
    misspelt = str(name)[:_LONGEST_COMPARED].lower()
    transposed = [choice for choice in lowered if sorted(choice) == sorted(misspelt)]
    near = transposed or difflib.get_close_matches(misspelt, lowered, n=1, cutoff=0.6)
    return f"did you mean '{lowered[near[0]]}'?" if near else _list_choices(known)


def _list_choices(known: list[str]) -> str:
    shown = ", ".join(choice[:_LONGEST_COMPARED] for choice in known[:_MOST_SHOWN])
    if len(known) <= _MOST_SHOWN:
        return f"valid: {shown}"
    return f"valid: {shown} and {f'{len(known) - _MOST_SHOWN} more' if len(known) < _MOST_COMPARED else 'many more'}"


class Choice(StrEnum):
    """A choice by its name; an unknown name raises a ValueError with the valid ones."""

    @classmethod
    def _missing_(cls, value: object) -> NoReturn:
        hint = suggestion(value, list(cls)) if isinstance(value, str) else _list_choices(sorted(cls))
        raise ValueError(f"{value!r:.80} is no {_separate_words(cls.__name__)}: {hint}")


def _separate_words(name: str) -> str:
    return re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()


class Suggestions:
    """Returns the hints of one report; after many comparisons it only lists the first choices.

    This bounds the time for all hints, for any number of misspelt names.
    """

    __slots__ = ("_comparisons_left",)

    def __init__(self) -> None:
        self._comparisons_left = _MOST_COMPARISONS

    def hint(self, name: str, choices: Iterable[str]) -> str | None:
        """Return a hint as :func:`suggestion` does; the choices are iterated only as far as they are needed."""
        if self._comparisons_left <= 0:
            few = list(islice(choices, _MOST_SHOWN))
            return f"valid, among others: {', '.join(choice[:_LONGEST_COMPARED] for choice in few)}" if few else None
        known = list(islice(choices, _MOST_COMPARED))
        self._comparisons_left -= len(known)
        return suggestion(name, known)
