"""Coefficients of contact friction, and their ranks as priorities of geoms."""

from __future__ import annotations

from ossature.model import Material, World

DEFAULT_FRICTION = 0.8
"""Coefficient of friction of a material that does not specify one: Chrono's default."""


def friction_of(material: Material) -> float:
    """Return the coefficient of friction of a material."""
    return DEFAULT_FRICTION if material.friction is None else material.friction


def contact_dimension(material: Material) -> int:
    """Return the engine's dimension of contacts with a material: 4 with friction against turning, 6 against rolling too."""
    if material.rolling_friction:
        return 6
    return 4 if material.torsional_friction else 3


def friction_ranks(world: World) -> dict[float, int]:
    """Return the rank of each coefficient of friction of the World's materials: 1 for the largest.

    The engine uses the friction of the geom of higher priority. With these ranks as priorities it uses the smaller of two
    coefficients, as Chrono does.
    """
    bodies = [body for model in world.models for body in model.bodies]
    shapes = [shape for body in bodies for shape in (*body.collisions, *(body.self_collisions or ()))]
    coefficients = sorted({friction_of(shape.material) for shape in shapes if shape.material is not None}, reverse=True)
    return {friction: rank + 1 for rank, friction in enumerate(coefficients)}
