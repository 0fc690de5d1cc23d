"""Values of the model as text for people: numbers with units, limits, enumerations, named elements, counts of long lists."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

from ossature.model.expression import JointPosition, Number, Operation
from ossature.model.format_expression import formula_text
from ossature.model.format_extension import Extension
from ossature.model.joint import (
    Axis,
    Compound,
    Coordinate,
    Cylindrical,
    Euler,
    Floating,
    HardLimits,
    JointType,
    Planar,
    PointOnLine,
    PointOnPlane,
    Range,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from ossature.model.named_list import NamedList
from ossature.model.program_hints import Hint
from ossature.model.sensor_fields import settings_of
from ossature.model.triangle_mesh import LazyMesh, MeshData
from ossature.spatial import Pose

_MOST_NUMBERS = 6
_MOST_NAMES = 3
_MOST_QUOTED = 8

_UNITS = {
    "time_step": "s",
    "end_time": "s",
    "mass": "kg",
    "center_of_mass": "m",
    "moment": "kg·m²",
    "initial_velocity": "m/s",
    "initial_angular_velocity_body": "rad/s",
    "margin": "m",
    "young_modulus": "Pa",
    "normal_stiffness": "N/m",
    "normal_damping": "N·s/m",
    "tangential_stiffness": "N/m",
    "tangential_damping": "N·s/m",
    "vertex_stiffness": "N/m",
    "edge_stiffness": "N/m",
    "position": "m",
    "radius": "m",
    "length": "m",
    "height": "m",
    "size": "m",
    "diameters": "m",
    "base_width": "m",
    "base_depth": "m",
    "pitch": "m",
    "point": "m",
    "point1": "m",
    "point2": "m",
    "anchor": "m",
    "max_angle": "rad",
    "Plane.offset": "m",
    "Texture.width": "pixel",
    "Texture.height": "pixel",
    "Keyframe.time": "s",
    "SpringDamper.free_length": "m",
    "SpringDamper.length_range": "m",
    "SpringDamper.stiffness": "N/m",
    "SpringDamper.damping": "N·s/m",
    "SpringDamper.preload": "N",
    "RotationalSpringDamper.free_angle": "rad",
    "RotationalSpringDamper.stiffness": "N·m/rad",
    "RotationalSpringDamper.damping": "N·m·s/rad",
    "RotationalSpringDamper.preload": "N·m",
    "Tendon.length_limits": "m",
    "Tendon.effort_limits": "N",
    "Tendon.rest_length": "m",
    "Tendon.stiffness": "N/m",
    "Tendon.damping": "N·s/m",
    "Tendon.friction": "N",
    "Tendon.width": "m",
    "Camera.sensor_size": "m",
    "Camera.focal_length": "m",
    "Camera.principal_point": "m",
    "Camera.interpupillary_distance": "m",
    "Light.range": "m",
    "Light.cutoff": "rad",
    "Light.bulb_radius": "m",
    "TorquePoint.speed": "rad/s",
    "TorquePoint.torque": "N·m",
    "ElectricMotor.power_rating": "W",
    "ElectricMotor.max_speed": "rad/s",
    "ElectricMotor.no_load_speed": "rad/s",
    "ElectricMotor.stall_torque": "N·m",
    "ElectricMotor.nominal_torque": "N·m",
    "ElectricMotor.max_torque": "N·m",
    "ElectricMotor.nominal_voltage": "V",
    "ElectricMotor.rotor_inertia": "kg·m²",
    "ElectricMotor.speed_constant": "rad/(s·V)",
    "ElectricMotor.speed_torque_gradient": "rad/(s·N·m)",
    "ElectricMotor.starting_current": "A",
    "ElectricMotor.resistance": "Ω",
    "ElectricMotor.torque_constant": "N·m/A",
    "SoftSkin.damping": "N·s/m",
    "World.gravity": "m/s²",
}
"""Units by field, or by class and field if classes differ."""

_COORDINATE_UNITS = {
    "position_limits": ("rad", "m"),
    "velocity_limits": ("rad/s", "m/s"),
    "acceleration_limits": ("rad/s²", "m/s²"),
    "jerk_limits": ("rad/s³", "m/s³"),
    "effort_limits": ("N·m", "N"),
    "initial_position": ("rad", "m"),
    "initial_velocity": ("rad/s", "m/s"),
    "initial_acceleration": ("rad/s²", "m/s²"),
    "initial_effort": ("N·m", "N"),
    "damping": ("N·m·s/rad", "N·s/m"),
    "friction": ("N·m", "N"),
    "stiffness": ("N·m/rad", "N/m"),
    "spring_reference": ("rad", "m"),
    "armature": ("kg·m²", "kg"),
}
"""Units of a coordinate's fields: for a rotation, for a translation."""

_ROTATIONS: dict[type, Sequence[int]] = {
    Revolute: (0,),
    Screw: (0,),
    Cylindrical: (0,),
    Universal: (0, 1),
    Spherical: (0, 1, 2),
    Euler: (0, 1, 2),
    Planar: (2,),
    PointOnLine: (1, 2, 3),
    PointOnPlane: (2, 3, 4),
    Floating: (0, 1, 2),
}
"""Which coordinates of a joint are rotations, by joint type."""


def is_rotation(joint_type: JointType, coordinate: int) -> bool:
    """Whether a coordinate of a joint is an angle [rad] and not a distance [m]."""
    if isinstance(joint_type, Compound):
        motion = joint_type.motion_of(coordinate)
        return not isinstance(motion, Axis) or motion.is_revolute
    return coordinate in _ROTATIONS.get(type(joint_type), ())


def field_text(owner: Any, name: str, *, rotation: bool = True) -> str:
    """Return a field's value as text, with its unit and all its parts.

    Args:
        owner: The element that has the field.
        rotation: Of a coordinate: whether it is an angle.
    """
    value = getattr(owner, name)
    if isinstance(value, HardLimits):
        limits = [
            f"{item.name} {_format_value(getattr(value, item.name), _COORDINATE_UNITS[f'{item.name}_limits'][not rotation])}"
            for item in dataclasses.fields(value)
            if getattr(value, item.name).bounded
        ]
        return ", ".join(limits)
    if isinstance(owner, Coordinate) and name in _COORDINATE_UNITS:
        return _format_value(value, _COORDINATE_UNITS[name][not rotation])
    return _format_value(value, _unit(owner, name), whole=True)


def coordinate_text(coordinate: Coordinate, *, rotation: bool) -> str:
    """Return the fields of a coordinate that are not the default, with their units."""
    default = Coordinate()
    specified = [
        item.name
        for item in dataclasses.fields(Coordinate)
        if item.compare and getattr(coordinate, item.name) != getattr(default, item.name)
    ]
    return ", ".join(f"{name.replace('_', ' ')} {field_text(coordinate, name, rotation=rotation)}" for name in specified)


def field_unit(owner: Any, name: str, *, rotation: bool = True) -> str:
    """Return the unit of a field, or an empty text; of a coordinate that of an angle or of a distance."""
    if isinstance(owner, Coordinate) and name in _COORDINATE_UNITS:
        return _COORDINATE_UNITS[name][not rotation]
    return _unit(owner, name)


def _unit(owner: Any, name: str) -> str:
    setting = settings_of(type(owner)).get(name)
    if setting is not None:
        return setting.unit or ""
    return _UNITS.get(f"{type(owner).__name__}.{name}") or _UNITS.get(name, "")


def value_text(value: Any, *, longest: int | None = 80) -> str:
    """Return a value of the model as text, without a unit; all of it if ``longest`` is None."""
    return _format_value(value, whole=True) if longest is None else _truncate(_format_value(value), longest)


def extension_text(extension: Extension) -> str:
    """Return an extension as text: an element as it is, other content with its key."""
    is_element = extension.value.startswith("<")
    return extension.value if is_element else f"{extension.format} {extension.key} = {extension.value}"


def quoted_names(names: Iterable[str]) -> str:
    """Return names in quotes, separated by commas; of more than eight the first ones and an ellipsis."""
    found = [f"'{name}'" for name in names]
    return ", ".join(found[:_MOST_QUOTED] + ["…"] * (len(found) > _MOST_QUOTED))


def kind_text(kind: type) -> str:
    """Return the name of a class of the model in words: ``electric motor``."""
    first, *others = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower().split()
    return " ".join([_PROGRAMS.get(first, first), *others])


_PROGRAMS = {"mujoco": "MuJoCo", "chrono": "Chrono", "dart": "DART", "openrave": "OpenRAVE"}


def kind_with_article(kind: type) -> str:
    """Return the name of a class of the model in words with its article: ``an electric motor``."""
    text = kind_text(kind)
    return f"an {text}" if text[0].lower() in "aeio" else f"a {text}"  # but: a universal joint


def _truncate(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[:longest] + "…"


def _format_value(value: Any, unit: str = "", *, whole: bool = False) -> str:
    behind = f" {unit}" if unit else ""
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case Enum():
            return _format_value(value.value)
        case str():
            return f"'{value}'"
        case float() if math.isinf(value):
            return f"{'-' * (value < 0.0)}∞{behind}"
        case float():
            return repr(float(value) + 0.0).removesuffix(".0") + behind
        case Range():
            return _range_text(value) + behind
        case Extension():
            return extension_text(value)
        case Number() | JointPosition() | Operation():
            return formula_text(value)
        case Pose():
            return f"position {_format_value(value.position, 'm')}, quaternion {_format_value(value.wxyz)}"
        case MeshData():
            return f"{len(value.faces)} triangles of {len(value.vertices)} vertices"
        case LazyMesh():
            return "a mesh"
        case tuple() | NamedList():
            return _sequence_text(tuple(value), behind, whole=whole)
    return _element_text(value, whole=whole) if dataclasses.is_dataclass(value) else f"{value}{behind}"


def _range_text(limits: Range) -> str:
    if math.isinf(limits.lower) and math.isinf(limits.upper):
        return "unbounded"
    if math.isinf(limits.lower):
        return f"at most {_format_value(limits.upper)}"
    if math.isinf(limits.upper):
        return f"at least {_format_value(limits.lower)}"
    return f"{_format_value(limits.lower)} to {_format_value(limits.upper)}"


def _sequence_text(values: tuple[Any, ...], behind: str, *, whole: bool = False) -> str:
    if not values:
        return "none"
    if whole and any(dataclasses.is_dataclass(value) for value in values):
        return "; ".join(_format_value(value, whole=True) for value in values)
    if all(isinstance(value, str | Extension | Hint) for value in values) and len(values) <= _MOST_NAMES:
        return ", ".join(map(_format_value, values))
    kinds = {type(value) for value in values}
    if any(map(dataclasses.is_dataclass, kinds)):
        words = kind_text(*kinds) if len(kinds) == 1 else "element"
        return f"{len(values)} {words}{'s' * (len(values) != 1)}"
    if len(values) > _MOST_NUMBERS and not whole:
        return f"{len(values)} values"
    texts = [_row_text(value, whole=whole) if isinstance(value, tuple) else _format_value(value) for value in values]
    return f"({', '.join(texts)}){behind}"


def _row_text(row: tuple[Any, ...], *, whole: bool) -> str:
    text = _sequence_text(row, "", whole=whole)
    return text if text.startswith("(") else f"({text})"


def _element_text(value: Any, *, whole: bool = False) -> str:
    name = getattr(value, "name", None)
    if name and not whole:
        return f"{kind_text(type(value))} '{name}'"
    fields = [(item.name, getattr(value, item.name)) for item in dataclasses.fields(value) if item.compare]
    specified = ", ".join(
        f"{name.replace('_', ' ')} {_format_value(specified, _unit(value, name), whole=whole)}"
        for name, specified in fields
        if specified is not None and not (whole and specified == ())
    )
    return f"{kind_text(type(value))}: {specified}" if specified else kind_text(type(value))
