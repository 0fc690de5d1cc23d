"""Bodies and shapes of the model → Chrono elements."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from ossature import model
from ossature.diagnostics.ledger import Ledger
from ossature.formats.chrono.schema_model import (
    CenterOfMassElement,
    ChronoBodyElement,
    ChronoInertiaElement,
    ChronoMaterialElement,
    ContactElement,
    ContactShapeElement,
    MaterialCoefficientsElement,
    MaterialPropertiesElement,
    VisualizationElement,
    VisualShapeElement,
)
from ossature.formats.chrono.write_context import is_same_rotation
from ossature.model.joint import Z_AXIS
from ossature.model.unique_names import unique_name
from ossature.model.value_text import kind_text
from ossature.spatial import IDENTITY_WXYZ, ZERO3, Pose, Vector3, conjugate, multiply, quaternion_between, rotate
from ossature.syntax.schema import Element

E = TypeVar("E", bound=Element)


def write_body(
    body: model.Body, name: str, pose: Pose, path: str, ledger: Ledger, folder: Path | None, *, fixed: bool
) -> ChronoBodyElement:
    """Return the element of a body with a pose in the global frame."""
    velocity = body.initial_velocity
    if pose.wxyz != body.pose.wxyz:
        velocity = rotate(multiply(pose.wxyz, conjugate(body.pose.wxyz)), velocity)
        ledger.rewritten(f"{path}.initial_velocity", "expressed in the global frame")
    return ChronoBodyElement(
        name=name,
        fixed=fixed,
        position=pose.position,
        orientation=None if pose.wxyz == IDENTITY_WXYZ else pose.wxyz,
        mass=body.inertial.mass,
        com=None if body.inertial.center_of_mass == ZERO3 else CenterOfMassElement(position=body.inertial.center_of_mass),
        inertia=_inertia_element(body.inertial, path, ledger),
        initial_linear_velocity=velocity,
        initial_angular_velocity=body.initial_angular_velocity_body,
        contact=_contact_element(body, path, ledger, folder),
        visualization=_visualization_element(body, path, ledger, folder),
    )


def _inertia_element(inertial: model.Inertial, path: str, ledger: Ledger) -> ChronoInertiaElement:
    moment = inertial.moment
    if moment is None:
        ledger.approximated(f"{path}.inertial.moment", "missing, but required by Chrono: moments of 1 kg·m² are written")
        return ChronoInertiaElement(moments=(1.0, 1.0, 1.0))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = moment
    if min(xx, yy, zz) < 0.0:
        ledger.approximated(f"{path}.inertial.moment", f"Chrono has no negative moments: {min(xx, yy, zz):g} kg·m² becomes 0")
        xx, yy, zz = max(xx, 0.0), max(yy, 0.0), max(zz, 0.0)
    return ChronoInertiaElement(moments=(xx, yy, zz), products=(xy, xz, yz))


# Shapes


def _visualization_element(body: model.Body, path: str, ledger: Ledger, folder: Path | None) -> VisualizationElement | None:
    shapes = []
    for number, visual in enumerate(body.visuals):
        here = f"{path}.visuals[{number}]"
        color = _color_values(visual, here, ledger)
        for fields in _shape_fields(visual.geometry, visual.pose, here, ledger, folder):
            if fields["type"] == "HULL":
                ledger.approximated(f"{here}.geometry.convex", "a visual convex hull is written as a mesh")
                fields["type"] = "MESH"
            shapes.append(VisualShapeElement(color=color, **fields))
    _account_for_count(len(body.visuals), len(shapes), f"{path}.visuals", ledger)
    return VisualizationElement(shapes=tuple(shapes)) if shapes else None


def _account_for_count(count: int, written: int, path: str, ledger: Ledger) -> None:
    if written < count:
        ledger.dropped(path, "unsupported shapes")
    elif written > count:
        ledger.rewritten(path, "shapes that are written as several shapes")


def _color_values(visual: model.Visual, path: str, ledger: Ledger) -> Vector3 | None:
    color: model.Rgba | None = visual.color
    if color is None:
        return None
    if color[3] != 1.0:
        ledger.dropped(f"{path}.color", f"opacity {color[3]:g}")
    return (color[0], color[1], color[2])


def _contact_element(body: model.Body, path: str, ledger: Ledger, folder: Path | None) -> ContactElement | None:
    materials: dict[model.Material, ChronoMaterialElement] = {}
    names: set[str] = set()
    shapes = []
    for number, collision in enumerate(body.collisions):
        here = f"{path}.collisions[{number}]"
        if not collision.enabled:
            ledger.dropped(here, "disabled collision shape")
            continue
        material = _material_of(collision, here, ledger)
        if material not in materials:
            materials[material] = _material_element(material, names, here, ledger)
        if collision.material is not None and materials[material].name != material.name:
            ledger.rewritten(f"{here}.material.name", f"written as '{materials[material].name}'")
        for fields in _shape_fields(collision.geometry, collision.pose, here, ledger, folder):
            margin = collision.margin
            if margin and fields["type"] != "MESH":
                ledger.dropped(f"{here}.margin", "only meshes have a contact radius")
                margin = 0.0
            shapes.append(ContactShapeElement(material=materials[material].name, contact_radius=margin, **fields))
    _account_for_count(len(body.collisions), len(shapes), f"{path}.collisions", ledger)
    specified = model.hint_of(body, model.ChronoCollision)
    if not shapes:
        if specified is not None:
            ledger.dropped(f"{path}.hints", "collision family of a body without contact shapes")
        return None
    family = None if specified is None else specified.family
    return ContactElement(materials=tuple(materials.values()), shapes=tuple(shapes), collision_family=family)


def _material_of(collision: model.Collision, path: str, ledger: Ledger) -> model.Material:
    if collision.material is not None:
        return collision.material
    ledger.rewritten(f"{path}.material", "an empty material is added, because Chrono requires one")
    return model.Material(name="material")


def _material_element(material: model.Material, names: set[str], path: str, ledger: Ledger) -> ChronoMaterialElement:
    name = unique_name(material.name or "material", names, first=1)
    names.add(name)
    return ChronoMaterialElement(
        name=name,
        coefficient_of_friction=material.friction,
        coefficient_of_restitution=material.restitution,
        properties=_all_or_none(MaterialPropertiesElement, material, ("young_modulus", "poisson_ratio"), path, ledger),
        coefficients=_all_or_none(MaterialCoefficientsElement, material, _COEFFICIENTS, path, ledger),
    )


_COEFFICIENTS = ("normal_stiffness", "normal_damping", "tangential_stiffness", "tangential_damping")


def _all_or_none(element: type[E], material: model.Material, names: tuple[str, ...], path: str, ledger: Ledger) -> E | None:
    """Return an element with all fields, or None if one is missing: Chrono requires all of them."""
    specified = {name: getattr(material, name) for name in names}
    missing = [name for name, value in specified.items() if value is None]
    if not missing:
        return element(**specified)
    for name, value in specified.items():
        if value is not None:
            ledger.dropped(f"{path}.material.{name}", f"Chrono requires {', '.join(missing)} with it")
    return None


def _shape_fields(
    geometry: model.Geometry, pose: Pose, path: str, ledger: Ledger, folder: Path | None
) -> Iterator[dict[str, Any]]:
    match geometry:
        case model.Box():
            fields: dict[str, Any] = {"type": "BOX", "dimensions": geometry.size, "orientation": pose.wxyz}
            yield {"position": pose.position, **fields}
        case model.Sphere():
            _record_sphere_rotation(pose, path, ledger)
            yield {"type": "SPHERE", "position": pose.position, "radius": geometry.radius}
        case model.Cylinder():
            yield _cylinder_fields(geometry.radius, geometry.length, pose, path, ledger)
        case model.Capsule():
            ledger.rewritten(path, "a capsule is written as a cylinder and two spheres")
            yield _cylinder_fields(geometry.radius, geometry.length, pose, path, ledger)
            for end in (-geometry.length / 2.0, geometry.length / 2.0):
                yield {"type": "SPHERE", "position": pose.transform((0.0, 0.0, end)), "radius": geometry.radius}
        case model.Mesh():
            yield from _mesh_fields(geometry, pose, path, ledger, folder)
        case _:
            ledger.dropped(path, f"unsupported shape: {kind_text(type(geometry))}")


def _record_sphere_rotation(pose: Pose, path: str, ledger: Ledger) -> None:
    if pose.wxyz != IDENTITY_WXYZ:
        ledger.rewritten(f"{path}.pose.wxyz", "rotation of a sphere, which has no effect")


def _cylinder_fields(radius: float, length: float, pose: Pose, path: str, ledger: Ledger) -> dict[str, Any]:
    axis = rotate(pose.wxyz, Z_AXIS)
    read_back = quaternion_between(Z_AXIS, axis)
    if not is_same_rotation(read_back, pose.wxyz):
        ledger.rewritten(f"{path}.pose.wxyz", "rotation of a cylinder about its axis, which has no effect")
    return {"type": "CYLINDER", "position": pose.position, "axis": axis, "radius": radius, "length": length}


def _mesh_fields(mesh: model.Mesh, pose: Pose, path: str, ledger: Ledger, folder: Path | None) -> Iterator[dict[str, Any]]:
    if len(set(mesh.scale)) > 1:
        ledger.approximated(f"{path}.geometry.scale", "Chrono has uniform scale only: the factor along x is written")
    filename = mesh.uri if not mesh.uri or folder is None or "://" in mesh.uri else os.path.relpath(mesh.uri, folder)
    pose_fields: dict[str, Any] = {"position": pose.position, "orientation": pose.wxyz}
    yield {"type": "HULL" if mesh.convex else "MESH", "filename": filename, "scale": mesh.scale[0], **pose_fields}
