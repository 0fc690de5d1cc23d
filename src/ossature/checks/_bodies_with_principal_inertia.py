"""Iteration over the principal inertias of bodies."""

from __future__ import annotations

from collections.abc import Iterator

from ossature.checks.context import CheckContext
from ossature.kinematics import is_massless
from ossature.kinematics.principal_inertia import PrincipalInertia
from ossature.model import Body, Model, World


def principal_inertias(world: World, context: CheckContext) -> Iterator[tuple[Model, Body, PrincipalInertia]]:
    """Yield each body with specified moments and positive mass, with its principal inertia."""
    for model in world.models:
        for body in model.bodies:
            inertia = context.principal_inertia(body)
            if inertia is not None and not is_massless(body):
                yield model, body, inertia
