"""Normally distributed noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from ossature.array_types import Vector


class Noise:
    """Draws normally distributed vectors with a covariance, which may be singular.

    Args:
        covariance: The matrix, flat or as rows, or None for no noise.
    """

    def __init__(self, covariance: Any, size: int) -> None:
        self._size = size
        self._root: Vector | None = None
        if covariance is not None:
            values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=float).reshape(size, size))
            self._root = vectors * np.sqrt(np.maximum(values, 0.0))

    def draw(self, random: np.random.Generator, duration: float = 1.0) -> Vector:
        """Return one vector; its covariance is multiplied by a duration [s]."""
        if self._root is None:
            return np.zeros(self._size)
        return np.asarray(np.sqrt(duration) * (self._root @ random.standard_normal(self._size)))
