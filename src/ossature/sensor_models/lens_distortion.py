"""Lens distortion and its inverse.

Points are in normalized image coordinates: (x/z, y/z). The formulas are those of camera calibration,
under the names of ROS's camera information: the first of J.-Y. Bouguet's toolbox, the second of OpenCV, the third of J. Kannala
and S. Brandt (2006).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ossature.array_types import Array, BoolArray, Points
from ossature.model import Distortion, DistortionModel

COEFFICIENTS = {DistortionModel.PLUMB_BOB: 5, DistortionModel.RATIONAL_POLYNOMIAL: 8, DistortionModel.EQUIDISTANT: 4}
"""Number of coefficients of each model."""

_MAX_ITERATIONS = 50
_DIFFERENCE = 1e-6
_TOLERANCE = 1e-12
_MAX_RADIUS = 50.0
"""Largest distance from the centre in normalized coordinates, an angle of 89 degrees."""


def distort(points: Points, distortion: Distortion | None) -> Points:
    """Return the distorted positions of points.

    Args:
        points: Points in normalized coordinates, shape (n, 2).
    """
    if distortion is None:
        return points
    count = COEFFICIENTS[distortion.model]
    coefficients = np.zeros(count)
    given = distortion.coefficients[:count]
    coefficients[: len(given)] = given
    return _MODELS[distortion.model](points, coefficients)


def undistort(distorted: Points, distortion: Distortion | None) -> Points:
    """Return the points with given distorted positions; NaN if there is none.

    Newton's method, started from the distorted position, with halving of steps that do not reduce the residual.
    """
    if distortion is None:
        return distorted
    points = distorted.copy()
    with np.errstate(all="ignore"):
        error = distort(points, distortion) - distorted
        for _ in range(_MAX_ITERATIONS):
            if not (np.abs(error) > _TOLERANCE).any():
                break
            step = _newton_step(points, error, distortion)
            points, error = _line_search(points, error, step, distorted, distortion)
        is_valid = (np.abs(error).max(axis=1) < 1e-9) & (np.abs(points).max(axis=1) < _MAX_RADIUS)
        is_valid &= _keeps_orientation(points, distortion)
    return np.where(is_valid[:, None], points, np.nan)


def _newton_step(points: Points, error: Points, distortion: Distortion) -> Points:
    a, b, c, d = _jacobian(points, distortion)
    determinant = a * d - b * c
    return np.stack([d * error[:, 0] - b * error[:, 1], a * error[:, 1] - c * error[:, 0]], axis=1) / determinant[:, None]


def _jacobian(points: Points, distortion: Distortion) -> tuple[Array, ...]:
    columns = []
    for axis in range(2):
        shift = np.zeros(2)
        shift[axis] = _DIFFERENCE
        columns.append((distort(points + shift, distortion) - distort(points - shift, distortion)) / (2.0 * _DIFFERENCE))
    return columns[0][:, 0], columns[1][:, 0], columns[0][:, 1], columns[1][:, 1]


def _line_search(
    points: Points, error: Points, step: Points, distorted: Points, distortion: Distortion
) -> tuple[Points, Points]:
    """Return points after a step that is halved until it reduces the residual, and the residual."""
    size = np.einsum("ni,ni->n", error, error)
    share = np.ones(len(points))
    step = np.where(np.isfinite(step), step, 0.0)
    for _ in range(8):
        candidate = points - share[:, None] * step
        remaining = distort(candidate, distortion) - distorted
        is_worse = ~(np.einsum("ni,ni->n", remaining, remaining) <= size)
        if not is_worse.any():
            break
        share[is_worse] *= 0.5
    return candidate, remaining


def _keeps_orientation(points: Points, distortion: Distortion) -> BoolArray:
    """Whether the distortion does not fold the image: polynomials are not valid beyond a fold."""
    a, b, c, d = _jacobian(points, distortion)
    return np.asarray(a * d - b * c > 0.0)


def _plumb_bob(points: Points, coefficients: Array) -> Points:
    k1, k2, p1, p2, k3 = coefficients
    square = np.einsum("ni,ni->n", points, points)
    radial = 1.0 + square * (k1 + square * (k2 + square * k3))
    return _apply_decentring(points, square, radial, p1, p2)


def _rational(points: Points, coefficients: Array) -> Points:
    k1, k2, p1, p2, k3, k4, k5, k6 = coefficients
    square = np.einsum("ni,ni->n", points, points)
    radial = (1.0 + square * (k1 + square * (k2 + square * k3))) / (1.0 + square * (k4 + square * (k5 + square * k6)))
    return _apply_decentring(points, square, radial, p1, p2)


def _apply_decentring(points: Points, square: Array, radial: Array, p1: float, p2: float) -> Points:
    x, y = points[:, 0], points[:, 1]
    return np.stack(
        [
            x * radial + 2.0 * p1 * x * y + p2 * (square + 2.0 * x * x),
            y * radial + p1 * (square + 2.0 * y * y) + 2.0 * p2 * x * y,
        ],
        axis=1,
    )


def _equidistant(points: Points, coefficients: Array) -> Points:
    k1, k2, k3, k4 = coefficients
    radius = np.hypot(points[:, 0], points[:, 1])
    angle = np.arctan(radius)
    square = angle * angle
    distorted_angle = angle * (1.0 + square * (k1 + square * (k2 + square * (k3 + square * k4))))
    scale = np.where(radius > 1e-12, distorted_angle / np.maximum(radius, 1e-300), 1.0)
    return points * scale[:, None]


_MODELS: dict[DistortionModel, Callable[[Points, Array], Points]] = {
    DistortionModel.PLUMB_BOB: _plumb_bob,
    DistortionModel.RATIONAL_POLYNOMIAL: _rational,
    DistortionModel.EQUIDISTANT: _equidistant,
}
