"""The mass of a body does not fit the volume of its shapes."""

from __future__ import annotations

import math

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Body, Model, World

RULE = Rule.warning(
    "implausible-density",
    "MDL090",
    "The mass of a body does not fit the volume of its shapes.",
    "The body would be denser than any metal even if it filled the smallest sphere about its centre of mass that contains all "
    "shapes, or, if it filled its shapes, lighter than air. Usual reasons are a mass in grams, lengths in millimetres, and "
    "placeholders. Correct the mass, or the sizes of the shapes.",
)
_DENSEST = 22_590.0
"""Density of osmium [kg/m³]."""
_LIGHTEST = 0.9
"""Three quarters of the density of air [kg/m³]."""
_DEFAULT_MASS = 1.0
"""The mass of bodies that state none in many formats, and of many examples [kg]."""
_LEAST_SIZE = 0.01
"""Smaller shapes are placeholders [m]."""
_LARGEST_SIZE = 1e6
"""Larger shapes are reported by other rules [m]."""
_LEAST_MASS = 1e-3
"""Smaller masses are placeholders of links that have a frame only [kg]."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report moving bodies that are denser than any metal or lighter than air."""
    for model in world.models:
        moving = context.moving_bodies(model)
        for body in model.bodies:
            if body.name in moving and body.inertial.mass >= _LEAST_MASS:
                _check_body(model, body, report, context)


def _check_body(model: Model, body: Body, report: Report, context: CheckContext) -> None:
    mass, size = body.inertial.mass, context.largest_shape_distance(body)
    if size is None or not _LEAST_SIZE <= size <= _LARGEST_SIZE:
        return
    sphere, solid = 4.0 / 3.0 * math.pi * size**3, _largest_volume(body, context)
    if mass > _DENSEST * sphere:
        density = f"{mass / sphere:.3g} kg/m³ in a sphere of radius {size:.3g} m about all of its shapes"
    elif mass < _LIGHTEST * solid and mass != _DEFAULT_MASS:
        density = f"{mass / solid:.3g} kg/m³ for the volume of its shapes"
    else:
        return
    report.add(
        RULE,
        f"body '{body.name}' has a mass of {mass:g} kg, which is {density}",
        field_location(body.origin, "mass"),
        path=f"{model.name}/{body.name}",
        hint="masses are in kilograms, lengths in metres",
    )


def _largest_volume(body: Body, context: CheckContext) -> float:
    """Return the volume of the visual or collision shapes, whichever is larger [m³]; meshes that are not opened have none."""
    return max(sum(context.volume(shape.geometry) for shape in shapes) for shapes in (body.visuals, body.collisions))
