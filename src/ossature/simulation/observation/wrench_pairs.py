"""Wrenches on pairs of bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ossature.array_types import IntegerArray, Vector


@dataclass(frozen=True, slots=True)
class Pairs:
    """Wrenches that act on pairs of the engine's bodies, the opposite ones on the second of each pair.

    Attributes:
        first: The first bodies, shape (n,).
        points_first: Points of the forces on the first bodies, in the world, shape (n, 3) [m].
        points_second: Points of the opposite forces on the second bodies, in the world, shape (n, 3) [m].
        forces: Forces on the first bodies, in axes of the world, shape (n, 3) [N].
        torques: Torques on the first bodies, in axes of the world, shape (n, 3) [N·m].
    """

    first: IntegerArray
    second: IntegerArray
    points_first: Vector
    points_second: Vector
    forces: Vector
    torques: Vector


def no_pairs() -> Pairs:
    """Return no wrenches."""
    no_bodies = np.zeros(0, dtype=np.intp)
    return Pairs(no_bodies, no_bodies, *(np.zeros((0, 3)) for _ in range(4)))
