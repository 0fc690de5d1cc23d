"""Numbers with their nouns, for messages."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one: ``1 coordinate``, ``2 degrees of freedom``.

    Args:
        noun: A noun with a regular plural, in the singular; what follows ``of`` is unchanged.
    """
    head, of, rest = noun.partition(" of ")
    plural = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return f"{count} {head if count == 1 else plural}{of}{rest}"
