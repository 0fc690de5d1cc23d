"""Volumes and moments of homogeneous solids, in closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ossature.model.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    HeightField,
    MultiSphere,
    Plane,
    Pyramid,
    Sphere,
)
from ossature.spatial import Matrix3, Vector3


def principal_moments(solid: Geometry, mass: float) -> Vector3:
    """Return the moments of inertia of a homogeneous solid about the origin of its own frame [kg·m²].

    For a cone and a pyramid that is at half the height, a quarter of the height above their centre of mass.
    A multi-sphere counts as the box around it, a plane and a height field have none. A mesh has no closed
    form and is not accepted.
    """
    return _MOMENTS[type(solid)](solid, mass)


def volume(solid: Geometry) -> float:
    """Return the volume of a solid [m³]; zero for a plane, a height field and the hull of several spheres."""
    known = _VOLUMES.get(type(solid))
    return known(solid) if known is not None else 0.0


def _moments_of_box(size: Vector3, mass: float) -> Vector3:
    x, y, z = (length * length for length in size)
    return (mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0)


def _moments_of_ellipsoid(diameters: Vector3, mass: float) -> Vector3:
    x, y, z = (length * length for length in diameters)
    return (mass * (y + z) / 20.0, mass * (x + z) / 20.0, mass * (x + y) / 20.0)


def _moments_of_cylinder(cylinder: Cylinder, mass: float) -> Vector3:
    r, h = cylinder.radius, cylinder.length
    across = mass * (3.0 * r * r + h * h) / 12.0
    return (across, across, mass * r * r / 2.0)


def _moments_of_capsule(capsule: Capsule, mass: float) -> Vector3:
    r, h = capsule.radius, capsule.length
    middle = mass * h / (h + 4.0 * r / 3.0)
    caps = mass - middle
    across = middle * (h * h / 12.0 + r * r / 4.0) + caps * (0.4 * r * r + h * h / 4.0 + 0.375 * h * r)
    return (across, across, middle * r * r / 2.0 + caps * 0.4 * r * r)


def _moments_of_cone(cone: Cone, mass: float) -> Vector3:
    r, h = cone.radius, cone.length
    across = mass * (3.0 * r * r / 20.0 + h * h / 10.0)
    return (across, across, 0.3 * mass * r * r)


def _moments_of_pyramid(pyramid: Pyramid, mass: float) -> Vector3:
    w, d, h = pyramid.base_width, pyramid.base_depth, pyramid.height
    x, y, z = w * w / 20.0, d * d / 20.0, h * h / 10.0
    return (mass * (y + z), mass * (x + z), mass * (x + y))


def _moments_of_multi_sphere(multi_sphere: MultiSphere, mass: float) -> Vector3:
    balls = multi_sphere.balls
    if not balls:
        return (0.0, 0.0, 0.0)
    lower = [min(ball.position[i] - ball.radius for ball in balls) for i in range(3)]
    upper = [max(ball.position[i] + ball.radius for ball in balls) for i in range(3)]
    return _moments_of_box((upper[0] - lower[0], upper[1] - lower[1], upper[2] - lower[2]), mass)


def _square(length: float) -> float:
    # Not a power: Python's raises an exception if a product overflows to infinity.
    return length * length


_MOMENTS: dict[type, Callable[[Any, float], Vector3]] = {
    Box: lambda box, mass: _moments_of_box(box.size, mass),
    Sphere: lambda sphere, mass: (0.4 * mass * sphere.radius * sphere.radius,) * 3,
    Ellipsoid: lambda ellipsoid, mass: _moments_of_ellipsoid(ellipsoid.diameters, mass),
    Cylinder: _moments_of_cylinder,
    Capsule: _moments_of_capsule,
    Cone: _moments_of_cone,
    Pyramid: _moments_of_pyramid,
    Plane: lambda plane, mass: (0.0, 0.0, 0.0),
    HeightField: lambda field, mass: (0.0, 0.0, 0.0),
    MultiSphere: _moments_of_multi_sphere,
}

_VOLUMES: dict[type, Callable[[Any], float]] = {
    Box: lambda box: math.prod(box.size),
    Sphere: lambda sphere: 4.0 / 3.0 * math.pi * (sphere.radius * sphere.radius * sphere.radius),
    Ellipsoid: lambda ellipsoid: math.pi / 6.0 * math.prod(ellipsoid.diameters),
    Cylinder: lambda cylinder: math.pi * _square(cylinder.radius) * cylinder.length,
    Capsule: lambda capsule: math.pi * _square(capsule.radius) * (capsule.length + 4.0 / 3.0 * capsule.radius),
    Cone: lambda cone: math.pi / 3.0 * _square(cone.radius) * cone.length,
    Pyramid: lambda pyramid: pyramid.base_width * pyramid.base_depth * pyramid.height / 3.0,
}


def point_moment(mass: float, position: Vector3) -> Matrix3:
    """Return the moment of inertia about the origin of a point mass at a position [kg·m²]."""
    x, y, z = position
    return (
        (mass * (y * y + z * z), -mass * x * y, -mass * x * z),
        (-mass * x * y, mass * (x * x + z * z), -mass * y * z),
        (-mass * x * z, -mass * y * z, mass * (x * x + y * y)),
    )
