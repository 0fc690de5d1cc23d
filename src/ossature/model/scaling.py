"""Scaling a model at constant density: each quantity changes by its dimension."""

from __future__ import annotations

import dataclasses
from typing import Any

from ossature.model.body import Body, Collision, Inertial, Material
from ossature.model.element_fields import compared_fields
from ossature.model.format_extension import Extension
from ossature.model.geometry import (
    Ball,
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    HeightField,
    Mesh,
    Plane,
    Pyramid,
    Sphere,
    TriangleMesh,
)
from ossature.model.joint import Axis, Coordinate, HardLimits, Joint, Range, Screw, SphericalMotion
from ossature.model.model import COLLECTIONS, Model
from ossature.model.named_list import NamedList
from ossature.model.program_hints import Hint, OpenravePlanning, hint_of, with_hint
from ossature.model.triangle_mesh import LazyMesh, MeshData
from ossature.model.validated_element import ModelError
from ossature.model.value_text import is_rotation
from ossature.spatial import Pose, scale

_LENGTHS: dict[type, tuple[str, ...]] = {
    Box: ("size",),
    Sphere: ("radius",),
    Ellipsoid: ("diameters",),
    Cylinder: ("radius", "length"),
    Capsule: ("radius", "length"),
    Cone: ("radius", "length"),
    Pyramid: ("base_width", "base_depth", "height"),
    Plane: ("offset",),
    Ball: ("radius", "position"),
    Mesh: ("scale",),
    HeightField: ("size",),
    Screw: ("pitch",),
    Axis: ("anchor",),
    SphericalMotion: ("anchor",),
    Collision: ("margin",),
    Body: ("initial_velocity",),
}
_POWERS: dict[type, dict[str, int]] = {
    **{kind: dict.fromkeys(names, 1) for kind, names in _LENGTHS.items()},
    Inertial: {"mass": 3, "center_of_mass": 1, "moment": 5},
    Material: {
        "young_modulus": 2,
        "normal_stiffness": 3,
        "normal_damping": 3,
        "tangential_stiffness": 3,
        "tangential_damping": 3,
        "torsional_friction": 1,
        "rolling_friction": 1,
    },
}
"""Powers of the factor by which quantities of a class change."""
_MOTION = ("position_limits", "velocity_limits", "acceleration_limits", "jerk_limits", "hard_limits", "spring_reference")
_INITIAL = ("initial_position", "initial_velocity", "initial_acceleration")
_COORDINATE_POWERS: dict[bool, dict[str, int]] = {
    True: {"effort_limits": 5, "initial_effort": 5, "friction": 5, "damping": 5, "stiffness": 5, "armature": 5},
    False: {"effort_limits": 4, "initial_effort": 4, "friction": 4, "damping": 3, "stiffness": 3, "armature": 3}
    | dict.fromkeys((*_MOTION, *_INITIAL), 1),
}
"""Powers for rotations, and for translations."""


def scale_model(model: Model, factor: float) -> Model:
    """Return a model whose lengths are multiplied by a factor, about its own frame, at constant density.

    Masses change by the third power and moments of inertia by the fifth; the times of all motions are unchanged under a gravity
    that is scaled too. So velocities change as lengths do, forces by the fourth power and torques by the fifth.

    Raises:
        ModelError: The factor is not positive, or the model has an element whose scaled one is unknown: a force element, motor,
            sensor, actuator, soft skin, or a coupling of a translation.
    """
    if not 0.0 < factor < float("inf"):
        raise ModelError(f"'{model.name}': a model is scaled by a positive factor, not {factor}")
    for collection in COLLECTIONS:
        if collection not in ("bodies", "joints", "manipulators") and getattr(model, collection):
            name = getattr(model, collection)[0].name
            raise ModelError(f"'{model.name}/{name}' has no scaled equivalent: remove it first")
    soft = [body.name for body in model.bodies if body.soft_skin is not None]
    if soft:
        raise ModelError(f"'{model.name}/{soft[0]}.soft_skin' has no scaled equivalent: remove it first")
    changed: dict[str, Any] = {
        name: NamedList([_scaled(item, factor) for item in getattr(model, name)]) for name in ("bodies", "manipulators")
    }
    changed["joints"] = model.joints.map(lambda joint: _scaled_joint(joint, model, factor))
    return dataclasses.replace(model, **changed)


def _scaled(value: Any, factor: float) -> Any:
    """Return an element with scaled lengths and masses, at any depth."""
    if isinstance(value, Pose):
        return dataclasses.replace(value, position=scale(value.position, factor))
    if isinstance(value, tuple):
        return tuple([_scaled(item, factor) for item in value])
    if isinstance(value, TriangleMesh):
        return dataclasses.replace(value, surface=_scaled_mesh(value.surface, factor))
    if not dataclasses.is_dataclass(value) or isinstance(value, Extension | Hint | type):
        return value
    powers = _POWERS.get(type(value), {})
    fields = {item.name: getattr(value, item.name) for item in compared_fields(type(value))}
    changed = {n: _times(v, factor ** powers[n]) if n in powers else _scaled(v, factor) for n, v in fields.items()}
    return dataclasses.replace(value, **changed)


def _times(value: Any, factor: float) -> Any:
    if value is None or isinstance(value, float):
        return None if value is None else value * factor
    if isinstance(value, tuple):
        return tuple([_times(item, factor) for item in value])
    if isinstance(value, Range | HardLimits):
        return dataclasses.replace(
            value, **{item.name: _times(getattr(value, item.name), factor) for item in compared_fields(type(value))}
        )
    raise TypeError(type(value).__name__)


def _scaled_mesh(surface: LazyMesh, factor: float) -> LazyMesh:
    def load() -> MeshData:
        mesh = surface.triangles
        return MeshData(vertices=mesh.vertices * factor, faces=mesh.faces)

    return LazyMesh(load)


def _scaled_joint(joint: Joint, model: Model, factor: float) -> Joint:
    coordinates = []
    for number, coordinate in enumerate(joint.coordinates):
        rotates = is_rotation(joint.type, number)
        if coordinate.coupling is not None and not (rotates and _are_all_rotations(model)):
            raise ModelError(f"'{model.name}/{joint.name}': a coupling of translations has no scaled equivalent")
        powers = _COORDINATE_POWERS[rotates]
        changed = {name: _times(getattr(coordinate, name), factor**power) for name, power in powers.items()}
        coordinates.append(_with_scaled_planning(dataclasses.replace(coordinate, **changed), 1.0 if rotates else factor))
    kind = _scaled(joint.type, factor)
    return dataclasses.replace(joint, type=kind, pose=_scaled(joint.pose, factor), coordinates=tuple(coordinates))


def _with_scaled_planning(coordinate: Coordinate, factor: float) -> Coordinate:
    planning = hint_of(coordinate, OpenravePlanning)
    if planning is None or planning.resolution is None:
        return coordinate
    return with_hint(coordinate, dataclasses.replace(planning, resolution=planning.resolution * factor))


def _are_all_rotations(model: Model) -> bool:
    return all(is_rotation(joint.type, number) for joint in model.joints for number in range(len(joint.coordinates)))
