"""Chrono bodies → bodies of the model."""

from __future__ import annotations

import os
from pathlib import Path

from ossature import model
from ossature.formats.chrono import rules
from ossature.formats.chrono.read_context import ChronoReadContext
from ossature.formats.chrono.schema_model import (
    ChronoBodyElement,
    ChronoMaterialElement,
    ContactElement,
    ContactShapeElement,
    VisualizationElement,
    VisualShapeElement,
)
from ossature.model.joint import Z_AXIS
from ossature.spatial import IDENTITY_WXYZ, ZERO3, Matrix3, Pose, quaternion_between, rotated_tensor


def read_body(element: ChronoBodyElement, reading: ChronoReadContext) -> model.Body:
    """Return the body that an element describes."""
    visualization, contact, name = element.visualization, element.contact, element.name or ""
    inertial, spin = _read_inertial(element, reading), element.initial_angular_velocity
    return model.Body(
        name=name,
        pose=Pose(element.position or ZERO3, reading.quaternion(element)),
        inertial=inertial,
        visuals=() if visualization is None else _read_visuals(visualization, reading),
        collisions=() if contact is None else _read_collisions(contact, reading),
        self_collide=True,
        hints=_read_hints(contact),
        initial_velocity=element.initial_linear_velocity,
        initial_angular_velocity_body=reading.local_vector(name, spin, element.location("initial_angular_velocity")),
        origin=element.location(),
    )


def _read_hints(contact: ContactElement | None) -> tuple[model.ChronoCollision, ...]:
    family = None if contact is None else contact.collision_family
    return () if family is None else (model.ChronoCollision(family=family),)


def _read_inertial(element: ChronoBodyElement, reading: ChronoReadContext) -> model.Inertial:
    if not element.fixed:
        reading.require_fields(element, "mass", "inertia")
    reading.not_negative(element, "mass")
    com = element.com
    wxyz = IDENTITY_WXYZ if com is None else reading.quaternion(com)
    if wxyz != IDENTITY_WXYZ and element.name is not None:
        reading.com_wxyz[element.name] = wxyz
    return model.Inertial(
        mass=element.mass if element.mass is not None else 1.0,
        center_of_mass=ZERO3 if com is None else com.position,
        moment=rotated_tensor(_read_moment(element, reading), wxyz),
    )


def _read_moment(element: ChronoBodyElement, reading: ChronoReadContext) -> Matrix3:
    inertia = element.inertia
    if inertia is None or inertia.moments is None:
        return ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    reading.not_negative(inertia, "moments")
    xx, yy, zz = inertia.moments
    xy, xz, yz = inertia.products
    if xz != yz:
        reading.ambiguous_products.append(inertia.location("products"))
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _read_visuals(element: VisualizationElement, reading: ChronoReadContext) -> tuple[model.Visual, ...]:
    visuals = []
    if element.model_file is not None:
        mesh = model.Mesh(uri=mesh_uri(element.model_file, reading.data_folder))
        visuals.append(model.Visual(geometry=mesh, origin=element.location("model_file")))
    for shape in element.shapes:
        geometry = _read_geometry(shape, reading)
        if geometry is not None:
            pose, color = _read_shape_pose(shape, reading), _read_color(shape, reading)
            visuals.append(model.Visual(geometry=geometry, pose=pose, color=color, origin=shape.location()))
    return tuple(visuals)


def _read_color(shape: VisualShapeElement, reading: ChronoReadContext) -> model.Rgba | None:
    if shape.color is None:
        return None
    if not all(0.0 <= part <= 1.0 for part in shape.color):
        reading.report.add(rules.VALUE_OUT_OF_RANGE, "a component of 'color' is outside 0 to 1", shape.location("color"))
        return None
    return (*shape.color, 1.0)


def _read_collisions(element: ContactElement, reading: ChronoReadContext) -> tuple[model.Collision, ...]:
    materials = {material.name: _read_material(material, reading) for material in reading.unique(element.materials)}
    collisions = []
    for shape in element.shapes:
        geometry = _read_geometry(shape, reading)
        if geometry is None:
            continue
        material = materials.get(shape.material)
        if material is None and shape.material is not None:
            reading.report.add(
                rules.UNKNOWN_MATERIAL,
                f"unknown material '{shape.material}'",
                shape.location("material"),
                hint=reading.report.suggestion(shape.material, filter(None, materials)),
            )
        reading.not_negative(shape, "contact_radius")
        collisions.append(
            model.Collision(
                geometry=geometry,
                pose=_read_shape_pose(shape, reading),
                material=material,
                margin=shape.contact_radius,
                origin=shape.location(),
            )
        )
    return tuple(collisions)


def _read_material(element: ChronoMaterialElement, reading: ChronoReadContext) -> model.Material:
    reading.not_negative(element, "coefficient_of_friction", "coefficient_of_restitution")
    properties = element.properties
    coefficients = element.coefficients or element.capital_coefficients
    return model.Material(
        name=element.name,
        friction=element.coefficient_of_friction,
        restitution=element.coefficient_of_restitution,
        young_modulus=None if properties is None else properties.young_modulus,
        poisson_ratio=None if properties is None else properties.poisson_ratio,
        normal_stiffness=None if coefficients is None else coefficients.normal_stiffness,
        normal_damping=None if coefficients is None else coefficients.normal_damping,
        tangential_stiffness=None if coefficients is None else coefficients.tangential_stiffness,
        tangential_damping=None if coefficients is None else coefficients.tangential_damping,
    )


def _read_geometry(shape: ContactShapeElement | VisualShapeElement, reading: ChronoReadContext) -> model.Geometry | None:
    reading.not_negative(shape, "radius", "length", "dimensions")
    if shape.type is None or not reading.require_fields(shape, *_NEEDED[shape.type]):
        return None
    reading.report_unused(shape, *(name for name in _SIZES if name not in (*_NEEDED[shape.type], *_ALSO[shape.type])))
    match shape.type:
        case "SPHERE":
            return model.Sphere(radius=shape.radius or 0.0)
        case "BOX":
            return model.Box(size=shape.dimensions or ZERO3)
        case "CYLINDER":
            return model.Cylinder(radius=shape.radius or 0.0, length=shape.length or 0.0)
    uri = mesh_uri(shape.filename or "", reading.data_folder)
    return model.Mesh(uri=uri, scale=(shape.scale,) * 3, convex=shape.type == "HULL")


_NEEDED = {
    "SPHERE": ("radius",),
    "BOX": ("dimensions",),
    "CYLINDER": ("radius", "length"),
    "HULL": ("filename",),
    "MESH": ("filename",),
}
_ALSO = {"SPHERE": (), "BOX": (), "CYLINDER": ("axis",), "HULL": (), "MESH": ()}
_SIZES = ("radius", "dimensions", "length", "axis", "filename")


def _read_shape_pose(shape: ContactShapeElement | VisualShapeElement, reading: ChronoReadContext) -> Pose:
    position = shape.position or ZERO3
    if shape.type == "CYLINDER" and shape.axis is not None:
        axis = reading.axis(shape, "axis")
        return Pose(position, IDENTITY_WXYZ if axis is None else quaternion_between(Z_AXIS, axis))
    return Pose(position, reading.quaternion(shape))


def mesh_uri(filename: str, folder: Path | None) -> str:
    """Return the absolute path of a mesh file, or the unchanged name if the folder is unknown."""
    if not filename or folder is None or "://" in filename or Path(filename).is_absolute():
        return filename
    return os.path.normpath(folder / filename)
