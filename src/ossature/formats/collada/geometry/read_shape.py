"""Reads primitive shapes and geometries of COLLADA."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

import numpy as np

from ossature.array_types import Array
from ossature.formats.collada import rules
from ossature.formats.collada.convert_transforms import pose_of
from ossature.formats.collada.document_lookup import Item, extension
from ossature.formats.collada.geometry.read_mesh import hull_of, merge_meshes, transform_mesh
from ossature.formats.collada.geometry.schema import (
    ConvexMeshElement,
    GeometryElement,
    MeshElement,
    PolygonsElement,
    PolylistElement,
)
from ossature.formats.collada.materials.read import color_of
from ossature.formats.collada.native_extension.geometry import (
    GeometryNotes,
    ShapeNote,
    mesh_in_inner_frame,
    read_geometry_extension,
)
from ossature.formats.collada.openrave.schema import GeometryInfoElement
from ossature.formats.collada.physics.schema import (
    BoxElement,
    CapsuleElement,
    CylinderElement,
    CylinderZElement,
    PlaneElement,
    ShapeGeometry,
    SphereElement,
)
from ossature.formats.collada.read_context import ColladaReadContext
from ossature.formats.collada.sid_resolution import Scope, resolve_boolean
from ossature.model import Box, Capsule, Collision, Cylinder, Geometry, Plane, Rgba, Sphere, TriangleMesh, Visual
from ossature.spatial import IDENTITY, Pose, norm, quaternion_from_axis_angle, scale

Y_TO_Z = Pose(wxyz=quaternion_from_axis_angle((1.0, 0.0, 0.0), -math.pi / 2.0))
"""The rotation that maps z to y: the axis of cylinders is y in COLLADA, and z in the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapePart:
    """One shape of a geometry.

    Attributes:
        pose: Its pose in the frame of the geometry.
        visible: Whether it is rendered.
        collision: Fields of its collision from the Ossature extension.
    """

    geometry: Geometry
    pose: Pose = IDENTITY
    color: Rgba | None = None
    visible: bool = True
    collision: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of a geometry.

    Attributes:
        parts: Its shapes.
        frame: An additional frame of it, or None.
    """

    parts: tuple[ShapePart, ...]
    frame: Pose | None
    name: str | None


def read_geometry(item: Item, materials: Item | None, reading: ColladaReadContext) -> Content:
    """Return the shapes of a geometry.

    Args:
        materials: The materials that its instance binds, or None.
    """
    content = _read_geometry(item, materials, reading)
    notes = read_geometry_extension(item.element.extra, reading.report)
    return replace(content, parts=tuple([_apply_notes(part, notes) for part in content.parts]))


def _apply_notes(part: ShapePart, notes: GeometryNotes) -> ShapePart:
    """Return a part with the content of the Ossature extension."""
    note, geometry, pose = notes.shape, part.geometry, part.pose
    if note.shape is not None:
        geometry, pose = note.shape, note.pose
    elif isinstance(geometry, TriangleMesh) and note != ShapeNote():
        surface = mesh_in_inner_frame(geometry.surface, note.pose)
        geometry, pose = TriangleMesh(surface=surface, convex=geometry.convex or note.convex), note.pose
    return replace(part, geometry=geometry, pose=pose, collision=notes.collision)


def _read_geometry(item: Item, materials: Item | None, reading: ColladaReadContext) -> Content:
    element = item.element
    assert isinstance(element, GeometryElement)  # noqa: S101
    info = _geometry_info(element, reading)
    pose = pose_of(info.transforms, item.meter, reading.report) if info is not None else IDENTITY
    visible = info is None or resolve_boolean(info.visible, Scope(identifiers=frozenset()), (), reading.report) is not False
    if info is not None and info.shape is not None:
        shape = read_primitive(info.shape, item.meter, reading)
        if shape is not None:
            symbol = element.shape.primitives[0].material if element.shape and element.shape.primitives else None
            color = color_of(symbol, materials, reading)
            part = ShapePart(geometry=shape[0], pose=pose @ shape[1], color=color, visible=visible)
            return Content(parts=(part,), frame=None, name=element.name)
    parts = tuple([replace(part, visible=visible) for part in _read_mesh_parts(item, element, materials, reading)])
    return Content(parts=parts, frame=pose if pose != IDENTITY else None, name=element.name)


def _geometry_info(element: GeometryElement, reading: ColladaReadContext) -> GeometryInfoElement | None:
    for extra in element.extra:
        if extra.type == "geometry_info":
            return extension(extra, GeometryInfoElement, reading.report)
    return None


def _read_mesh_parts(
    item: Item, element: GeometryElement, materials: Item | None, reading: ColladaReadContext
) -> list[ShapePart]:
    mesh = element.shape
    name = f"{item.document.name}#{element.id or element.name or 'geometry'}"
    if isinstance(mesh, ConvexMeshElement):
        return _read_convex_part(item, mesh, name, materials, reading)
    if mesh is None:
        return []
    if any(isinstance(primitive, PolylistElement | PolygonsElement) for primitive in mesh.primitives):
        reading.report.add(rules.TRIANGULATED_POLYGONS, f"'{element.id}': polygons are triangulated as fans", mesh.location())
    return [
        ShapePart(
            geometry=TriangleMesh(surface=reading.surface(mesh, primitive, item.meter, name)),
            color=color_of(primitive.material, materials, reading),
        )
        for primitive in mesh.primitives
    ]


def _read_convex_part(
    item: Item, mesh: ConvexMeshElement, name: str, materials: Item | None, reading: ColladaReadContext
) -> list[ShapePart]:
    """Return the convex hull of a mesh or of another geometry; that of its points if it has no faces."""
    source: MeshElement = mesh
    if mesh.convex_hull_of:
        found = reading.documents.find(mesh.convex_hull_of, GeometryElement, item.document, mesh)
        if found is None or isinstance(found.element.shape, ConvexMeshElement | None):
            return []
        item, source = found, found.element.shape
    if not source.primitives:
        return [ShapePart(geometry=TriangleMesh(surface=hull_of(source, item.meter, reading.report.budget, name), convex=True))]
    reading.report.budget.add_expansions(len(source.primitives), mesh.location())
    surface = merge_meshes([reading.surface(source, primitive, item.meter, name) for primitive in source.primitives])
    color = color_of(source.primitives[0].material, materials, reading)
    return [ShapePart(geometry=TriangleMesh(surface=surface, convex=True), color=color)]


def merge_face_groups(shapes: Sequence[Geometry]) -> Geometry | None:
    """Return the groups of faces of one mesh as one mesh, as it collides: a group alone may have no volume.

    Returns None if a shape is not a mesh, or only some are convex.
    """
    meshes = [shape for shape in shapes if isinstance(shape, TriangleMesh)]
    if len(meshes) < len(shapes) or len({mesh.convex for mesh in meshes}) != 1:
        return None
    return meshes[0] if len(meshes) == 1 else replace(meshes[0], surface=merge_meshes([mesh.surface for mesh in meshes]))


def collision_parts(parts: Sequence[ShapePart]) -> tuple[ShapePart, ...]:
    """Return the shapes of a geometry as they collide: all groups of faces of a mesh are one shape."""
    mesh = merge_face_groups([part.geometry for part in parts])
    return tuple(parts) if mesh is None else (replace(parts[0], geometry=mesh),)


def collisions_of_visuals(visuals: Sequence[Visual], enabled: bool) -> tuple[Collision, ...]:
    """Return the collision shapes of a body without other ones: its visual shapes."""
    collisions: list[Collision] = []
    for _, group in groupby(visuals, lambda visual: (visual.origin, visual.name, visual.pose)):
        same_mesh = list(group)
        mesh = merge_face_groups([visual.geometry for visual in same_mesh])
        shapes = [visual.geometry for visual in same_mesh] if mesh is None else [mesh]
        first = same_mesh[0]
        collisions += [
            Collision(geometry=shape, pose=first.pose, enabled=enabled, name=first.name, origin=first.origin)
            for shape in shapes
        ]
    return tuple(collisions)


def read_primitive(element: ShapeGeometry, meter: float, reading: ColladaReadContext) -> tuple[Geometry, Pose] | None:
    """Return a primitive shape and its pose in the frame of its element, or None if dimensions are missing."""
    shape = _SHAPES[type(element)](element, meter)
    radius = element.radius if isinstance(element, CylinderElement) else None
    if radius is not None and len(set(radius)) > 1:
        reading.report.add(
            rules.ELLIPTIC_CYLINDER, f"the radii {radius[0]:g} and {radius[1]:g} differ: the first is used", element.location()
        )
    return shape


def _read_box(element: BoxElement, meter: float) -> tuple[Geometry, Pose] | None:
    return None if element.half_extents is None else (Box(size=scale(element.half_extents, 2.0 * meter)), IDENTITY)


def _read_sphere(element: SphereElement, meter: float) -> tuple[Geometry, Pose] | None:
    return None if element.radius is None else (Sphere(radius=element.radius * meter), IDENTITY)


def _read_cylinder(element: CylinderElement, meter: float) -> tuple[Geometry, Pose] | None:
    if element.height is None or not element.radius:
        return None
    kind = Capsule if isinstance(element, CapsuleElement) else Cylinder
    pose = IDENTITY if isinstance(element, CylinderZElement) else Y_TO_Z
    return kind(radius=element.radius[0] * meter, length=element.height * meter), pose


def _read_plane(element: PlaneElement, meter: float) -> tuple[Geometry, Pose] | None:
    if element.equation is None:
        return None
    a, b, c, d = element.equation
    length = norm((a, b, c))
    if not length > 0.0:
        return None
    return Plane(normal=scale((a, b, c), 1.0 / length), offset=-d * meter / length), IDENTITY


_SHAPES: dict[type[Any], Callable[[Any, float], tuple[Geometry, Pose] | None]] = {
    BoxElement: _read_box,
    SphereElement: _read_sphere,
    CylinderElement: _read_cylinder,
    CylinderZElement: _read_cylinder,
    CapsuleElement: _read_cylinder,
    PlaneElement: _read_plane,
}


def transform_shape(geometry: Geometry, pose: Pose, linear: Array) -> tuple[Geometry, Pose] | None:
    """Return a shape with a 3×3 matrix applied in its reference frame, or None if the result is not representable."""
    if isinstance(geometry, TriangleMesh):
        matrix = linear @ pose.matrix()[:3, :3]
        moved = linear @ np.array(pose.position)
        position = (float(moved[0]), float(moved[1]), float(moved[2]))
        return replace(geometry, surface=transform_mesh(geometry.surface, matrix, "a scaled mesh")), Pose(position)
    factor = abs(float(linear[0, 0]))
    if np.abs(linear - np.diag(np.diag(linear))).max() > 1e-12 * factor:
        return None
    factors = [abs(float(value)) for value in np.diag(linear)]
    position = scale(pose.position, 1.0)
    new_position = tuple(value * float(part) for value, part in zip(position, np.diag(linear), strict=True))
    new_pose = Pose((new_position[0], new_position[1], new_position[2]), pose.wxyz)
    if isinstance(geometry, Box) and pose.wxyz == IDENTITY.wxyz:
        x, y, z = (size * part for size, part in zip(geometry.size, factors, strict=True))
        return Box(size=(x, y, z)), new_pose
    if max(factors) - min(factors) > 1e-12 * max(factors):
        return None
    match geometry:
        case Box(size=size):
            return Box(size=scale(size, factor)), new_pose
        case Sphere(radius=radius):
            return Sphere(radius=radius * factor), new_pose
        case Cylinder(radius=radius, length=length):
            return Cylinder(radius=radius * factor, length=length * factor), new_pose
        case Capsule(radius=radius, length=length):
            return Capsule(radius=radius * factor, length=length * factor), new_pose
    return None
