"""Writer of SDFormat links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ossature.diagnostics.ledger import Ledger
from ossature.formats.sdf.passthrough import FORMAT
from ossature.formats.sdf.schema import (
    InertiaElement,
    SdfCollisionElement,
    SdfInertialElement,
    SdfLinkElement,
    SdfVisualElement,
)
from ossature.formats.sdf.schema_common import LinkPoseElement, PoseElement
from ossature.formats.sdf.write_material import MaterialWriter
from ossature.formats.sdf.write_passthrough import can_contain, element_of, is_part, write_in_shape
from ossature.formats.sdf.write_pose import write_pose
from ossature.formats.sdf.write_shapes import SIZE_OF_PLANE, representable, shape_names, write_collision, write_visual
from ossature.model import Body, Extension, Plane
from ossature.model.unsupported_fields import drop_extension
from ossature.spatial import ZERO3, Matrix3, Pose
from ossature.syntax import xml
from ossature.syntax.schema import Element
from ossature.syntax.xml import XmlNode
from ossature.syntax.xml_binding import unbind
from ossature.syntax.xml_values import NUMBERS

_ZERO_TENSOR: Matrix3 = (ZERO3, ZERO3, ZERO3)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkContext:
    """What the links of a model have in common while they are written.

    Attributes:
        model: The name of the model in the World.
        materials: Writes the materials of shapes.
        folder: The folder of the file, to which mesh paths are made relative; None leaves the paths unchanged.
    """

    model: str
    materials: MaterialWriter
    folder: Path | None
    ledger: Ledger


def write_link(body: Body, name: str, context: LinkContext, *, models_collide: bool) -> XmlNode:
    """Return the ``<link>`` element of a body.

    Args:
        name: Its name in the file.
        models_collide: Whether its model lets its links collide with each other.
    """
    path, ledger, folder = f"{context.model}/{body.name}", context.ledger, context.folder
    shapes = _Shapes.of(body, path, ledger)
    element = SdfLinkElement(
        name=name,
        pose=write_pose(body.pose, PoseElement),
        gravity=body.gravity,
        self_collide=None if body.self_collide == models_collide else body.self_collide,
        inertial=_write_inertial(body, path, ledger),
        collision=tuple(
            write_collision(shape, shapes.collision_names[index], f"{path}.collisions[{index}]", ledger, folder)
            for index, shape in shapes.collisions.items()
        ),
        visual=tuple(
            write_visual(shape, shapes.visual_names[index], f"{path}.visuals[{index}]", ledger, folder)
            for index, shape in shapes.visuals.items()
        ),
    )
    node = unbind("link", element)
    nodes = {**shapes.nodes(node, "visual"), **shapes.nodes(node, "collision")}
    for index, visual in shapes.visuals.items():
        material = context.materials.write(visual, f"{path}.visuals[{index}]")
        if material is not None:
            nodes["visual", index].children.append(material)
    _write_extensions(body, node, nodes, f"{path}.extensions", ledger)
    _state_sizes_of_planes(nodes, shapes, path, ledger)
    return node


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shapes:
    """The shapes of a body that are written, and their names in the file, by index."""

    visuals: Mapping[int, Any]
    collisions: Mapping[int, Any]
    visual_names: Mapping[int, str]
    collision_names: Mapping[int, str]

    @classmethod
    def of(cls, body: Body, path: str, ledger: Ledger) -> _Shapes:
        """Return the shapes of a body."""
        visuals = representable(body.visuals, f"{path}.visuals", ledger)
        collisions = representable(_enabled(body, path, ledger), f"{path}.collisions", ledger)
        collisions = {index: shape for index, shape in collisions.items() if shape.enabled}
        return cls(
            visuals=visuals,
            collisions=collisions,
            visual_names=shape_names(visuals, "visual", f"{path}.visuals", ledger),
            collision_names=shape_names(collisions, "collision", f"{path}.collisions", ledger),
        )

    def nodes(self, link: XmlNode, kind: str) -> dict[tuple[str, int], XmlNode]:
        """Return the elements of the shapes of a kind, by kind and index."""
        shapes = self.visuals if kind == "visual" else self.collisions
        nodes = [child for child in link.children if child.tag == kind]
        return {(kind, index): node for index, node in zip(shapes, nodes, strict=True)}

    def shape(self, kind: str, index: int) -> Any:
        """Return a shape."""
        return (self.visuals if kind == "visual" else self.collisions)[index]


def _enabled(body: Body, path: str, ledger: Ledger) -> tuple[Any, ...]:
    for index, collision in enumerate(body.collisions):
        if not collision.enabled:
            detail = "it does not collide at the start; SDFormat has no shapes that collide later"
            ledger.dropped(f"{path}.collisions[{index}]", detail, location=collision.origin)
    return body.collisions


def _write_inertial(body: Body, path: str, ledger: Ledger) -> SdfInertialElement:
    inertial, moment = body.inertial, body.inertial.moment
    if moment is None:
        ledger.dropped(f"{path}.inertial.moment", "SDFormat cannot leave an inertia tensor open: written as zero")
        moment = _ZERO_TENSOR
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = moment
    asymmetry = max(abs(xy - yx), abs(xz - zx), abs(yz - zy))
    if asymmetry:
        ledger.approximated(f"{path}.inertial.moment", "asymmetric tensor: its upper triangle is written", error=asymmetry)
    return SdfInertialElement(
        mass=inertial.mass,
        pose=write_pose(Pose(inertial.center_of_mass), LinkPoseElement),
        inertia=InertiaElement(ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz),
    )


def _write_extensions(body: Body, link: XmlNode, nodes: Mapping[tuple[str, int], XmlNode], path: str, ledger: Ledger) -> None:
    for index, extension in enumerate(body.extensions):
        written = _write_extension(extension, body, link, nodes)
        if written is None:
            drop_extension(extension, f"{path}[{index}]", ledger, body.origin)
        elif xml.compact(written) != extension.value and extension.value.startswith("<"):
            ledger.rewritten(f"{path}[{index}]", "with the values of the model")


def _write_extension(
    extension: Extension, body: Body, link: XmlNode, nodes: Mapping[tuple[str, int], XmlNode]
) -> XmlNode | None:
    """Write an extension into a link, and return its element; None if that is not possible."""
    found = _owner(extension, body, nodes)
    shape, prefix = (link, "") if found is None else found
    key = extension.key.removeprefix(prefix)
    if extension.format == FORMAT and key == "transparency":
        return _write_transparency(extension.value, shape)
    node = element_of(extension, prefix)
    if node is None or not (_can_contain_part(shape, key) if is_part(key) else can_contain(_KINDS[shape.tag], node)):
        return None
    return write_in_shape(shape, key, node)


_KINDS: Mapping[str, type[Element]] = {"link": SdfLinkElement, "visual": SdfVisualElement, "collision": SdfCollisionElement}


def _can_contain_part(owner: XmlNode, key: str) -> bool:
    return (owner.tag == "link") == key.startswith("inertial/")


def _write_transparency(value: str, shape: XmlNode) -> XmlNode | None:
    """Write the transparency of a visual without a colour, which has it otherwise."""
    if shape.tag != "visual" or shape.find("material", "transparency") is not None:
        return None
    node = xml.element("transparency", text=value)
    shape.children.append(node)
    return node


def _owner(extension: Extension, body: Body, nodes: Mapping[tuple[str, int], XmlNode]) -> tuple[XmlNode, str] | None:
    """Return the element of the shape to which an extension belongs, and what precedes its key; None for the link."""
    for (kind, index), node in nodes.items():
        shape = (body.visuals if kind == "visual" else body.collisions)[index]
        prefix = f"{kind} {shape.name}/"
        if shape.name is not None and extension.key.startswith(prefix):
            return node, prefix
    return None


def _state_sizes_of_planes(nodes: Mapping[tuple[str, int], XmlNode], shapes: _Shapes, path: str, ledger: Ledger) -> None:
    """State the size of planes without one, which SDFormat requires."""
    for (kind, index), node in nodes.items():
        geometry = node.find("geometry")
        plane = None if geometry is None else geometry.find("plane")
        if plane is None or plane.find("size") is not None or not isinstance(shapes.shape(kind, index).geometry, Plane):
            continue
        plane.children.append(xml.element("size", text=NUMBERS.format(SIZE_OF_PLANE)))
        detail = f"SDFormat requires the size with which a plane is drawn: {SIZE_OF_PLANE[0]:g} m"
        ledger.rewritten(f"{path}.{kind}s[{index}].geometry", detail)
        ledger.rewritten(f"{path}.extensions", detail)
