"""Acyclic graphs: rejected cycles against a transitive closure, and linear time for forests."""

from __future__ import annotations

import random

import pytest

from ossature.kinematics import AcyclicGraph


def reachable(edges: set[tuple[int, int]], start: int) -> set[int]:
    """Return all that edges lead to from a node, by relaxation."""
    found = {start}
    while grown := {end for begin, end in edges if begin in found} - found:
        found |= grown
    return found


@pytest.mark.parametrize("seed", range(40))
def test_edges_that_close_a_cycle_are_rejected(seed: int) -> None:
    rng = random.Random(seed)
    graph, edges = AcyclicGraph[int](), set[tuple[int, int]]()
    for _ in range(60):
        start, end = rng.randrange(12), rng.randrange(12)
        assert graph.reaches(start, end) == (end in reachable(edges, start))
        assert graph.add(start, end) == (start not in reachable(edges, end))
        if start not in reachable(edges, end):
            edges.add((start, end))


class CountingKey:
    """A node that counts how often any is hashed: each step of the graph hashes some."""

    count = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        CountingKey.count += 1
        return self.number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CountingKey) and other.number == self.number


def operations(count: int, seed: int | None) -> int:
    """Return how many operations it takes to build a chain, in the order of its nodes, in the reverse one or in any."""
    nodes = [CountingKey(number) for number in range(count + 1)]
    order = list(range(count))
    if seed is None:
        order.reverse()
    elif seed:
        random.Random(seed).shuffle(order)
    graph = AcyclicGraph[CountingKey]()
    CountingKey.count = 0
    for number in order:
        assert graph.add(nodes[number], nodes[number + 1])
    return CountingKey.count


@pytest.mark.parametrize("seed", [0, 1, 2, None])
def test_time_for_a_forest_is_linear_in_its_edges(seed: int | None) -> None:
    assert operations(4000, seed) < 1.6 * 4 * operations(1000, seed)
    assert operations(4000, seed) < 100 * 4000
