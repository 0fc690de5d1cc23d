"""Noise with a covariance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class Noise:
    """Draws vectors with a covariance, also with one that is singular.

    Args:
        covariance: The matrix, row by row or as rows, or None for no noise.
        size: How many components there are.
    """

    def __init__(self, covariance: Any, size: int) -> None:
        self._size = size
        self._root: Vector | None = None
        if covariance is not None:
            values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=float).reshape(size, size))
            self._root = vectors * np.sqrt(np.maximum(values, 0.0))

    def draw(self, random: np.random.Generator, duration: float = 1.0) -> Vector:
        """Return one vector; its covariance grows with a duration where one is given."""
        if self._root is None:
            return np.zeros(self._size)
        return np.asarray(np.sqrt(duration) * (self._root @ random.standard_normal(self._size)))
