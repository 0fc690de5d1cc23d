"""Shapes, contact properties and materials of SDFormat."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ossature.diagnostics import Report
from ossature.formats.sdf import rules, schema_shapes
from ossature.formats.sdf.schema import SdfCollisionElement, SdfVisualElement
from ossature.model import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Material, Mesh, Plane, Rgba, Sphere
from ossature.spatial import unit
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode


def read_geometry(owner: SdfVisualElement | SdfCollisionElement, folder: Path | None, report: Report) -> Geometry | None:
    """Return the shape of a visual or collision, or None with a finding if it has none that can be represented.

    Args:
        folder: The folder of the main file; None leaves relative paths of meshes unchanged.
    """
    element = owner.geometry
    if element is not None and element.polyline:
        _unsupported(element.polyline[0], report)
        return None
    if element is None or element.shape is None:
        kind = "visual" if isinstance(owner, SdfVisualElement) else "collision"
        message = f"{kind} '{owner.name}' has no shape: it is ignored"
        report.add(rules.MISSING_SHAPE, message, owner.location(), hint=f"valid: {', '.join(schema_shapes.SHAPES)}")
        return None
    if isinstance(element.shape, schema_shapes.SdfMeshElement):
        mesh = _read_mesh(element.shape, folder, report)
        is_hull = isinstance(owner, SdfCollisionElement) and element.shape.optimization == "convex_hull"
        return mesh if mesh is None or not is_hull else replace(mesh, convex=True)
    return _READERS[type(element.shape)](element.shape, report)


def _read_ellipsoid(element: schema_shapes.SdfEllipsoidElement, report: Report) -> Ellipsoid:
    x, y, z = element.radii
    return Ellipsoid(diameters=(2.0 * x, 2.0 * y, 2.0 * z))


def _read_plane(element: schema_shapes.SdfPlaneElement, report: Report) -> Plane:
    try:
        return Plane(normal=unit(element.normal))
    except ValueError:
        report.add(rules.ZERO_AXIS, "the normal of the plane is zero: using 0 0 1", element.location("normal"))
        return Plane()


def _read_mesh(element: schema_shapes.SdfMeshElement, folder: Path | None, report: Report) -> Mesh | None:
    if element.uri is None:
        return None
    if element.submesh is not None:
        name = element.submesh.name or ""
        message = f"the part '{name}' of the mesh is not selected: the whole mesh is read"
        report.add(rules.UNSUPPORTED_SHAPE, message, element.submesh.location(), hint="write the part to a file of its own")
    return Mesh(uri=_absolute_uri(element.uri, element.node, folder), scale=element.scale)


def _absolute_uri(uri: str, node: Any, folder: Path | None) -> str:
    """Return a URI, or the absolute path that is relative to the file that states it."""
    if not uri or folder is None or "://" in uri or Path(uri).is_absolute():
        return uri
    file = node.source.name if isinstance(node, XmlNode) else ""
    return os.path.normpath((Path(file).parent if Path(file).is_absolute() else folder) / uri)


def _unsupported(element: Element, report: Report) -> None:
    node = element.node
    tag = node.tag if isinstance(node, XmlNode) else "shape"
    report.add(rules.UNSUPPORTED_SHAPE, f"<{tag}> cannot be represented: the shape is ignored", element.location())


_READERS: dict[type[Element], Callable[[Any, Report], Geometry | None]] = {
    schema_shapes.SdfBoxElement: lambda element, _: Box(size=element.size),
    schema_shapes.SdfSphereElement: lambda element, _: Sphere(radius=element.radius),
    schema_shapes.SdfCylinderElement: lambda element, _: Cylinder(radius=element.radius, length=element.length),
    schema_shapes.SdfCapsuleElement: lambda element, _: Capsule(radius=element.radius, length=element.length),
    schema_shapes.SdfConeElement: lambda element, _: Cone(radius=element.radius, length=element.length),
    schema_shapes.SdfEllipsoidElement: _read_ellipsoid,
    schema_shapes.SdfPlaneElement: _read_plane,
    schema_shapes.UnsupportedShapeElement: _unsupported,
    schema_shapes.EmptyShapeElement: lambda element, _: None,
}


def read_color(element: schema_shapes.SdfMaterialElement | None, transparency: float) -> Rgba | None:
    """Return the colour of a material, or None if it states none."""
    color = None if element is None else _specified_color(element)
    if color is None or not transparency:
        return color
    red, green, blue, opacity = color
    return red, green, blue, opacity * max(0.0, 1.0 - transparency)


def _specified_color(element: schema_shapes.SdfMaterialElement) -> Rgba | None:
    for specified in (element.diffuse, element.ambient):
        if specified is not None:
            red, green, blue, opacity = (*specified, 1.0)[:4]
            return red, green, blue, opacity
    return GAZEBO_COLORS.get(element.script.name or "") if element.script is not None else None


def read_material(element: schema_shapes.SurfaceElement | None) -> Material | None:
    """Return the contact properties of a surface, or None if it states none that can be represented."""
    if element is None:
        return None
    friction, bounce, contact = element.friction, element.bounce, element.contact
    ode, bullet = (friction.ode, friction.bullet) if friction is not None else (None, None)
    modulus = contact.elastic_modulus if contact is not None else None
    material = Material(
        friction=_first([ode.mu if ode is not None else None, bullet.friction if bullet is not None else None]),
        rolling_friction=bullet.rolling_friction if bullet is not None else None,
        restitution=bounce.restitution_coefficient if bounce is not None else None,
        young_modulus=modulus if modulus is not None and modulus > 0.0 else None,
        poisson_ratio=contact.poissons_ratio if contact is not None else None,
    )
    return None if material == Material() else material


def _first(values: Sequence[float | None]) -> float | None:
    return next((value for value in values if value is not None), None)


GAZEBO_COLORS: Mapping[str, Rgba] = {
    "Gazebo/Grey": (0.7, 0.7, 0.7, 1.0),
    "Gazebo/Gray": (0.7, 0.7, 0.7, 1.0),
    "Gazebo/DarkGrey": (0.175, 0.175, 0.175, 1.0),
    "Gazebo/DarkGray": (0.175, 0.175, 0.175, 1.0),
    "Gazebo/White": (1.0, 1.0, 1.0, 1.0),
    "Gazebo/FlatBlack": (0.1, 0.1, 0.1, 1.0),
    "Gazebo/Black": (0.0, 0.0, 0.0, 1.0),
    "Gazebo/Red": (1.0, 0.0, 0.0, 1.0),
    "Gazebo/Green": (0.0, 1.0, 0.0, 1.0),
    "Gazebo/Blue": (0.0, 0.0, 1.0, 1.0),
    "Gazebo/Yellow": (1.0, 1.0, 0.0, 1.0),
    "Gazebo/Purple": (1.0, 0.0, 1.0, 1.0),
    "Gazebo/Turquoise": (0.0, 1.0, 1.0, 1.0),
    "Gazebo/Orange": (1.0, 0.5088, 0.0468, 1.0),
    "Gazebo/Gold": (0.8, 0.6487, 0.12, 1.0),
}
