"""A directed graph that grows edge by edge, and refuses the edges that would close a cycle."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class AcyclicGraph(Generic[T]):
    """A directed graph without cycles.

    An edge between nodes that no path of edges, of whatever directions, connects cannot close a cycle: these are found by
    union-find, so that a forest of n edges takes time in proportion to n in any order of its edges. Only other edges need a
    search, through the nodes that can be reached.
    """

    def __init__(self) -> None:
        self._successors: dict[T, set[T]] = {}
        self._representatives: dict[T, T] = {}

    def reaches(self, start: T, goal: T) -> bool:
        """Whether edges lead from a node to another one, or these are the same."""
        if self._representative(start) != self._representative(goal):
            return False
        seen, pending = {start}, [start]
        while pending:
            node = pending.pop()
            if node == goal:
                return True
            following = self._successors.get(node, set()) - seen
            seen |= following
            pending.extend(following)
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
        """Return the node that represents all nodes connected with one, and shorten the path to it."""
        known = self._representatives
        while (above := known.get(node, node)) != node:
            known[node] = known.get(above, above)
            node = known[node]
        return node
