"""A joint, shape or centre of mass is much farther away than the shapes of the model are large."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ossature.checks._field_locations import field_location
from ossature.checks.context import CheckContext
from ossature.diagnostics import Location, Report, Rule
from ossature.model import Body, Collision, Model, Plane, Visual, World
from ossature.spatial import norm, subtract

RULE = Rule.warning(
    "implausible-distance",
    "MDL091",
    "A joint, shape or centre of mass is much farther away than the shapes of the model are large.",
    "Usual reasons are an origin in millimetres and a misplaced decimal point. The distance is that from the frame of the "
    "parent body, or of the body. Positions are in metres; correct the position.",
)
_RATIO = 100.0
_LEAST = 5.0
"""Smaller distances are plausible for any robot [m]."""
_LEAST_WITHOUT_SIZES = 50.0
"""The same if the size of no shape is known [m]."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report distances above a hundred times the median size of shapes."""
    for model in world.models:
        if model.static or not model.joints:
            continue
        sizes = [size for size in _sizes(model, context) if size > 0.0]
        largest = max(_RATIO * median(sizes), _LEAST) if sizes else _LEAST_WITHOUT_SIZES
        for what, distance, location, path in _distances(model):
            if distance > largest:
                compared = f", {distance / median(sizes):.0f} times the median radius of the shapes" if sizes else ""
                report.add(
                    RULE,
                    f"{what} has a distance of {distance:.6g} m{compared}",
                    location,
                    path=f"{model.name}/{path}",
                    hint=f"if millimetres are meant: {distance / 1000.0:.6g} m",
                )


def _shapes_of(body: Body) -> tuple[Visual | Collision, ...]:
    return (*body.visuals, *body.collisions)


def _sizes(model: Model, context: CheckContext) -> Iterator[float]:
    for body in model.bodies:
        for shape in _shapes_of(body):
            if not isinstance(shape.geometry, Plane):
                yield context.radius_around(shape.geometry) or 0.0


def _distances(model: Model) -> Iterator[tuple[str, float, Location | None, str]]:
    """Yield what is at a distance from its frame, the distance [m], the location of its position, and its path."""
    for joint in model.joints:
        parent = model.bodies.get(joint.parent) if joint.parent is not None else None
        child = model.bodies.get(joint.child)
        if parent is not None and child is not None:
            distance = norm(subtract(child.pose.position, parent.pose.position))
            yield f"joint '{joint.name}'", distance, field_location(joint.origin, "pose"), joint.name
    for body in model.bodies:
        for shape in _shapes_of(body):
            if not isinstance(shape.geometry, Plane):
                location = field_location(shape.origin, "pose")
                yield f"a shape of body '{body.name}'", norm(shape.pose.position), location, body.name
        location = field_location(body.origin, "center_of_mass")
        yield f"the centre of mass of body '{body.name}'", norm(body.inertial.center_of_mass), location, body.name
