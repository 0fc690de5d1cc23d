"""Random configurations within the limits of the joints."""

from __future__ import annotations

import math

import numpy as np

from ossature.array_types import Array
from ossature.kinematics.closed_loop_poses import LoopClosureError
from ossature.kinematics.coordinate_map import CoordinateMap, KinematicsError
from ossature.kinematics.loop_solver import CLOSED_ENOUGH, LoopSolver

_ATTEMPTS = 100
_UNLIMITED_M = 1.0


def sample_configurations(coordinates: CoordinateMap, generator: np.random.Generator, count: int) -> Array:
    """Return random configurations within the limits, whose loops are not closed, shape (count, n).

    Args:
        coordinates: The configuration vector of a model.
        generator: The source of random numbers.
    """
    if not isinstance(generator, np.random.Generator):
        raise TypeError(f"the source of random numbers is a numpy.random.default_rng(seed), not {generator!r:.80}")
    lower, upper = coordinates.lower, coordinates.upper
    half = np.where(coordinates.angles, math.pi, _UNLIMITED_M)
    center = np.where(coordinates.angles, 0.0, coordinates.initial)
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    low = np.where(has_lower, lower, np.where(has_upper, upper - 2.0 * half, center - half))
    high = np.where(has_upper, upper, np.where(has_lower, lower + 2.0 * half, center + half))
    samples = generator.uniform(low, high, (count, len(coordinates.variables)))
    for columns in coordinates.rotation_vectors:
        if not (has_lower | has_upper)[columns].any():
            samples[:, columns] = _rotation_vectors(generator.normal(size=(count, 4)))
    return samples


def sample_closed_configurations(
    coordinates: CoordinateMap, loops: LoopSolver, generator: np.random.Generator, count: int
) -> Array:
    """Return random configurations with closed loops, whose independent coordinates are within the limits, (count, n).

    Args:
        coordinates: The configuration vector of a model.
        generator: The source of random numbers.

    Raises:
        LoopClosureError: Loops cannot be closed at any of many samples.
        KinematicsError: No configuration with closed loops is within the limits.
    """
    samples = sample_configurations(coordinates, generator, count)
    closed = [_closed_sample(coordinates, loops, generator, sample) for sample in samples]
    return np.array(closed).reshape(samples.shape)


def _closed_sample(coordinates: CoordinateMap, loops: LoopSolver, generator: np.random.Generator, sample: Array) -> Array:
    failure, start = None, loops.assemble()
    lower, upper = coordinates.lower - CLOSED_ENOUGH, coordinates.upper + CLOSED_ENOUGH
    for _ in range(_ATTEMPTS):
        try:
            closed = loops.close(sample, loops.independent_numbers(), start)
        except LoopClosureError as error:
            failure = error
        else:
            if ((closed >= lower) & (closed <= upper)).all():
                return closed
        sample = sample_configurations(coordinates, generator, 1)[0]
    name = coordinates.model.name
    raise failure or KinematicsError(f"no configuration of '{name}' with closed loops is within the limits")


def _rotation_vectors(quaternions: Array) -> Array:
    """Return the rotation vectors of quaternions of any length, (N, 3) from (N, 4)."""
    unit = quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)
    unit = np.where(unit[:, :1] < 0.0, -unit, unit)
    sines = np.linalg.norm(unit[:, 1:], axis=1, keepdims=True)
    return np.asarray(2.0 * np.arctan2(sines, unit[:, :1]) * unit[:, 1:] / np.where(sines > 0.0, sines, 1.0))
