"""Unique names, made in a number of steps that does not grow with how many equal names there are."""

from __future__ import annotations

from collections.abc import Callable, Container


def unique_name(name: str, taken: Container[str], numbered: Callable[[int], str], *, first: int = 1) -> str:
    """Return a name that is not taken: the name itself, or with a number, the least if those below are all taken.

    The number is found by doubling and halving: as many equal names as there are in a file are so made unique in
    almost linear time.

    Args:
        name: The name that is wanted.
        taken: The names that there are.
        numbered: Returns the name with a number.
        first: The number to begin with.
    """
    if name not in taken:
        return name
    if numbered(first) not in taken:
        return numbered(first)
    step = 1
    while numbered(first + step) in taken:
        step *= 2
    low, high = first + step // 2, first + step  # the lower one is taken, the higher one is not
    while high - low > 1:
        middle = (low + high) // 2
        if numbered(middle) in taken:
            low = middle
        else:
            high = middle
    return numbered(high)
