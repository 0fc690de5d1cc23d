"""Reader of URDF links."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ossature.diagnostics import Report
from ossature.formats.urdf import rules, schema
from ossature.formats.urdf.convert_origin import pose_of
from ossature.formats.urdf.material_table import MaterialTable
from ossature.formats.urdf.passthrough import passthrough_element, passthrough_elements
from ossature.model import Body, Box, Capsule, Collision, Cylinder, Extension, Geometry, Inertial, Mesh, Sphere, Visual
from ossature.spatial import Matrix3, Pose, rotated_tensor
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode

ShapeElementT = TypeVar("ShapeElementT", schema.VisualElement, schema.UrdfCollisionElement)

ZERO_INERTIA: Matrix3 = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
MASSLESS = Inertial(mass=0.0, moment=ZERO_INERTIA)
"""The inertial properties of a link without <inertial>."""

INTERPRETED_IN_LINK = ("inertial", "visual", "collision")
INTERPRETED_IN_SHAPE = ("origin", "geometry", "material")


def read_link(
    element: schema.UrdfLinkElement, name: str, pose: Pose, materials: MaterialTable, report: Report, folder: Path | None
) -> Body:
    """Return the body of a ``<link>`` element.

    Args:
        pose: Pose of the link in the frame of the root link, with all joint positions zero.
        folder: The folder to which mesh paths are relative; None leaves the paths unchanged.
    """
    visuals = _with_geometry(element.visual, folder, report)
    collisions = _with_geometry(element.collision, folder, report)
    return Body(
        name=name,
        pose=pose,
        inertial=_read_inertial(element.inertial, report),
        visuals=tuple([_read_visual(visual, geometry, materials, report) for visual, geometry in visuals]),
        collisions=tuple([_read_collision(collision, geometry, report) for collision, geometry in collisions]),
        extensions=(
            *_passthrough(element, INTERPRETED_IN_LINK),
            *_passthrough_in_shapes([visual for visual, _ in visuals], "visual"),
            *_textured_materials([visual for visual, _ in visuals], materials),
            *_passthrough_in_shapes([collision for collision, _ in collisions], "collision"),
        ),
        origin=element.location(),
    )


def is_empty(element: schema.UrdfLinkElement) -> bool:
    """Whether a link has neither inertia nor shapes, nor elements of other programs; an <origin> in it has no meaning."""
    return not isinstance(element.node, XmlNode) or all(child.tag == "origin" for child in element.node.children)


def _read_inertial(element: schema.InertialElement | None, report: Report) -> Inertial:
    if element is None:
        return MASSLESS
    mass = element.mass.value if element.mass is not None else None
    if mass is None:
        _report_incomplete(element, "<inertial> has no <mass value=…>: the link is read without inertia", report)
        return MASSLESS
    frame = pose_of(element.origin, report)
    tensor = _read_tensor(element, report)
    return Inertial(mass=mass, center_of_mass=frame.position, moment=rotated_tensor(tensor, frame.wxyz))


def _read_tensor(element: schema.InertialElement, report: Report) -> Matrix3:
    if element.inertia is None:
        _report_incomplete(element, "<inertial> has no <inertia>: its tensor is read as zero", report)
        return ZERO_INERTIA
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = [getattr(element.inertia, name) for name in names]
    absent = [name for name, value in zip(names, values, strict=True) if value is None]
    if absent:
        _report_incomplete(element.inertia, f"<inertia> has no {', '.join(absent)}: the whole tensor is read as zero", report)
        return ZERO_INERTIA
    xx, xy, xz, yy, yz, zz = values
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _report_incomplete(element: Element, message: str, report: Report) -> None:
    hint = "state <mass> and the six entries of <inertia>, or use `ossature simulate` or `convert` with --infer-inertia"
    report.add(rules.INCOMPLETE_INERTIA, message, element.location(), hint=hint)


def _with_geometry(
    elements: Sequence[ShapeElementT], folder: Path | None, report: Report
) -> list[tuple[ShapeElementT, Geometry]]:
    for element in elements:
        if element.geometry is not None and element.geometry.shape is None:
            message = "the shape is ignored, because its <geometry> has none that URDF specifies"
            report.add(
                rules.MISSING_GEOMETRY, message, element.geometry.location(), hint=f"valid: {', '.join(sorted(schema.SHAPES))}"
            )
    pairs = [(element, _read_geometry(element.geometry, folder)) for element in elements]
    return [(element, geometry) for element, geometry in pairs if geometry is not None]


def _read_visual(element: schema.VisualElement, geometry: Geometry, materials: MaterialTable, report: Report) -> Visual:
    return Visual(
        geometry=geometry,
        pose=pose_of(element.origin, report),
        color=materials.color(element.material, report),
        name=element.name or None,
        origin=element.location(),
    )


def _read_collision(element: schema.UrdfCollisionElement, geometry: Geometry, report: Report) -> Collision:
    return Collision(
        geometry=geometry, pose=pose_of(element.origin, report), name=element.name or None, origin=element.location()
    )


def _read_geometry(element: schema.UrdfGeometryElement | None, folder: Path | None) -> Geometry | None:
    shape = element.shape if element is not None else None
    return _GEOMETRY_READERS[type(shape)](shape, folder) if shape is not None else None


def _read_box(element: schema.UrdfBoxElement, folder: Path | None) -> Box | None:
    return Box(size=element.size) if element.size is not None else None


def _read_sphere(element: schema.UrdfSphereElement, folder: Path | None) -> Sphere | None:
    return Sphere(radius=element.radius) if element.radius is not None else None


def _read_cylinder(element: schema.UrdfCylinderElement, folder: Path | None) -> Cylinder | None:
    if element.radius is None or element.length is None:
        return None
    return Cylinder(radius=element.radius, length=element.length)


def _read_capsule(element: schema.UrdfCapsuleElement, folder: Path | None) -> Capsule | None:
    if element.radius is None or element.length is None:
        return None
    return Capsule(radius=element.radius, length=element.length)


def _read_mesh(element: schema.UrdfMeshElement, folder: Path | None) -> Mesh | None:
    return None if element.filename is None else Mesh(uri=_absolute_uri(element.filename, folder), scale=element.scale)


def _absolute_uri(uri: str, folder: Path | None) -> str:
    if not uri or folder is None or "://" in uri or uri.startswith("file:") or Path(uri).is_absolute():
        return uri
    return os.path.normpath(folder / uri)


_GEOMETRY_READERS: dict[type[Element], Callable[[Any, Path | None], Geometry | None]] = {
    schema.UrdfBoxElement: _read_box,
    schema.UrdfSphereElement: _read_sphere,
    schema.UrdfCylinderElement: _read_cylinder,
    schema.UrdfCapsuleElement: _read_capsule,
    schema.UrdfMeshElement: _read_mesh,
}


def _passthrough(element: Element, interpreted: Sequence[str], prefix: str = "") -> tuple[Extension, ...]:
    return passthrough_elements(element.node, interpreted, prefix) if isinstance(element.node, XmlNode) else ()


def _passthrough_in_shapes(
    elements: Sequence[schema.VisualElement | schema.UrdfCollisionElement], kind: str
) -> list[Extension]:
    return [
        extension
        for index, element in enumerate(elements)
        for extension in _passthrough(element, INTERPRETED_IN_SHAPE, passthrough_key_prefix(kind, index))
    ]


def _textured_materials(visuals: Sequence[schema.VisualElement], materials: MaterialTable) -> list[Extension]:
    """Return the materials with a texture but no colour, which the model cannot represent, as extensions."""
    return [
        passthrough_element(visual.material.node, passthrough_key_prefix("visual", index))
        for index, visual in enumerate(visuals)
        if visual.material is not None and isinstance(visual.material.node, XmlNode) and materials.is_textured(visual.material)
    ]


def passthrough_key_prefix(kind: str, index: int) -> str:
    """Return the key prefix of the passthrough elements of a shape."""
    return f"{kind}[{index}] "
