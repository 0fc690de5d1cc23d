"""Capsules in URDF: readers of version 1.0 reject the robot or leave the shape out, so cylinders and spheres are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from ossature.diagnostics.ledger import Ledger
from ossature.formats.format import WriteContext
from ossature.formats.urdf.passthrough import ATTRIBUTE_MARK, FORMAT
from ossature.model import Body, Capsule, Collision, Cylinder, Model, Sphere, Visual, World
from ossature.model.value_text import value_text
from ossature.spatial import Pose

ShapeT = TypeVar("ShapeT", bound=Visual | Collision)

VERSION_KEY = f"{ATTRIBUTE_MARK}version"


def expand_capsules(world: World, context: WriteContext) -> World:
    """Return a World in which each capsule is a cylinder and two spheres, but in robots that state a version with capsules.

    The spheres follow the other shapes of the body, so that the indices of those stay.
    """
    return replace(world, models=world.models.map(lambda model: _expand_model(model, context.ledger)))


def _expand_model(model: Model, ledger: Ledger) -> Model:
    if _has_capsules(model):
        return model

    def expanded(body: Body) -> Body:
        path = f"{model.name}/{body.name}"
        visuals = _expand(body.visuals, f"{path}.visuals", ledger)
        return replace(body, visuals=visuals, collisions=_expand(body.collisions, f"{path}.collisions", ledger))

    return replace(model, bodies=model.bodies.map(expanded))


def _has_capsules(model: Model) -> bool:
    """Whether the URDF file of a model states a version that has capsules."""
    specified = [one.value for one in model.extensions if (one.format, one.key) == (FORMAT, VERSION_KEY)]
    return bool(specified) and has_capsules(specified[0])


def has_capsules(version: str) -> bool:
    """Whether a version of URDF has capsules: 1.1 and later."""
    numbers = version.strip().split(".")
    return all(number.isdecimal() for number in numbers) and [int(number) for number in numbers] >= [1, 1]


def _expand(shapes: Sequence[ShapeT], path: str, ledger: Ledger) -> tuple[ShapeT, ...]:
    parts = [_parts(shape) for shape in shapes]
    for index, (shape, found) in enumerate(zip(shapes, parts, strict=True)):
        if found[0] is not shape:
            detail = "URDF 1.0 has no capsule: written as shapes that form the same solid"
            after = "a cylinder and two spheres" if len(found) > 1 else "a sphere"
            ledger.rewritten(f"{path}[{index}]", detail, before=value_text(shape.geometry), after=after, location=shape.origin)
    spheres = [sphere for found in parts for sphere in found[1:]]
    if spheres:
        ledger.rewritten(path, f"the {len(spheres)} spheres of capsules are the last shapes of the body")
    return (*[found[0] for found in parts], *spheres)


def _parts(shape: ShapeT) -> list[ShapeT]:
    """Return the shapes of URDF 1.0 that form the solid of a shape; itself if it is not a capsule."""
    capsule = shape.geometry
    if not isinstance(capsule, Capsule):
        return [shape]
    sphere = replace(shape, geometry=Sphere(radius=capsule.radius))
    if capsule.length == 0.0:
        return [sphere]
    half = 0.5 * capsule.length
    cylinder = replace(shape, geometry=Cylinder(radius=capsule.radius, length=capsule.length))
    return [cylinder, _moved(sphere, half), _moved(sphere, -half)]


def _moved(shape: ShapeT, height: float) -> ShapeT:
    """Return an unnamed shape moved along its z axis [m]."""
    return replace(shape, pose=shape.pose @ Pose(position=(0.0, 0.0, height)), name=None)
