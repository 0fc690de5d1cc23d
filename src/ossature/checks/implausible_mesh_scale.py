"""The size of a mesh does not fit the robot."""

from __future__ import annotations

from ossature.checks._field_locations import field_location
from ossature.checks._shapes_and_sizes import shapes
from ossature.checks.context import CheckContext
from ossature.diagnostics import Report, Rule
from ossature.model import Mesh, Model, World
from ossature.spatial import norm, subtract

RULE = Rule.warning(
    "implausible-mesh-scale",
    "MDL092",
    "A mesh is much larger or smaller than the robot.",
    "The usual reason is a mesh in millimetres without the scale 0.001, or one in metres with it. The size of the robot is the "
    "sum of the distances between bodies that joints connect. Only `ossature check --meshes` opens meshes. Correct the scale "
    "of the mesh.",
)
_LARGEST, _SMALLEST = 30.0, 1.0 / 3000.0
"""Ratios of the radius of a mesh to the size of the robot beyond which its scale is implausible."""


def check(world: World, report: Report, context: CheckContext) -> None:
    """Report meshes that are much larger or smaller than the robot, if meshes are opened."""
    if not context.opens_meshes:
        return
    sizes = {model.name: _robot_size(model) for model in world.models}
    for path, shape in shapes(world):
        if not isinstance(shape.geometry, Mesh):
            continue
        size, radius = sizes.get(path.partition("/")[0], 0.0), context.radius_around(shape.geometry)
        if size > 0.0 and radius is not None and not _SMALLEST * size <= radius <= _LARGEST * size:
            report.add(
                RULE,
                f"mesh '{shape.geometry.uri}' has a radius of {radius:.3g} m, but the robot has a size of {size:.3g} m",
                field_location(shape.origin, "scale"),
                path=path,
                hint="scale meshes in millimetres by 0.001",
            )


def _robot_size(model: Model) -> float:
    """Return the sum of the distances between bodies that joints connect [m]."""
    pairs = [(model.bodies.get(joint.parent or ""), model.bodies.get(joint.child)) for joint in model.joints]
    return sum(norm(subtract(child.pose.position, parent.pose.position)) for parent, child in pairs if parent and child)
