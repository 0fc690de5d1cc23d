"""Seeds of inverse kinematics: a low-discrepancy sequence in the joint space, and grids of sampled joints."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ossature.array_types import Array, BoolArray

_MAX_GRID_POINTS = 4096
_ROTATION_VECTOR_FRACTION = 0.6  # the corners of a cube of this half-width are just longer than π


def low_discrepancy_seeds(count: int, dimensions: int) -> Array:
    """Return points of a low-discrepancy sequence in the unit cube, (count, dimensions), the same ones in each call.

    They are the additive recurrence whose steps are powers of the inverse of the generalised golden ratio, the root of
    ``x ** (dimensions + 1) == x + 1`` (M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
    """
    ratio = 2.0
    for _ in range(64):
        ratio = (1.0 + ratio) ** (1.0 / (dimensions + 1))
    steps = ratio ** -np.arange(1.0, dimensions + 1.0)
    return np.asarray((0.5 + np.arange(1, count + 1)[:, None] * steps) % 1.0)


def sampling_bounds(
    lower: Array, upper: Array, seed: Array, angles: BoolArray, reach: float, rotation_vectors: Sequence[Sequence[int]]
) -> tuple[Array, Array]:
    """Return finite bounds inside the limits: 2π for unlimited angles, the reach in both directions for translations.

    Args:
        lower: Lower limits [rad or m].
        upper: Upper limits [rad or m].
        seed: The centre of unlimited variables [rad or m].
        angles: Whether each variable is an angle.
        reach: Length of the chain [m].
        rotation_vectors: Numbers of variables that are the components of a rotation vector.
    """
    half = np.where(angles, math.pi, max(reach, 1e-3))
    for numbers in rotation_vectors:
        half[list(numbers)] *= _ROTATION_VECTOR_FRACTION
    middle = np.where(np.isfinite(lower), lower + half, np.where(np.isfinite(upper), upper - half, seed))
    return np.where(np.isfinite(lower), lower, middle - half), np.where(np.isfinite(upper), upper, middle + half)


def sampled_joint_grid(lower: Sequence[float], upper: Sequence[float], steps: Sequence[float], seed: Sequence[float]) -> Array:
    """Return the values at which free joints are sampled, one row each, those nearest to the seed first.

    Args:
        lower: Lower ends of the sampled ranges [rad or m].
        upper: Upper ends of them [rad or m].
        steps: Sampling interval of each joint [rad or m].
        seed: Values that are included [rad or m].

    Raises:
        ValueError: There are too many values, or a step is not positive.
    """
    axes = [_sampled_values(*bounds) for bounds in zip(lower, upper, steps, seed, strict=True)]
    if math.prod(len(axis) for axis in axes) > _MAX_GRID_POINTS:
        raise ValueError(f"free joints have more than {_MAX_GRID_POINTS} combinations of values: use larger steps")
    points = np.array(list(itertools.product(*axes)))
    return np.asarray(points[np.argsort(np.linalg.norm(points - np.array(seed), axis=1), kind="stable")])


def _sampled_values(lower: float, upper: float, step: float, seed: float) -> Array:
    if not step > 0.0 or not math.isfinite(step):
        raise ValueError(f"the step of a free joint must be positive and finite, not {step:g}")
    below, above = (seed - lower) / step, (upper - seed) / step  # infinite for steps near the smallest number
    if not below + above < _MAX_GRID_POINTS:
        raise ValueError(f"free joints have more than {_MAX_GRID_POINTS} combinations of values: use larger steps")
    down, up = math.floor(below + 1e-9), math.floor(above + 1e-9)
    return np.asarray(seed + step * np.arange(-down, up + 1))
