"""Principal moments and sizes of bodies, for the checks that compare them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ossature.checks.context import CheckContext
from ossature.kinematics import is_massless
from ossature.kinematics.principal_inertia import PrincipalInertia
from ossature.model import Body, Collision, Model, Plane, Visual, World
from ossature.spatial import norm, subtract


def principal_inertias(world: World, context: CheckContext) -> Iterator[tuple[Model, Body, PrincipalInertia]]:
    """Yield each body with specified moments and positive mass, with its principal inertia."""
    for model in world.models:
        for body in model.bodies:
            inertia = context.principal_inertia(body)
            if inertia is not None and not is_massless(body):
                yield model, body, inertia


def largest_shape_distance(body: Body, context: CheckContext) -> float | None:
    """Return the largest distance of the shapes from the centre of mass [m], or None if it is unknown."""
    farthest = 0.0
    shapes: tuple[Visual | Collision, ...] = (*body.visuals, *body.collisions)
    for shape in shapes:
        around = context.radius_around(shape.geometry)
        if isinstance(shape.geometry, Plane) or around is None:
            return None
        distance = norm(subtract(shape.pose.position, body.inertial.center_of_mass))
        farthest = max(farthest, distance + around)
    return farthest if farthest > 0.0 and math.isfinite(farthest) else None
