"""How many rays a range finder casts, and in which angles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ossature.model import FlashLaser, Laser2D, Laser3D

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_RAYS = 1_000_000
"""A range finder of so many rays or more is a mistake, and is not simulated."""


def count_of(first: float, last: float, increment: float) -> int:
    """Return how many rays there are from one angle to another; the last one counts where rounding alone misses it."""
    return max(int(min((last - first) / increment + 1e-9, 1e15)) + 1, 0)


def angles_of(first: float | None, last: float | None, increment: float | None) -> NDArray[np.float64]:
    """Return the angles of all rays [rad]."""
    assert first is not None and last is not None and increment is not None  # noqa: S101  # defaults are taken
    return np.asarray(first + increment * np.arange(count_of(first, last, increment)))


def ray_count(laser: Any) -> int:
    """Return how many rays a range finder casts, its defaults taken; nothing else casts any."""
    if isinstance(laser, FlashLaser):
        return int((laser.width or 0) * (laser.height or 0))
    if not isinstance(laser, Laser2D | Laser3D):
        return 0
    rays = count_of(laser.min_angle or 0.0, laser.max_angle or 0.0, laser.angle_increment or 1.0)
    if isinstance(laser, Laser2D):
        return rays
    return rays * count_of(laser.min_turn or 0.0, laser.max_turn or 0.0, laser.turn_increment or 1.0)
