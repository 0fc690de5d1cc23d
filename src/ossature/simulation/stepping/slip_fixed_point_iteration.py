"""Relaxation of the slips of contacts, by which the velocities of a step are found in few solutions."""

from __future__ import annotations

import numpy as np

from ossature.array_types import Vector

MAX_RELAXATION = 1.8
RELAXATION_BOUNDS = (0.05, 2.0)
"""Bounds of the relaxation that follows from two solutions."""


class SlipFixedPointIteration:
    """The slips of the next solution from those of the solutions of one step so far.

    Each contact has its own relaxation factor. If one body is in contact, the resulting slip changes by 1 - 1/(1 + µ²) of
    the assumed one; after two solutions the change is known (Aitken's method for each contact), also if contacts
    interact so that slips would alternate.

    Args:
        friction: The friction coefficient, or those of each contact.
    """

    def __init__(self, friction: Vector | float) -> None:
        self._factors = np.minimum(1.0 + friction * friction, MAX_RELAXATION)
        self._residuals: Vector | None = None

    def next_slips(self, assumed: Vector, resulting: Vector) -> Vector:
        """Return the slips of the next solution [m/s], from those that the last one assumed and those that resulted."""
        residuals, previous = resulting - assumed, self._residuals
        if previous is None:
            factors = self._factors + np.zeros(resulting.size)
        else:
            change = previous - residuals
            secant = np.divide(self._factors * previous, change, out=self._factors.copy(), where=change != 0.0)
            factors = np.clip(secant, *RELAXATION_BOUNDS)
        self._factors, self._residuals = factors, residuals
        return np.maximum(assumed + factors * residuals, 0.0)
