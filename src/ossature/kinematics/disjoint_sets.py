"""Disjoint sets: elements that belong together, joined pair by pair, in almost linear time."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

E = TypeVar("E", bound=Hashable)


class DisjointSets(Generic[E]):
    """Sets of elements; each element is alone until it is joined with another one."""

    def __init__(self) -> None:
        self._parents: dict[E, E] = {}

    def find(self, element: E) -> E:
        """Return the representative of an element's set."""
        root = element
        while (parent := self._parents.get(root, root)) != root:
            root = parent
        while element != root:
            self._parents[element], element = root, self._parents.get(element, element)
        return root

    def join(self, first: E, second: E) -> bool:
        """Join the sets of two elements, and return whether they were different sets."""
        one, other = self.find(first), self.find(second)
        self._parents[other] = one
        return one != other
