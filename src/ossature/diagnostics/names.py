"""Helping people with names: what did they mean, and what could they have said."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MOST_CHOICES = 12


def suggestion(name: str, choices: Iterable[str]) -> str | None:
    """Return a hint naming the choice nearest to a misspelt name, or all of them where none is near."""
    known = sorted(set(choices))
    if not known:
        return None
    lowered = {choice.lower(): choice for choice in known}
    near = difflib.get_close_matches(name.lower()[:80], lowered, n=1, cutoff=0.6)
    if near:
        return f"did you mean '{lowered[near[0]]}'?"
    shown = ", ".join(known[:_MOST_CHOICES])
    return f"valid: {shown}" + (f" and {len(known) - _MOST_CHOICES} more" if len(known) > _MOST_CHOICES else "")
