"""A directed graph that rejects edges that would close a cycle."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from ossature.kinematics.disjoint_sets import DisjointSets

T = TypeVar("T", bound=Hashable)


class AcyclicGraph(Generic[T]):
    """A directed graph without cycles.

    An edge between two connected components cannot close a cycle: the components are found by union-find, so that the time for
    a forest is proportional to the number of its edges. Only other edges need a search, through the reachable nodes.
    """

    def __init__(self) -> None:
        self._successors: dict[T, set[T]] = {}
        self._components: DisjointSets[T] = DisjointSets()

    def reaches(self, start: T, goal: T) -> bool:
        """Whether a directed path leads from one node to another, or these are the same."""
        if self._components.find(start) != self._components.find(goal):
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
        self._components.join(start, end)
        return True
