"""Principal moments and sizes of bodies, for the checks that compare them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ossature.checks.shapes import radius_around
from ossature.kinematics import is_massless
from ossature.model import Body, Collision, Model, Plane, Visual, World
from ossature.spatial import norm, subtract


def principal_moments(world: World) -> Iterator[tuple[Model, Body, tuple[float, float, float]]]:
    """Yield each body that states its moments with its principal moments [kg·m²] in growing order; none without mass."""
    for model in world.models:
        for body in model.bodies:
            moments = moments_of(body)
            if moments is not None and not is_massless(body):
                yield model, body, moments


def moments_of(body: Body) -> tuple[float, float, float] | None:
    """Return the principal moments [kg·m²] in growing order, or None where they are not stated or not finite."""
    if body.inertial.moment is None:
        return None
    moment = np.array(body.inertial.moment)
    if not np.isfinite(moment).all():
        return None
    smallest, middle, largest = np.linalg.eigvalsh(moment).tolist()
    return smallest, middle, largest


def reach(body: Body) -> float | None:
    """Return how far the shapes reach from the centre of mass [m], or None where they do not say."""
    farthest = 0.0
    shapes: tuple[Visual | Collision, ...] = (*body.visuals, *body.collisions)
    for shape in shapes:
        around = radius_around(shape.geometry)
        if isinstance(shape.geometry, Plane) or around is None:
            return None
        distance = norm(subtract(shape.pose.position, body.inertial.center_of_mass))
        farthest = max(farthest, distance + around)
    return farthest if farthest > 0.0 and math.isfinite(farthest) else None
