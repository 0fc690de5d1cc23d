"""Tolerances: one number for lengths [m], angles [rad], and all other quantities relative to their size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ossature.model import Range
from ossature.spatial import Pose, angle_between, norm, subtract

DEFAULT_TOLERANCE = 1e-5
"""Angles in files often have five significant digits: π/2 is 1.5708, which is 4e-6 rad off."""
ROUNDING = 1e-11
"""Computed positions and angles differ by this much at least if they are equal [m, rad]."""
_TINY = 1e-12
"""Numbers without a scale of their own that are closer than this are equal."""


def distance_between(a: Pose, b: Pose) -> float:
    """Return the distance between the origins of two frames [m]."""
    return norm(subtract(a.position, b.position))


def are_equal_poses(a: Pose, b: Pose, tolerance: float) -> bool:
    """Whether two poses agree: distance in metres, angle in radians."""
    allowed = max(tolerance, ROUNDING)
    return a == b or (distance_between(a, b) <= allowed * (1.0 + 1e-3 * norm(a.position)) and angle_between(a, b) <= allowed)


def are_equal(a: Any, b: Any, tolerance: float, unit: str = "") -> bool:
    """Whether two values agree.

    Args:
        a: A number, text, enumeration, pose, range, or a sequence of them.
        b: The other one.
        tolerance: Largest difference: of lengths and angles absolute, else relative to the largest number on both sides.
        unit: The unit of the numbers.
    """
    if isinstance(a, Pose) and isinstance(b, Pose):
        return are_equal_poses(a, b, tolerance)
    if isinstance(a, Range) and isinstance(b, Range):
        return are_equal((a.lower, a.upper), (b.lower, b.upper), tolerance, unit)
    one, other = _numbers(a), _numbers(b)
    if one is None or other is None or len(one) != len(other):
        return bool(a == b)
    finite = [abs(number) for number in (*one, *other) if math.isfinite(number)]
    allowed = tolerance if unit in ("m", "rad", "rad or m") else tolerance * max(finite, default=0.0)
    return all(_are_near(left, right, max(allowed, _TINY)) for left, right in zip(one, other, strict=True))


def _are_near(a: float, b: float, allowed: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= allowed


def _numbers(value: Any) -> Sequence[float] | None:
    """Return a number, or the numbers of a nested tuple, as a flat sequence; None for anything else."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        return (value,)
    if not isinstance(value, tuple):
        return None
    parts = [_numbers(part) for part in value]
    return None if any(part is None for part in parts) else [number for part in parts if part is not None for number in part]
