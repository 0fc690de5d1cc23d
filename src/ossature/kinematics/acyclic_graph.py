"""A directed graph that rejects edges that would close a cycle."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class AcyclicGraph(Generic[T]):
    """A directed graph without cycles.

    An edge between two connected components cannot close a cycle: the components are found by union-find, so that the time for
    a forest is proportional to the number of its edges. Only other edges need a search, through the reachable nodes.
    """

    def __init__(self) -> None:
        self._successors: dict[T, set[T]] = {}
        self._representatives: dict[T, T] = {}

    def reaches(self, start: T, goal: T) -> bool:
        """Whether a directed path leads from one node to another, or these are the same."""
        if self._representative(start) != self._representative(goal):
            return False
        visited, pending = {start}, [start]
        while pending:
            node = pending.pop()
            if node == goal:
                return True
            successors = self._successors.get(node, set()) - visited
            visited |= successors
            pending.extend(successors)
        return False

    def add(self, start: T, end: T) -> bool:
        """Add an edge, unless it would close a cycle; return whether it is in the graph."""
        if end in self._successors.get(start, ()):
            return True
        if self.reaches(end, start):
            return False
        self._successors.setdefault(start, set()).add(end)
        self._representatives[self._representative(start)] = self._representative(end)
        return True

    def _representative(self, node: T) -> T:
        """Return the representative of a node's connected component, and shorten the path to it."""
        parents = self._representatives
        while (parent := parents.get(node, node)) != node:
            parents[node] = parents.get(parent, parent)
            node = parents[node]
        return node
