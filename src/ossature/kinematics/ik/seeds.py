"""Where a search begins: a table of configurations that fill the room of the joints evenly, and grids of free joints."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_MOST_GRID_POINTS = 4096
_SHARE_OF_ROTATION_VECTOR = 0.6  # corners of a cube of this half-width lie just beyond a half turn


def low_discrepancy_seeds(count: int, dimensions: int) -> Array:
    """Return points that fill the unit cube evenly, (count, dimensions), the same ones every time.

    They are the additive recurrence whose steps are powers of the inverse of the generalised golden ratio, the root of
    ``x ** (dimensions + 1) == x + 1`` (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dimensions + 1))
    steps = ratio ** -np.arange(1.0, dimensions + 1.0)
    return np.asarray((0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0)


def sampling_bounds(
    lower: Array, upper: Array, start: Array, angles: NDArray[np.bool_], reach: float, rotation_vectors: Sequence[Sequence[int]]
) -> tuple[Array, Array]:
    """Return a bounded room inside the limits: a whole turn where angles are unlimited, the reach either way for slides.

    Args:
        lower: Lower limits [rad or m].
        upper: Upper limits [rad or m].
        start: Where unlimited variables are taken to be in the middle.
        angles: Which variables are angles.
        reach: How long the chain is [m].
        rotation_vectors: Numbers of variables that are together a rotation vector.
    """
    half = np.where(angles, math.pi, max(reach, 1e-3))
    for numbers in rotation_vectors:
        half[list(numbers)] *= _SHARE_OF_ROTATION_VECTOR
    middle = np.where(np.isfinite(lower), lower + half, np.where(np.isfinite(upper), upper - half, start))
    return np.where(np.isfinite(lower), lower, middle - half), np.where(np.isfinite(upper), upper, middle + half)


def grid(lower: Sequence[float], upper: Sequence[float], steps: Sequence[float], seed: Sequence[float]) -> Array:
    """Return the values that free joints take, one row each, those nearest to the seed first.

    Args:
        lower: Lower ends of what is sampled [rad or m].
        upper: Upper ends of it.
        steps: Distances between the values of each joint.
        seed: Values that are among them.

    Raises:
        ValueError: There are too many.
    """
    axes = [_ticks(*bounds) for bounds in zip(lower, upper, steps, seed, strict=True)]
    if math.prod(len(axis) for axis in axes) > _MOST_GRID_POINTS:
        raise ValueError(f"free joints give more than {_MOST_GRID_POINTS} combinations: take larger steps")
    points = np.array(list(itertools.product(*axes)))
    return np.asarray(points[np.argsort(np.linalg.norm(points - np.array(seed), axis=1), kind="stable")])


def _ticks(lower: float, upper: float, step: float, seed: float) -> Array:
    if not step > 0.0 or not math.isfinite(step):
        raise ValueError(f"the step of a free joint must be positive, not {step:g}")
    down, up = math.floor((seed - lower) / step + 1e-9), math.floor((upper - seed) / step + 1e-9)
    if down + up >= _MOST_GRID_POINTS:
        raise ValueError(f"free joints give more than {_MOST_GRID_POINTS} combinations: take larger steps")
    return np.asarray(seed + step * np.arange(-down, up + 1))
