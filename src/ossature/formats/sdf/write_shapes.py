"""Writer of shapes and their contact properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ossature import model
from ossature.diagnostics.ledger import Ledger
from ossature.formats.sdf import schema_shapes
from ossature.formats.sdf.schema import SdfCollisionElement, SdfVisualElement
from ossature.formats.sdf.schema_common import PoseElement
from ossature.formats.sdf.write_pose import write_pose
from ossature.formats.sdf.write_uri import relative_uri
from ossature.model.tessellation import EXTENT_OF_PLANE
from ossature.model.unique_names import take_unique_name
from ossature.model.value_text import kind_text, value_text
from ossature.spatial import Pose, scale
from ossature.syntax import xml
from ossature.syntax.schema import Element

Shape: TypeAlias = model.Visual | model.Collision
"""A shape of a body."""


def representable(shapes: Sequence[Any], path: str, ledger: Ledger) -> dict[int, Any]:
    """Return the shapes that SDFormat can represent, by index."""
    found = {}
    for index, shape in enumerate(shapes):
        if type(shape.geometry) in _GEOMETRIES:
            found[index] = shape
            continue
        detail = f"SDFormat has no {kind_text(type(shape.geometry))}"
        ledger.dropped(f"{path}[{index}]", detail, before=value_text(shape.geometry, longest=None), location=shape.origin)
    return found


def shape_names(shapes: Mapping[int, Shape], kind: str, path: str, ledger: Ledger) -> dict[int, str]:
    """Return the names in the file of the shapes of a body, by index: SDFormat requires different ones."""
    taken: set[str] = set()
    names = {}
    for index, shape in shapes.items():
        names[index] = take_unique_name(xml.printable(shape.name or "") or kind, taken)
        if names[index] != shape.name:
            detail = "SDFormat requires a name" if not shape.name else "SDFormat requires different names"
            ledger.rewritten(f"{path}[{index}].name", detail, after=names[index])
    return names


def write_visual(visual: model.Visual, name: str, path: str, ledger: Ledger, folder: Path | None) -> SdfVisualElement:
    """Return the ``<visual>`` element of a shape.

    Args:
        folder: The folder of the file, to which mesh paths are made relative; None leaves the paths unchanged.
    """
    if isinstance(visual.geometry, model.Mesh) and visual.geometry.convex:
        ledger.dropped(f"{path}.geometry.convex", "SDFormat has convex hulls only of shapes that collide")
    return SdfVisualElement(
        name=name,
        pose=_pose_of_shape(visual, path, ledger),
        geometry=_write_geometry(visual.geometry, folder, is_visual=True),
    )


def write_collision(
    collision: model.Collision, name: str, path: str, ledger: Ledger, folder: Path | None
) -> SdfCollisionElement:
    """Return the ``<collision>`` element of a shape.

    Args:
        folder: The folder of the file, to which mesh paths are made relative; None leaves the paths unchanged.
    """
    return SdfCollisionElement(
        name=name,
        pose=_pose_of_shape(collision, path, ledger),
        geometry=_write_geometry(collision.geometry, folder, is_visual=False),
        surface=_write_material(collision.material, f"{path}.material", ledger),
    )


def _write_material(material: model.Material | None, path: str, ledger: Ledger) -> schema_shapes.SurfaceElement | None:
    surface = None if material is None else write_surface(material)
    if surface != schema_shapes.SurfaceElement():
        return surface
    ledger.rewritten(path, "it has no property that SDFormat represents")
    return None


def write_surface(material: model.Material) -> schema_shapes.SurfaceElement:
    """Return contact properties.

    Friction is stated for both directions, and restitution for each speed: the defaults of SDFormat are 1 and never.
    """
    friction, rolling = material.friction, material.rolling_friction
    ode = None if friction is None else schema_shapes.OdeFrictionElement(mu=friction, mu2=friction)
    bullet = None
    if rolling is not None:
        bullet = schema_shapes.BulletFrictionElement(friction=friction, friction2=friction, rolling_friction=rolling)
    bounce, contact = None, None
    if material.restitution is not None:
        bounce = schema_shapes.BounceElement(restitution_coefficient=material.restitution, threshold=0.0)
    if material.young_modulus is not None or material.poisson_ratio is not None:
        contact = schema_shapes.ContactPropertiesElement(
            poissons_ratio=material.poisson_ratio, elastic_modulus=material.young_modulus
        )
    has_friction = ode is not None or bullet is not None
    return schema_shapes.SurfaceElement(
        friction=schema_shapes.FrictionElement(ode=ode, bullet=bullet) if has_friction else None,
        bounce=bounce,
        contact=contact,
    )


def _pose_of_shape(shape: Shape, path: str, ledger: Ledger) -> PoseElement | None:
    geometry = shape.geometry
    if not isinstance(geometry, model.Plane) or not geometry.offset:
        return write_pose(shape.pose, PoseElement)
    for field in ("pose", "geometry.offset"):
        ledger.rewritten(f"{path}.{field}", "a plane of SDFormat contains the origin of its frame")
    return write_pose(shape.pose @ Pose(scale(geometry.normal, geometry.offset)), PoseElement)


def _write_geometry(geometry: model.Geometry, folder: Path | None, *, is_visual: bool) -> schema_shapes.SdfGeometryElement:
    if isinstance(geometry, model.Mesh):
        is_hull = geometry.convex and not is_visual
        shape: Element = schema_shapes.SdfMeshElement(
            optimization="convex_hull" if is_hull else None, uri=relative_uri(geometry.uri, folder), scale=geometry.scale
        )
    else:
        shape = _GEOMETRIES[type(geometry)](geometry)
    return schema_shapes.SdfGeometryElement(shape=shape)


SIZE_OF_PLANE = (EXTENT_OF_PLANE, EXTENT_OF_PLANE)
"""Edge lengths with which a plane is drawn if nothing states them [m]."""
_GEOMETRIES: dict[type, Callable[[Any], Element]] = {
    model.Box: lambda box: schema_shapes.SdfBoxElement(size=box.size),
    model.Sphere: lambda sphere: schema_shapes.SdfSphereElement(radius=sphere.radius),
    model.Cylinder: lambda one: schema_shapes.SdfCylinderElement(radius=one.radius, length=one.length),
    model.Capsule: lambda one: schema_shapes.SdfCapsuleElement(radius=one.radius, length=one.length),
    model.Cone: lambda one: schema_shapes.SdfConeElement(radius=one.radius, length=one.length),
    model.Ellipsoid: lambda one: schema_shapes.SdfEllipsoidElement(radii=tuple([0.5 * each for each in one.diameters])),
    model.Plane: lambda plane: schema_shapes.SdfPlaneElement(normal=plane.normal),
    model.Mesh: lambda mesh: schema_shapes.SdfMeshElement(uri=mesh.uri),
}
