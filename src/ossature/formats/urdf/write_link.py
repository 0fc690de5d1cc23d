"""Writer of URDF links and their shapes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ossature import model
from ossature.diagnostics.ledger import Ledger
from ossature.formats.urdf import schema
from ossature.formats.urdf.convert_origin import origin_of
from ossature.formats.urdf.passthrough import element_in
from ossature.formats.urdf.read_link import INTERPRETED_IN_LINK, INTERPRETED_IN_SHAPE, ZERO_INERTIA, passthrough_key_prefix
from ossature.formats.urdf.write_material import WrittenMaterials
from ossature.model.unsupported_fields import drop_extension
from ossature.model.value_text import kind_text, value_text
from ossature.spatial import ZERO3
from ossature.syntax import xml
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind
from ossature.syntax.xml_values import shown

ShapeT = TypeVar("ShapeT", model.Visual, model.Collision)


def write_link(
    body: model.Body, name: str, path: str, materials: WrittenMaterials, ledger: Ledger, folder: Path | None, *, is_root: bool
) -> XmlNode:
    """Return the ``<link>`` element of a body.

    A massless link without shapes states a mass of zero, since DART and PyBullet assume 1 kg where none is stated. The root
    does not, since KDL supports no inertia there.
    """
    visuals = _representable_shapes(body.visuals, f"{path}.visuals", ledger)
    collisions = _representable_shapes(body.collisions, f"{path}.collisions", ledger)
    element = schema.UrdfLinkElement(
        name=name,
        inertial=_write_inertial(body, path, ledger, is_root=is_root),
        visual=tuple(
            [_write_visual(visual, f"{path}.visuals[{i}]", materials, ledger, folder) for i, visual in visuals.items()]
        ),
        collision=tuple(
            [_write_collision(collision, f"{path}.collisions[{i}]", ledger, folder) for i, collision in collisions.items()]
        ),
    )
    node = unbind("link", element)
    shapes = _shape_nodes(node, "visual", visuals) | _shape_nodes(node, "collision", collisions)
    _write_passthrough(body.extensions, node, shapes, f"{path}.extensions", ledger)
    return node


def _representable_shapes(shapes: Sequence[ShapeT], path: str, ledger: Ledger) -> dict[int, ShapeT]:
    """Return the shapes that URDF can represent, by index."""
    representable = {}
    for index, shape in enumerate(shapes):
        if type(shape.geometry) in _WRITERS:
            representable[index] = shape
        else:
            detail = f"URDF has no {kind_text(type(shape.geometry))}"
            ledger.dropped(f"{path}[{index}]", detail, before=value_text(shape.geometry, longest=None), location=shape.origin)
    return representable


def _write_inertial(body: model.Body, path: str, ledger: Ledger, *, is_root: bool) -> schema.InertialElement | None:
    inertial = body.inertial
    moment = inertial.moment
    if moment is None:
        ledger.dropped(f"{path}.inertial.moment", "URDF cannot represent an unspecified inertia tensor: written as zero")
        moment = ZERO_INERTIA
    is_massless = inertial.mass == 0.0 and moment == ZERO_INERTIA and inertial.center_of_mass == ZERO3
    if is_massless and (is_root or body.visuals or body.collisions):
        return None
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = moment
    asymmetry = max(abs(xy - yx), abs(xz - zx), abs(yz - zy))
    if asymmetry:
        ledger.approximated(f"{path}.inertial.moment", "asymmetric tensor: its upper triangle is written", error=asymmetry)
    center = inertial.center_of_mass
    return schema.InertialElement(
        origin=schema.OriginElement(xyz=center) if center != ZERO3 else None,
        mass=schema.MassElement(value=inertial.mass),
        inertia=schema.UrdfInertiaElement(ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz),
    )


def _write_visual(
    visual: model.Visual, path: str, materials: WrittenMaterials, ledger: Ledger, folder: Path | None
) -> schema.VisualElement:
    return schema.VisualElement(
        name=_shape_name(visual.name, path, ledger),
        origin=origin_of(visual.pose, f"{path}.pose", ledger),
        geometry=_write_geometry(visual.geometry, folder),
        material=materials.of(visual.color),
    )


def _write_collision(collision: model.Collision, path: str, ledger: Ledger, folder: Path | None) -> schema.UrdfCollisionElement:
    return schema.UrdfCollisionElement(
        name=_shape_name(collision.name, path, ledger),
        origin=origin_of(collision.pose, f"{path}.pose", ledger),
        geometry=_write_geometry(collision.geometry, folder),
    )


def _shape_name(name: str | None, path: str, ledger: Ledger) -> str | None:
    if name is None:
        return None
    printable = xml.printable(name)
    if printable != name or not name:
        ledger.approximated(f"{path}.name", f"written as {shown(printable)}")
    return printable or None


def _write_geometry(geometry: model.Geometry, folder: Path | None) -> schema.UrdfGeometryElement:
    return schema.UrdfGeometryElement(shape=_WRITERS[type(geometry)](geometry, folder))


def _write_mesh(mesh: model.Mesh, folder: Path | None) -> schema.UrdfMeshElement:
    uri = mesh.uri
    if folder is not None and "://" not in uri and Path(uri).is_absolute():
        uri = Path(os.path.relpath(uri, folder.resolve())).as_posix()
    return schema.UrdfMeshElement(filename=uri, scale=mesh.scale)


_WRITERS: dict[type, Callable[[Any, Path | None], Element]] = {
    model.Box: lambda box, folder: schema.UrdfBoxElement(size=box.size),
    model.Sphere: lambda sphere, folder: schema.UrdfSphereElement(radius=sphere.radius),
    model.Cylinder: lambda cylinder, folder: schema.UrdfCylinderElement(radius=cylinder.radius, length=cylinder.length),
    model.Capsule: lambda capsule, folder: schema.UrdfCapsuleElement(radius=capsule.radius, length=capsule.length),
    model.Mesh: _write_mesh,
}


def _shape_nodes(link: XmlNode, kind: str, shapes: Mapping[int, Any]) -> dict[str, XmlNode]:
    """Return the elements of a link's shapes by the key prefix of their passthrough elements."""
    nodes = [child for child in link.children if child.tag == kind]
    return {passthrough_key_prefix(kind, index): node for index, node in zip(shapes, nodes, strict=True)}


def _write_passthrough(
    extensions: Sequence[model.Extension], link: XmlNode, shapes: Mapping[str, XmlNode], path: str, ledger: Ledger
) -> None:
    written: list[tuple[int, model.Extension]] = []
    order = list(shapes)
    for index, extension in enumerate(extensions):
        prefix = next((prefix for prefix in shapes if extension.key.startswith(prefix)), "")
        node = element_in(extension, prefix)
        parent = shapes[prefix] if prefix else link
        if node is None or not _is_allowed(node, parent, prefix):
            drop_extension(extension, f"{path}[{index}]", ledger)
            continue
        parent.children.append(node)
        written.append((_reading_order(node, prefix, order), extension))
    if [position for position, _ in written] != sorted(position for position, _ in written):
        ledger.rewritten(path, "the order differs")


def _is_allowed(node: XmlNode, parent: XmlNode, prefix: str) -> bool:
    if not prefix:
        return node.tag not in INTERPRETED_IN_LINK
    if node.tag == "material":  # a texture of a shape without colour
        return parent.tag == "visual" and parent.find("material") is None
    return node.tag not in INTERPRETED_IN_SHAPE


def _reading_order(node: XmlNode, prefix: str, order: Sequence[str]) -> int:
    """Return the position of an element in the order of the reader: link, visuals, textures of visuals, collisions."""
    if not prefix:
        return 0
    group = 3 if prefix.startswith("collision") else 2 if node.tag == "material" else 1
    return group * (len(order) + 1) + order.index(prefix)
