"""Writes shapes as geometries: triangles, the primitive shape of OpenRAVE, and the Ossature extension."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ossature.assets import AssetError
from ossature.diagnostics.ledger import Ledger
from ossature.formats.collada.geometry.read_shape import Y_TO_Z
from ossature.formats.collada.geometry.schema import (
    AccessorElement,
    AccessorParamElement,
    FloatArrayElement,
    GeometryElement,
    InputElement,
    MeshElement,
    NumbersElement,
    SourceElement,
    SourceTechniqueElement,
    TrianglesElement,
    VerticesElement,
)
from ossature.formats.collada.native_extension.codec import node_of
from ossature.formats.collada.native_extension.difference_encoding import (
    STORED_IN_EXTENSION,
    make_extra,
    own_extras,
    technique_node,
)
from ossature.formats.collada.native_extension.geometry import EXTRA, ShapeNote, mesh_in_outer_frame
from ossature.formats.collada.openrave.schema import PROFILE, GeometryInfoElement
from ossature.formats.collada.physics.schema import (
    BoxElement,
    CapsuleElement,
    CylinderElement,
    PlaneElement,
    ShapeGeometry,
    SphereElement,
)
from ossature.formats.collada.schema_common import ExtraElement, ValueElement
from ossature.formats.collada.write_context import ColladaWriteContext, transforms_of
from ossature.model import Box, Capsule, Cylinder, Geometry, Mesh, MeshData, Plane, Sphere, TriangleMesh
from ossature.model.tessellation import tessellate
from ossature.model.value_text import kind_text
from ossature.spatial import IDENTITY, Pose, norm, scale
from ossature.syntax import xml
from ossature.syntax.number_arrays import text_of
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind

SYMBOL = "mat0"
"""The symbol to which instances bind the material of a geometry."""
_UNIT = 1e-12  # tolerance of the length of a normal


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenShape:
    """A shape of a body.

    Attributes:
        pose: Its pose in the body frame.
        visible: Whether it is rendered.
        note: The Ossature extension of its collision, or None.
    """

    geometry: Geometry
    pose: Pose = IDENTITY
    name: str | None = None
    visible: bool = True
    note: XmlNode | None = None


@dataclass(slots=True)
class Geometries:
    """The geometries of a document: one for all equal shapes of a body.

    Attributes:
        written: The identifier of each written geometry, None for shapes that cannot be written.
    """

    writing: ColladaWriteContext
    written: dict[Any, str | None] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)

    def identifier(self, shape: WrittenShape, prefix: str, path: str) -> str | None:
        """Return the identifier of the geometry of a shape, or None with a ledger entry if it cannot be written.

        Args:
            prefix: The prefix of identifiers of new geometries.
            path: Its path in the model, for the ledger.
        """
        note = None if shape.note is None else xml.compact(shape.note)
        key = (prefix, _geometry_key(shape.geometry), shape.pose.position, shape.pose.wxyz, shape.name, shape.visible, note)
        if key not in self.written:
            self.written[key] = self._write_geometry(shape, prefix, path)
            self._counts[prefix] += 1
        return self.written[key]

    def _write_geometry(self, shape: WrittenShape, prefix: str, path: str) -> str | None:
        triangles = _find_triangles(shape.geometry, path, self.writing.ledger)
        if triangles is None:
            return None
        identifier = f"{prefix}_geom{self._counts[prefix]}"
        element = GeometryElement(
            id=identifier,
            name=shape.name,
            shape=_mesh_element(mesh_in_outer_frame(triangles, shape.pose), identifier),
            extra=(*_info_extras(shape), *_native_extras(shape, path, self.writing.ledger)),
        )
        self.writing.define("library_geometries", element)
        return identifier


def _geometry_key(geometry: Geometry) -> Any:
    # Comparing two surfaces would load the triangles of both.
    return (id(geometry.surface), geometry.convex) if isinstance(geometry, TriangleMesh) else geometry


def _find_triangles(geometry: Geometry, path: str, ledger: Ledger) -> MeshData | None:
    if isinstance(geometry, Mesh):
        ledger.dropped(path, f"the mesh {geometry.uri} is not loaded, and COLLADA cannot refer to mesh files")
        return None
    if not isinstance(geometry, TriangleMesh):
        return _tessellate(geometry, path, ledger)
    try:
        triangles = geometry.surface.triangles
    except AssetError as error:
        ledger.dropped(path, f"its mesh is unavailable: {error}")
        return None
    if len(triangles.faces) == 0:
        ledger.dropped(path, "it has no triangles")
        return None
    if len(np.unique(triangles.faces)) < len(triangles.vertices):
        ledger.rewritten(path, "reading omits vertices without triangles")
    return triangles


def _tessellate(solid: Geometry, path: str, ledger: Ledger) -> MeshData | None:
    with np.errstate(invalid="ignore"):
        triangles = tessellate(solid)
    if not np.isfinite(triangles.vertices).all():
        ledger.dropped(path, "its size is not finite")
        return None
    return triangles


def _mesh_element(triangles: MeshData, identifier: str) -> MeshElement:
    positions, count = f"{identifier}_positions", len(triangles.vertices)
    array = FloatArrayElement(id=f"{positions}-array", count=3 * count, numbers=text_of(triangles.vertices))
    params = tuple([AccessorParamElement(name=name, type="float") for name in "XYZ"])
    accessor = AccessorElement(count=count, source=f"#{positions}-array", stride=3, param=params)
    source = SourceElement(id=positions, float_array=array, technique_common=SourceTechniqueElement(accessor=accessor))
    vertices = f"{identifier}_vertices"
    corners = InputElement(offset=0, semantic="VERTEX", source=f"#{vertices}", set=0)
    return MeshElement(
        source=(source,),
        vertices=VerticesElement(id=vertices, input=(InputElement(semantic="POSITION", source=f"#{positions}"),)),
        primitives=(
            TrianglesElement(
                count=len(triangles.faces),
                material=SYMBOL,
                input=(corners,),
                p=NumbersElement(numbers=text_of(triangles.faces)),
            ),
        ),
    )


def _info_extras(shape: WrittenShape) -> tuple[ExtraElement, ...]:
    simple = primitive_element(shape.geometry)
    if simple is None and shape.visible:
        return ()
    element, frame = simple if simple is not None else (None, IDENTITY)
    transforms = transforms_of(shape.pose @ frame.inverse()) if element is not None else ()
    visible = None if shape.visible else ValueElement(bool_value=False)
    info = GeometryInfoElement(shape=element, transforms=transforms, visible=visible)
    return (make_extra("geometry_info", [technique_node(PROFILE, unbind("technique", info).children)]),)


def primitive_element(geometry: Geometry) -> tuple[ShapeGeometry, Pose] | None:
    """Return the element of a primitive shape, and the pose of the shape in the frame of the element, or None."""
    match geometry:
        case Box():
            return BoxElement(half_extents=scale(geometry.size, 0.5)), IDENTITY
        case Sphere():
            return SphereElement(radius=geometry.radius), IDENTITY
        case Cylinder():
            return CylinderElement(height=geometry.length, radius=(geometry.radius,) * 2), Y_TO_Z
        case Capsule():
            return CapsuleElement(height=geometry.length, radius=(geometry.radius,) * 3), Y_TO_Z
        case Plane() if abs(norm(geometry.normal) - 1.0) <= _UNIT:
            return PlaneElement(equation=(*geometry.normal, -geometry.offset)), IDENTITY
    return None


def _native_extras(shape: WrittenShape, path: str, ledger: Ledger) -> tuple[ExtraElement, ...]:
    note = _shape_note(shape, path, ledger)
    return own_extras(EXTRA, [None if note == ShapeNote() else node_of(note), shape.note])


def _shape_note(shape: WrittenShape, path: str, ledger: Ledger) -> ShapeNote:
    geometry = shape.geometry
    if isinstance(geometry, TriangleMesh):
        if shape.pose != IDENTITY:
            ledger.rewritten(path, "its vertices are written in the body frame, as OpenRAVE requires")
        if geometry.convex:
            ledger.extension(f"{path}.geometry.convex", f"{STORED_IN_EXTENSION}: OpenRAVE does not support convex meshes")
        return ShapeNote(pose=shape.pose, convex=geometry.convex)
    if isinstance(geometry, Mesh) or primitive_element(geometry) is not None:
        return ShapeNote()
    ledger.extension(path, f"the {kind_text(type(geometry))} is written as triangles; the shape is {STORED_IN_EXTENSION}")
    return ShapeNote(pose=shape.pose, shape=geometry)
