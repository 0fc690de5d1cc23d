"""Reader of the visual, collision and soft shapes of SKEL bodies."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ossature import model
from ossature.diagnostics import Report
from ossature.formats.skel import rules, schema
from ossature.formats.skel.convert_pose import read_direction, read_pose
from ossature.spatial import dot
from ossature.syntax import rules as syntax_rules
from ossature.syntax.schema import Element

_DEFAULT_SUBDIVISION = 8


def read_visual(element: schema.VisualizationShapeElement, report: Report, folder: Path | None) -> model.Visual | None:
    """Return the visual shape, or None if it has no valid geometry."""
    geometry = _read_geometry(element, report, folder)
    if geometry is None:
        return None
    return model.Visual(
        geometry=geometry,
        pose=read_pose(element, report),
        color=_read_color(element, report),
        origin=element.location(),
    )


def read_collision(
    element: schema.CollisionShapeElement, enabled: bool, report: Report, folder: Path | None
) -> model.Collision | None:
    """Return the collision shape, or None if it has no valid geometry."""
    geometry = _read_geometry(element, report, folder)
    if geometry is None:
        return None
    return model.Collision(
        geometry=geometry,
        pose=read_pose(element, report),
        enabled=element.collidable and enabled,
        origin=element.location(),
    )


def read_soft_skin(element: schema.SoftShapeElement, report: Report) -> model.SoftSkin | None:
    """Return the deformable surface, or None if it has no valid geometry."""
    shape = element.geometry.shape if element.geometry is not None else None
    if shape is None:
        return None
    geometry = _READERS[type(shape)](shape, report, None)
    assert isinstance(geometry, model.Box | model.Ellipsoid | model.Sphere | model.Cylinder)  # the schema allows no other  # noqa: S101
    return model.SoftSkin(
        geometry=geometry,
        pose=read_pose(element, report),
        mass=element.total_mass,
        vertex_stiffness=element.kv,
        edge_stiffness=element.ke,
        damping=element.damp,
        subdivisions=_read_subdivisions(shape, report),
        origin=element.location(),
    )


def _read_geometry(
    element: schema.VisualizationShapeElement | schema.CollisionShapeElement, report: Report, folder: Path | None
) -> model.Geometry | None:
    shape = element.geometry.shape if element.geometry is not None else None
    if shape is None:
        return None
    reader = _READERS[type(shape)]
    if type(shape) in _SUBDIVISION_FIELDS:
        _report_soft_shape_fields(shape, report)
    return reader(shape, report, folder)


def _report_soft_shape_fields(shape: Element, report: Report) -> None:
    for name in ("frags", "num_slices", "num_stacks", "num_rings"):
        if getattr(shape, name, None) is not None:
            report.add(
                rules.IGNORED_ELEMENT, f"<{name}> applies to soft shapes only; this shape is rigid", shape.location(name)
            )


def _read_color(element: schema.VisualizationShapeElement, report: Report) -> model.Rgba | None:
    color = element.color
    if color is None:
        return None
    if len(color) == 3:
        return (color[0], color[1], color[2], 1.0)
    if len(color) == 4:
        return (color[0], color[1], color[2], color[3])
    report.add(
        syntax_rules.LIST_LENGTH_MISMATCH,
        f"<color> has {len(color)} numbers",
        element.location("color"),
        hint="3 or 4 numbers: red, green, blue and optionally opacity",
    )
    return None


def _read_plane(element: schema.SkelPlaneElement, report: Report, folder: Path | None) -> model.Plane:
    normal = read_direction(element.normal, (0.0, 0.0, 1.0), "<normal>", element.location("normal"), report)
    offset = element.offset
    if offset is None:
        offset = dot(normal, element.point) if element.point is not None else 0.0
    elif element.point is not None:
        report.add(rules.CONFLICTING_VALUES, "the plane has <offset> and <point>: using the offset", element.location("point"))
    return model.Plane(normal=normal, offset=offset)


def _read_multi_sphere(element: schema.MultiSphereElement, report: Report, folder: Path | None) -> model.MultiSphere:
    if not element.sphere:
        report.add(syntax_rules.MISSING_ELEMENT, "<multi_sphere> has no <sphere>", element.location(), hint="add two or more")
    return model.MultiSphere(balls=tuple([model.Ball(radius=ball.radius, position=ball.position) for ball in element.sphere]))


def _read_mesh(element: schema.SkelMeshElement, report: Report, folder: Path | None) -> model.Mesh | None:
    if element.file_name is None:
        return None
    return model.Mesh(uri=_absolute_uri(element.file_name, folder), scale=element.scale)


def _absolute_uri(uri: str, folder: Path | None) -> str:
    if not uri or folder is None or "://" in uri or Path(uri).is_absolute():
        return uri
    return os.path.normpath(folder / uri)


def _read_subdivisions(shape: Any, report: Report) -> tuple[int, ...] | None:
    if isinstance(shape, schema.SkelBoxElement):
        return None if shape.frags is None else tuple(int(count) for count in shape.frags)
    names = _SUBDIVISION_FIELDS[type(shape)]
    counts = [getattr(shape, name) for name in names]
    if all(count is None for count in counts):
        return None
    for name, count in zip(names, counts, strict=True):
        if count is None:
            report.add(syntax_rules.DEFAULT_USED, f"no <{name}>: using {_DEFAULT_SUBDIVISION}", shape.location())
    return tuple([_DEFAULT_SUBDIVISION if count is None else count for count in counts])


_SUBDIVISION_FIELDS: dict[type[Element], tuple[str, ...]] = {
    schema.SkelBoxElement: ("frags",),
    schema.SkelSphereElement: ("num_slices", "num_stacks"),
    schema.EllipsoidElement: ("num_slices", "num_stacks"),
    schema.SkelCylinderElement: ("num_slices", "num_stacks", "num_rings"),
}

_READERS: dict[type[Element], Callable[[Any, Report, Path | None], model.Geometry | None]] = {
    schema.SkelBoxElement: lambda element, report, folder: model.Box(size=element.size),
    schema.SkelSphereElement: lambda element, report, folder: model.Sphere(radius=element.radius),
    schema.EllipsoidElement: lambda element, report, folder: model.Ellipsoid(diameters=element.size),
    schema.SkelCylinderElement: lambda element, report, folder: model.Cylinder(radius=element.radius, length=element.height),
    schema.SkelCapsuleElement: lambda element, report, folder: model.Capsule(radius=element.radius, length=element.height),
    schema.ConeElement: lambda element, report, folder: model.Cone(radius=element.radius, length=element.height),
    schema.PyramidElement: lambda element, report, folder: model.Pyramid(
        base_width=element.base_width, base_depth=element.base_depth, height=element.height
    ),
    schema.SkelPlaneElement: _read_plane,
    schema.MultiSphereElement: _read_multi_sphere,
    schema.SkelMeshElement: _read_mesh,
}
