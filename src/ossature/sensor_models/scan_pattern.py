"""Number and angles of the rays of range finders."""

from __future__ import annotations

from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.model import FlashLaser, Laser2D, Laser3D

RAY_LIMIT = 1_000_000
"""A range finder with this number of rays or more is not simulated."""


def angle_count(first: float, last: float, increment: float) -> int:
    """Return the number of angles from the first to the last one, which is included if only rounding excludes it."""
    return max(int(min((last - first) / increment + 1e-9, 1e15)) + 1, 0)


def angles_of(first: float | None, last: float | None, increment: float | None) -> Array:
    """Return the angles of all rays [rad]."""
    assert first is not None and last is not None and increment is not None  # noqa: S101  # defaults are filled in
    return np.asarray(first + increment * np.arange(angle_count(first, last, increment)))


def ray_count(laser: Any) -> int:
    """Return the number of rays of a range finder with defaults filled in; zero for other sensors."""
    if isinstance(laser, FlashLaser):
        return int((laser.width or 0) * (laser.height or 0))
    if not isinstance(laser, Laser2D | Laser3D):
        return 0
    rays = angle_count(laser.min_angle or 0.0, laser.max_angle or 0.0, laser.angle_increment or 1.0)
    if isinstance(laser, Laser2D):
        return rays
    return rays * angle_count(laser.min_turn or 0.0, laser.max_turn or 0.0, laser.turn_increment or 1.0)
