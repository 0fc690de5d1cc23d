"""All content of a state as text, for comparisons to the bit."""

from __future__ import annotations

from dataclasses import fields

from ossature import State


def digits_of(state: State) -> str:
    """Return all fields of a state, with all digits of its numbers and the sign of zero, which equality ignores."""
    return repr([getattr(state, item.name) for item in fields(state) if item.repr])
