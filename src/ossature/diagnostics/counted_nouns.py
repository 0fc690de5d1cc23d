"""Numbers with their nouns, for messages."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one: ``1 coordinate``, ``2 degrees of freedom``.

    Args:
        noun: The noun in the singular; its first word has a regular plural.
    """
    first, space, rest = noun.partition(" ")
    plural = f"{first[:-1]}ies" if first.endswith("y") else f"{first}s"
    return f"{count} {first if count == 1 else plural}{space}{rest}"
