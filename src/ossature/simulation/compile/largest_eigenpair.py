"""The largest eigenvalue of a matrix by Lanczos's method."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from ossature.array_types import Vector

_PRECISION = 1e-12
"""Relative change of the largest eigenvalue from one examination to the next, below which it counts as found."""


_RESIDUAL = 1e-9
"""The same for the relative residual of its eigenvector, whose square is the relative error of the eigenvalue."""


_MOST_STEPS = 300


_INTERVAL = 8
"""Steps from one examination to the next."""


@lru_cache(maxsize=64)
def _start_direction(size: int) -> Vector:
    start = np.random.default_rng(7).normal(size=size)
    return np.asarray(start / np.linalg.norm(start))


def largest_eigenpair(multiply: Callable[[Vector], Vector], size: int) -> tuple[float, Vector]:
    """Return the largest eigenvalue of a positive semidefinite matrix, and its eigenvector.

    By Lanczos's method with complete orthogonalisation, from a direction that is always the same.

    Args:
        multiply: Returns the product of the matrix with a vector.
        size: Its number of rows.
    """
    if not size:
        return 0.0, np.zeros(0)
    basis = np.zeros((min(size, _MOST_STEPS), size))
    basis[0] = _start_direction(size)
    diagonal: list[float] = []
    beside: list[float] = []
    largest, weights = 0.0, np.ones(1)
    for step in range(len(basis)):
        product = multiply(basis[step])
        diagonal.append(float(basis[step] @ product))
        for _ in range(2):  # rounding leaves components of the first subtraction
            product = product - basis[: step + 1].T @ (basis[: step + 1] @ product)
        rest = float(np.linalg.norm(product))
        is_exhausted = rest <= _PRECISION * max(diagonal) or step + 1 == len(basis)
        if is_exhausted or step % _INTERVAL == _INTERVAL - 1:
            values, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
            before, largest, weights = largest, float(values[-1]), vectors[:, -1]
            residual = rest * abs(float(weights[-1]))
            if is_exhausted or residual <= _RESIDUAL * largest or largest - before <= _PRECISION * largest:
                break
        beside.append(rest)
        basis[step + 1] = product / rest
    return largest, weights @ basis[: len(weights)]
