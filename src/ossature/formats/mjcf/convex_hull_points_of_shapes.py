"""Points whose convex hulls are shapes that MuJoCo does not have: pyramids exactly, cones and hulls of spheres nearly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.model import Cone, Geometry, MultiSphere, Pyramid

_CONE_SIDES = 32
_BALL_SLICES = 16


def points_of_cone(cone: Cone) -> Array:
    """Return the tip of a cone and points on the circle of its base, shape (n, 3) [m]."""
    angles = np.linspace(0.0, math.tau, _CONE_SIDES, endpoint=False)
    x, y, z = cone.radius * np.cos(angles), cone.radius * np.sin(angles), np.full(_CONE_SIDES, -cone.length / 2)
    return np.vstack([np.stack([x, y, z], axis=1), [0.0, 0.0, cone.length / 2]])


def points_of_pyramid(pyramid: Pyramid) -> Array:
    """Return the corners of a pyramid, shape (5, 3) [m]."""
    x, y, z = pyramid.base_width / 2, pyramid.base_depth / 2, pyramid.height / 2
    return np.array([*itertools.product((-x, x), (-y, y), (-z,)), (0.0, 0.0, z)])


def points_of_multi_sphere(multi_sphere: MultiSphere) -> Array:
    """Return points on the spheres, shape (n, 3) [m]."""
    sphere = _unit_sphere_points()
    points = [sphere * ball.radius + np.array(ball.position) for ball in multi_sphere.balls]
    return np.vstack(points) if points else np.zeros((0, 3))


def _unit_sphere_points() -> Array:
    polar = np.linspace(0.0, math.pi, _BALL_SLICES // 2 + 1)[1:-1]
    angles = np.linspace(0.0, math.tau, _BALL_SLICES, endpoint=False)
    ring = [(math.sin(p) * math.cos(t), math.sin(p) * math.sin(t), math.cos(p)) for p in polar for t in angles]
    return np.array([(0.0, 0.0, 1.0), *ring, (0.0, 0.0, -1.0)])


HULLS: dict[type, Callable[[Any], Array]] = {
    Cone: points_of_cone,
    Pyramid: points_of_pyramid,
    MultiSphere: points_of_multi_sphere,
}
"""The points of each shape."""


def hull_error(shape: Geometry) -> float:
    """Return how far the hull of the points of a shape is inside its surface at most [m]; zero for exact hulls."""
    if isinstance(shape, Cone):
        return shape.radius * (1.0 - math.cos(math.pi / _CONE_SIDES))
    if isinstance(shape, MultiSphere):
        largest = max((ball.radius for ball in shape.balls), default=0.0)
        return largest * (1.0 - math.cos(math.pi / _BALL_SLICES) ** 2)
    return 0.0
