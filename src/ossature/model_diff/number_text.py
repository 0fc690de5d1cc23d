"""Numbers with units in the texts of differences: short, but with enough digits that both sides are distinguished."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ossature.spatial import Pose

_POSITIONS = ("m", "rad", "rad or m")
_DIGITS = (5, 8, 12, 17)
"""Significant digits of numbers: the first count by which both sides differ."""
_NEGLIGIBLE = 1e-12
"""Size of rounding errors in a vector, relative to its largest number."""


def length_text(length: float) -> str:
    """Return a length [m], in millimetres if it is short."""
    return f"{length:.4g} m" if abs(length) >= 0.1 else f"{1e3 * length:.4g} mm"


def angle_text(angle: float) -> str:
    """Return an angle [rad] in degrees, the unit in which people judge it."""
    return f"{math.degrees(angle):.4g}°"


def vector_text(a: Sequence[float], b: Sequence[float]) -> str:
    """Return two vectors as text."""
    size = max(map(abs, (*a, *b)), default=0.0)
    one, other = [tuple(0.0 if abs(number) < _NEGLIGIBLE * size else number for number in side) for side in (a, b)]
    return " → ".join(between(one, other, lambda side: f"({', '.join(f'{number + 0.0:g}' for number in side)})"))


def change_text(a: float, b: float, unit: str) -> str:
    """Return two numbers as text, with the change in percent unless they are positions."""
    one, other = between(a, b, lambda value: f"{value:.12g}")
    percent = (
        f" ({100.0 * (b - a) / abs(a):+.3g} %)"
        if a and unit not in _POSITIONS and math.isfinite(a) and math.isfinite(b)
        else ""
    )
    return f"{one} → {other} {unit}".rstrip() + percent


def between(a: Any, b: Any, text: Callable[[Any], str]) -> tuple[str, str]:
    """Return two values as texts, whose numbers have as few digits as distinguish them."""
    for digits in _DIGITS:
        one, other = text(_rounded(a, digits)), text(_rounded(b, digits))
        if one != other:
            return one, other
    return text(a), text(b)


def _rounded(value: Any, digits: int) -> Any:
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.{digits}g}") + 0.0
    if isinstance(value, tuple):
        return tuple([_rounded(part, digits) for part in value])
    if isinstance(value, Pose):
        return Pose(_rounded(value.position, digits), _rounded(value.wxyz, digits))
    if is_dataclass(value) and not isinstance(value, type):
        changed = {
            item.name: _rounded(getattr(value, item.name), digits) for item in fields(value) if item.init and item.compare
        }
        try:
            return replace(value, **changed)
        except ValueError:  # a value that is not valid once rounded
            return value
    return value
