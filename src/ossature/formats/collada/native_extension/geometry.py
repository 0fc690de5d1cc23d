"""Native extension of a geometry: shapes that COLLADA lacks, frames of meshes, and collision properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ossature.diagnostics import Report
from ossature.formats.collada.native_extension.codec import value_of
from ossature.formats.collada.native_extension.difference_encoding import own_fields, own_nodes, report_unreadable
from ossature.formats.collada.schema_common import ExtraElement
from ossature.model import (
    Box,
    Capsule,
    Collision,
    Cone,
    Cylinder,
    Ellipsoid,
    HeightField,
    LazyMesh,
    MeshData,
    MultiSphere,
    Plane,
    Pyramid,
    Sphere,
)
from ossature.spatial import IDENTITY, Pose

EXTRA = "geometry"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeNote:
    """The shape that a geometry represents, if its mesh does not define it.

    Attributes:
        pose: The frame of the shape in that of the geometry; the points of a mesh are expressed in the latter.
        shape: The shape, or None for the mesh.
        convex: Whether the mesh represents its convex hull.
    """

    pose: Pose = IDENTITY
    shape: Box | Sphere | Ellipsoid | Cylinder | Capsule | Cone | Pyramid | Plane | MultiSphere | HeightField | None = None
    convex: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GeometryNotes:
    """All native extensions of one geometry.

    Attributes:
        shape: The shape that it represents.
        collision: Overridden fields of the collision shape.
    """

    shape: ShapeNote = field(default_factory=ShapeNote)
    collision: Mapping[str, Any] = field(default_factory=dict)


def read_geometry_extension(extras: Iterable[ExtraElement], report: Report) -> GeometryNotes:
    """Return the native extensions of a geometry."""
    shape, collision = ShapeNote(), {}
    for node in own_nodes(extras, EXTRA):
        if node.tag == Collision.__name__:
            collision = own_fields(Collision, node, report)
            continue
        try:
            shape = value_of([ShapeNote], node)
        except ValueError as error:
            report_unreadable(error, node, report)
    return GeometryNotes(shape=shape, collision=collision)


def mesh_in_outer_frame(triangles: MeshData, pose: Pose) -> MeshData:
    """Return a mesh of an inner frame, expressed in the outer frame."""
    if pose == IDENTITY:
        return triangles
    matrix = pose.matrix()
    return MeshData(vertices=triangles.vertices @ matrix[:3, :3].T + matrix[:3, 3], faces=triangles.faces)


def mesh_in_inner_frame(surface: LazyMesh, pose: Pose) -> LazyMesh:
    """Return a mesh of a frame, expressed in an inner frame of it; it is transformed when it is used."""

    def fetch() -> MeshData:
        plain, matrix = surface.triangles, pose.matrix()
        return MeshData(vertices=np.ascontiguousarray((plain.vertices - matrix[:3, 3]) @ matrix[:3, :3]), faces=plain.faces)

    return surface if pose == IDENTITY else LazyMesh(fetch)
