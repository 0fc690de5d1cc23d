"""Impacts that gain no energy.

With friction, Newton's law of impact gains energy if bodies strike eccentrically or in several points: the tangential forces
change the normal velocities that the law prescribes (Kane and Levinson, Dynamics: Theory and Applications, 1985). Without
restitution, contact forces always dissipate. The restitutions of an island of contacts that gains energy are therefore
multiplied by the largest factor with which it gains none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ossature.array_types import IndexArray, Vector

_TOLERANCE = 1e-5
"""Gain of energy that is accepted, relative to the sum of the magnitudes of the work."""
_RELATIVE_LOSS = 1e-2
"""Loss of energy with which a factor is accepted, relative to the loss without restitution."""
_MAX_SOLUTIONS = 8
_SHARES = (0.1, 0.9)
"""Bounds of the next factor within the interval that contains the largest one without a gain."""


class ContactWork(NamedTuple):
    """The work of contact forces in a step.

    Attributes:
        works: The work of each contact [J].
        size: The sum of the magnitudes of the work of all forces [J].
    """

    works: Vector
    size: float


def is_energy_gained(work: ContactWork) -> bool:
    """Return whether any contacts may gain energy in a step."""
    return bool((work.works > _TOLERANCE * work.size).any())


def reduce_restitutions(islands: IndexArray, count: int, work: ContactWork, solve: Callable[[Vector], ContactWork]) -> None:
    """Take a step again with the largest restitutions with which no island of contacts gains energy.

    Args:
        islands: The island of each contact.
        count: The number of islands.
        work: The work with the restitutions of the materials.
        solve: Takes the step with a factor of the restitution of each contact, and returns the work.
    """
    tolerance = _TOLERANCE * work.size

    def work_of(factors: Vector) -> Vector:
        return _sum_by_island(islands, solve(factors[islands]), count)

    upper, upper_work = np.ones(count), _sum_by_island(islands, work, count)
    gains = upper_work > tolerance
    if not gains.any():
        return
    lower = np.where(gains, 0.0, 1.0)
    lower_work = work_of(lower)
    is_open, least = gains, _RELATIVE_LOSS * np.abs(lower_work)
    for _ in range(_MAX_SOLUTIONS):
        is_open = is_open & (lower_work < -least)
        if not is_open.any():
            break
        share = np.divide(-lower_work, upper_work - lower_work, out=np.zeros(count), where=is_open)
        factors = np.where(is_open, lower + (upper - lower) * np.clip(share, *_SHARES), lower)
        works = work_of(factors)
        is_upper = is_open & (works > tolerance)
        is_lower = is_open & ~is_upper
        upper, upper_work = np.where(is_upper, factors, upper), np.where(is_upper, works, upper_work)
        lower, lower_work = np.where(is_lower, factors, lower), np.where(is_lower, works, lower_work)
    solve(lower[islands])


def _sum_by_island(islands: IndexArray, work: ContactWork, count: int) -> Vector:
    return np.bincount(islands, work.works, count).astype(np.float64)
