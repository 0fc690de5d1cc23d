"""Unique names, in a number of steps that does not grow with the number of equal names."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable


def unique_name(name: str, taken: Container[str], numbered: Callable[[int], str] | None = None, *, first: int = 2) -> str:
    """Return an unused name: the name itself, or with a number, the smallest if those below are all used.

    The second ``hand`` is ``hand_2``, everywhere except in formats whose own programs number otherwise.

    The number is found by doubling and bisection: so all equal names of a file are made unique in
    almost linear time.

    Args:
        name: The name that is wanted.
        taken: The used names.
        numbered: Returns the name with a number; ``hand_2`` by default.
        first: The first number.
    """
    if name not in taken:
        return name
    numbered = numbered or (lambda count: f"{name}_{count}")
    if numbered(first) not in taken:
        return numbered(first)
    step = 1
    while numbered(first + step) in taken:
        step *= 2
    low, high = first + step // 2, first + step  # the lower one is used, the higher one is not
    while high - low > 1:
        middle = (low + high) // 2
        if numbered(middle) in taken:
            low = middle
        else:
            high = middle
    return numbered(high)


def take_unique_name(name: str, taken: set[str]) -> str:
    """Return an unused name as :func:`unique_name` does, and add it to the used ones."""
    unique = unique_name(name, taken)
    taken.add(unique)
    return unique


def unique_labels(elements: Iterable[tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Return model and label of elements, each stated by model, kind and name: the kind is appended to a name that is used."""
    labels: dict[tuple[str, str], None] = {}
    for model, kind, name in elements:
        label = name
        while (model, label) in labels:
            label = f"{label} {kind}"
        labels[model, label] = None
    return list(labels)
