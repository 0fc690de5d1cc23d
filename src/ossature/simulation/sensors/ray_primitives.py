"""Intersections of rays and convex primitives in closed form.

Rays are given in the frame of their shape by the point nearest to its origin, from which distances are measured: differences of
squares of large distances would lose digits. A convex shape is the intersection of slabs and quadrics, so an interval of
distances is the intersection of intervals, without gaps at common edges of faces.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ossature.array_types import Vector
from ossature.model import Box, Capsule, Cylinder, Ellipsoid, Geometry, Plane, Sphere

if TYPE_CHECKING:
    Interval = tuple[Vector, Vector]

Primitive: TypeAlias = Box | Sphere | Ellipsoid | Cylinder | Capsule | Plane


def is_primitive(geometry: Geometry) -> bool:
    """Whether the intersection of rays with a shape has a closed form."""
    return type(geometry) in _INTERVALS


def sizes_of(geometry: Any) -> tuple[float, ...]:
    """Return the parameters of a primitive: half sizes, or radius and half length [m]; of a plane normal and offset."""
    return _SIZES[type(geometry)](geometry)


def radius_of(geometry: Any) -> float:
    """Return the radius of the bounding sphere about the origin of a primitive [m]; infinite for a plane."""
    return _RADII[type(geometry)](sizes_of(geometry))


def ray_distances(kind: type[Any], sizes: Vector, origins: Vector, directions: Vector, first: Vector) -> Vector:
    """Return the distance along each ray to its shape of one type; infinite if it does not hit.

    A ray that starts inside a shape hits it from inside; a plane is hit from above only.

    Args:
        sizes: The parameters of each shape (:func:`sizes_of`), shape (n, m).
        origins: Points of the rays in frames of the shapes, shape (n, 3) [m].
        directions: Their unit directions, shape (n, 3).
        first: The smallest distance of a hit from these points, shape (n,) [m].
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        entry, exit_ = _INTERVALS[kind](sizes.T, origins.T, directions.T)
        is_met = (entry <= exit_) & (exit_ >= first)
        result = np.where(entry >= first, entry, np.inf if kind is Plane else exit_)
    return np.where(is_met & np.isfinite(result), result, np.inf)


def _intersect_slab(half: Vector, origin: Vector, direction: Vector) -> Interval:
    """Return the interval of rays between two parallel planes."""
    one, other = (-half - origin) / direction, (half - origin) / direction
    is_along, is_between = direction == 0.0, np.abs(origin) <= half
    entry = np.where(is_along, np.where(is_between, -np.inf, np.inf), np.minimum(one, other))
    exit_ = np.where(is_along, np.where(is_between, np.inf, -np.inf), np.maximum(one, other))
    return entry, exit_


def _intersect_ball(radius: Any, origins: Vector, directions: Vector) -> Interval:
    """Return the interval of rays in a sphere or, with two coordinates, in an infinite cylinder."""
    slope = (directions**2).sum(axis=0)
    nearest = -(origins * directions).sum(axis=0) / slope
    nearest = np.where(slope > 0.0, nearest, 0.0)
    across = ((origins + nearest * directions) ** 2).sum(axis=0)
    # (r - d)(r + d) avoids the cancellation of the difference of squares.
    distance = np.sqrt(across)
    discriminant = (radius - distance) * (radius + distance)
    half = np.sqrt(discriminant / slope)
    is_met = discriminant >= 0.0
    return np.where(is_met, nearest - half, np.inf), np.where(is_met, nearest + half, -np.inf)


def _common_interval(*intervals: Interval) -> Interval:
    return (
        np.maximum.reduce([entry for entry, _ in intervals]),
        np.minimum.reduce([exit_ for _, exit_ in intervals]),
    )


def _intersect_box(sizes: Vector, origins: Vector, directions: Vector) -> Interval:
    return _common_interval(*(_intersect_slab(sizes[axis], origins[axis], directions[axis]) for axis in range(3)))


def _intersect_sphere(sizes: Vector, origins: Vector, directions: Vector) -> Interval:
    return _intersect_ball(sizes[0], origins, directions)


def _intersect_ellipsoid(sizes: Vector, origins: Vector, directions: Vector) -> Interval:
    return _intersect_ball(1.0, origins / sizes, directions / sizes)


def _intersect_cylinder(sizes: Vector, origins: Vector, directions: Vector) -> Interval:
    return _common_interval(
        _intersect_ball(sizes[0], origins[:2], directions[:2]), _intersect_slab(sizes[1], origins[2], directions[2])
    )


def _intersect_capsule(sizes: Vector, origins: Vector, directions: Vector) -> Interval:
    """Return the hull of the intervals in the cylinder and in the spheres at its ends: the shape is convex."""
    radius, half = sizes
    balls = [np.stack([origins[0], origins[1], origins[2] - end]) for end in (half, -half)]
    parts = [_intersect_cylinder(sizes, origins, directions), *(_intersect_ball(radius, ball, directions) for ball in balls)]
    return (
        np.minimum.reduce([np.where(entry <= exit_, entry, np.inf) for entry, exit_ in parts]),
        np.maximum.reduce([np.where(entry <= exit_, exit_, -np.inf) for entry, exit_ in parts]),
    )


def _intersect_plane(sizes: Vector, origins: Vector, directions: Vector) -> Interval:
    slope = (sizes[:3] * directions).sum(axis=0)
    entry = (sizes[3] - (sizes[:3] * origins).sum(axis=0)) / slope
    return np.where(slope < 0.0, entry, np.inf), np.full(len(entry), np.inf)


_INTERVALS: dict[type[Any], Callable[[Vector, Vector, Vector], Interval]] = {
    Box: _intersect_box,
    Sphere: _intersect_sphere,
    Ellipsoid: _intersect_ellipsoid,
    Cylinder: _intersect_cylinder,
    Capsule: _intersect_capsule,
    Plane: _intersect_plane,
}

PRIMITIVES: tuple[type[Any], ...] = tuple(_INTERVALS)
"""All types of shapes with closed-form intersections."""

_SIZES: dict[type[Any], Callable[[Any], tuple[float, ...]]] = {
    Box: lambda box: tuple(0.5 * side for side in box.size),
    Sphere: lambda sphere: (sphere.radius,),
    Ellipsoid: lambda ellipsoid: tuple(0.5 * diameter for diameter in ellipsoid.diameters),
    Cylinder: lambda cylinder: (cylinder.radius, 0.5 * cylinder.length),
    Capsule: lambda capsule: (capsule.radius, 0.5 * capsule.length),
    Plane: lambda plane: (*plane.normal, plane.offset),
}

_RADII: dict[type[Any], Callable[[tuple[float, ...]], float]] = {
    Box: lambda sizes: math.hypot(*sizes),
    Sphere: lambda sizes: sizes[0],
    Ellipsoid: lambda sizes: max(sizes),
    Cylinder: lambda sizes: math.hypot(*sizes),
    Capsule: lambda sizes: sum(sizes),
    Plane: lambda sizes: math.inf,
}
