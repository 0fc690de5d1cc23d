"""How lenses distort, and what is seen through them without that.

Points are at distance one in front of the camera: (x/z, y/z). The formulas are those that camera calibration has settled on,
under the names of ROS's camera information; J.-Y. Bouguet's toolbox has the first, OpenCV the second, and J. Kannala and
S. Brandt (2006) the third.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ossature.model import Distortion, DistortionModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points: TypeAlias = NDArray[np.float64]

COEFFICIENTS = {DistortionModel.PLUMB_BOB: 5, DistortionModel.RATIONAL_POLYNOMIAL: 8, DistortionModel.EQUIDISTANT: 4}
"""How many coefficients each model has."""

_STEPS = 50
_SMALL = 1e-6
_EXACT = 1e-12
_WIDEST = 50.0
"""Nothing is seen farther from the middle, at distance one: that is 89 degrees."""


def distorted(points: Points, distortion: Distortion | None) -> Points:
    """Return where points are seen through a lens.

    Args:
        points: Points at distance one, shape (n, 2).
        distortion: How the lens distorts, or None.
    """
    if distortion is None:
        return points
    count = COEFFICIENTS[distortion.model]
    coefficients = np.zeros(count)
    stated = distortion.coefficients[:count]
    coefficients[: len(stated)] = stated
    return _MODELS[distortion.model](points, coefficients)


def undistorted(seen: Points, distortion: Distortion | None) -> Points:
    """Return the points that are seen at given places through a lens; not numbers where no point is seen.

    Newton's method, from the place itself, with steps that are halved where they lead away.
    """
    if distortion is None:
        return seen
    points = seen.copy()
    with np.errstate(all="ignore"):
        error = distorted(points, distortion) - seen
        for _ in range(_STEPS):
            if not (np.abs(error) > _EXACT).any():
                break
            step = _newton_step(points, error, distortion)
            points, error = _shortened(points, error, step, seen, distortion)
        sound = (np.abs(error).max(axis=1) < 1e-9) & (np.abs(points).max(axis=1) < _WIDEST)
        sound &= _keeps_orientation(points, distortion)
    return np.where(sound[:, None], points, np.nan)


def _newton_step(points: Points, error: Points, distortion: Distortion) -> Points:
    a, b, c, d = _slopes(points, distortion)
    determinant = a * d - b * c
    return np.stack([d * error[:, 0] - b * error[:, 1], a * error[:, 1] - c * error[:, 0]], axis=1) / determinant[:, None]


def _slopes(points: Points, distortion: Distortion) -> tuple[NDArray[np.float64], ...]:
    columns = []
    for axis in range(2):
        shift = np.zeros(2)
        shift[axis] = _SMALL
        columns.append((distorted(points + shift, distortion) - distorted(points - shift, distortion)) / (2.0 * _SMALL))
    return columns[0][:, 0], columns[1][:, 0], columns[0][:, 1], columns[1][:, 1]


def _shortened(points: Points, error: Points, step: Points, seen: Points, distortion: Distortion) -> tuple[Points, Points]:
    """Return points after a step, or after a part of it where the whole one leads away."""
    size = np.einsum("ni,ni->n", error, error)
    share = np.ones(len(points))
    step = np.where(np.isfinite(step), step, 0.0)
    for _ in range(8):
        tried = points - share[:, None] * step
        left = distorted(tried, distortion) - seen
        worse = ~(np.einsum("ni,ni->n", left, left) <= size)
        if not worse.any():
            break
        share[worse] *= 0.5
    return tried, left


def _keeps_orientation(points: Points, distortion: Distortion) -> NDArray[np.bool_]:
    """Whether the lens does not fold the image there: beyond a fold, polynomials mean no lens any more."""
    a, b, c, d = _slopes(points, distortion)
    return np.asarray(a * d - b * c > 0.0)


def _plumb_bob(points: Points, coefficients: NDArray[np.float64]) -> Points:
    k1, k2, p1, p2, k3 = coefficients
    square = np.einsum("ni,ni->n", points, points)
    radial = 1.0 + square * (k1 + square * (k2 + square * k3))
    return _decentred(points, square, radial, p1, p2)


def _rational(points: Points, coefficients: NDArray[np.float64]) -> Points:
    k1, k2, p1, p2, k3, k4, k5, k6 = coefficients
    square = np.einsum("ni,ni->n", points, points)
    radial = (1.0 + square * (k1 + square * (k2 + square * k3))) / (1.0 + square * (k4 + square * (k5 + square * k6)))
    return _decentred(points, square, radial, p1, p2)


def _decentred(points: Points, square: NDArray[np.float64], radial: NDArray[np.float64], p1: float, p2: float) -> Points:
    x, y = points[:, 0], points[:, 1]
    return np.stack(
        [
            x * radial + 2.0 * p1 * x * y + p2 * (square + 2.0 * x * x),
            y * radial + p1 * (square + 2.0 * y * y) + 2.0 * p2 * x * y,
        ],
        axis=1,
    )


def _equidistant(points: Points, coefficients: NDArray[np.float64]) -> Points:
    k1, k2, k3, k4 = coefficients
    radius = np.hypot(points[:, 0], points[:, 1])
    angle = np.arctan(radius)
    square = angle * angle
    bent = angle * (1.0 + square * (k1 + square * (k2 + square * (k3 + square * k4))))
    scale = np.where(radius > 1e-12, bent / np.maximum(radius, 1e-300), 1.0)
    return points * scale[:, None]


_MODELS: dict[DistortionModel, Callable[[Points, NDArray[np.float64]], Points]] = {
    DistortionModel.PLUMB_BOB: _plumb_bob,
    DistortionModel.RATIONAL_POLYNOMIAL: _rational,
    DistortionModel.EQUIDISTANT: _equidistant,
}
