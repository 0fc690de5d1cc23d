"""Names of classes and fields of the model in files: those of the first release.

Extensions of COLLADA documents spell parts of the model by these names, and fingerprints of states are computed from them.
Hints are spelled as fields of their element.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, get_type_hints

from ossature.model.element_fields import compared_fields, default_value
from ossature.model.mujoco_hints import (
    MujocoActuator,
    MujocoBody,
    MujocoConstraint,
    MujocoGeom,
    MujocoJoint,
    MujocoOption,
    MujocoSensor,
    MujocoSite,
    MujocoTendon,
)
from ossature.model.program_hints import (
    ChronoCollision,
    ChronoContact,
    DartStepping,
    Hint,
    OpenravePlanning,
    OpenravePlugin,
    hint_of,
)

_CLASSES: Mapping[str, str] = {
    "ActiveGrasp": "Held",
    "Checkpoint": "Remembered",
    "CheckpointArray": "RememberedArray",
    "Coupling": "Formula",
    "CurveDerivatives": "Motion",
    "Floating": "Free",
    "IkFreeJoint": "FreeJoint",
    "LinkPoseOffset": "LinkPlace",
    "OpenravePlugin": "Interface",
    "PartialDerivative": "Partial",
    "SensorPoseOffset": "SensorPlace",
}
"""By the name of a class, how files spell it."""

_FIELDS: Mapping[str, Mapping[str, str]] = {
    "ActiveGrasp": {"pose_link_body": "pose_holder_held"},
    "Axis": {"is_revolute": "turns"},
    "Coordinate": {
        "position_limits": "position",
        "velocity_limits": "velocity",
        "acceleration_limits": "acceleration",
        "effort_limits": "effort",
        "jerk_limits": "jerk",
        "hard_limits": "hard",
        "continuous": "circular",
        "coupling": "formula",
        "spring_reference": "rest_position",
    },
    "Grasp": {"link": "holder", "body": "held"},
    "Load": {"expressed_in_body_frame": "turns_with_body", "applied_at_body_point": "moves_with_body"},
    "SpringVisual": {"coil_count": "turns"},
    "State": {"grasps": "held", "checkpoint": "remembered"},
}
"""By the name of a class and that of a field, how files spell the field."""

_MUJOCO = "mujoco"
"""How files spell the hint for MuJoCo of an element, if it has one."""
_HINTS: Mapping[str, Mapping[str, tuple[type[Hint], str | None]]] = {
    "World": {
        "steps_as_dart": (DartStepping, None),
        "contact_method": (ChronoContact, "method"),
        _MUJOCO: (MujocoOption, None),
    },
    "Model": {"interface": (OpenravePlugin, None)},
    "Body": {"collision_family": (ChronoCollision, "family"), _MUJOCO: (MujocoBody, None)},
    "Coordinate": {"planning_weight": (OpenravePlanning, "weight"), "planning_resolution": (OpenravePlanning, "resolution")}
    | {_MUJOCO: (MujocoJoint, None)},
    **{kind: {_MUJOCO: (MujocoGeom, None)} for kind in ("Visual", "Collision")},
    "Frame": {_MUJOCO: (MujocoSite, None)},
    "Actuator": {_MUJOCO: (MujocoActuator, None)},
    "Sensor": {_MUJOCO: (MujocoSensor, None)},
    "Tendon": {_MUJOCO: (MujocoTendon, None)},
    **{kind: {_MUJOCO: (MujocoConstraint, None)} for kind in ("Equality", "ContactPair")},
}
"""By the name of a class and a field that files spell: the hint it belongs to, and the hint's field, or None for all of it."""

_ADDED: Mapping[str, frozenset[str]] = {
    "Actuator": frozenset({"transmission", "model"}),
    "Axis": frozenset({"anchor"}),
    "Body": frozenset({"gravity_compensation", "mocap"}),
    "Coordinate": frozenset({"armature"}),
    "Frame": frozenset({"geometry", "color", "appearance"}),
    "Material": frozenset({"torsional_friction", "rolling_friction"}),
    "Model": frozenset({"tendons", "equalities", "contact_pairs", "keyframes", "cameras", "lights", "appearances", "textures"}),
    "MujocoBody": frozenset({"principal_axes"}),
    "Sensor": frozenset({"measurement"}),
    "Spherical": frozenset({"max_angle"}),
}
"""By the name of a class: fields of later releases, as files spell them. With their default they are in no digest."""

_ATTRIBUTES = {kind: {spelled: name for name, spelled in fields.items()} for kind, fields in _FIELDS.items()}


def serialized_class(kind: type) -> str:
    """Return the name of a class in files."""
    return _CLASSES.get(kind.__name__, kind.__name__)


def serialized_field(kind: type, name: str) -> str:
    """Return the name in files of a field of a class."""
    return _FIELDS.get(kind.__name__, {}).get(name, name)


def serialized_items(value: Any, names: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a data class as files spell them, with their values: those of hints are fields of their element.

    Args:
        names: The fields; by default all that take part in equality.
    """
    for name in [item.name for item in compared_fields(type(value))] if names is None else names:
        if name == "hints":
            for spelled, (kind, field) in _HINTS[type(value).__name__].items():
                hint: Any = hint_of(value, kind)
                if not compared_fields(kind):
                    yield spelled, hint is not None
                elif spelled != _MUJOCO or hint is not None:
                    yield spelled, hint if hint is None or field is None else getattr(hint, field)
        else:
            yield serialized_field(type(value), name), getattr(value, name)


def hashed_items(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a data class for a digest, which fields of later releases change only if they are stated."""
    added = _ADDED.get(type(value).__name__, frozenset())
    for name, part in serialized_items(value):
        if name not in added or not _is_default(type(value), name, part):
            yield name, part


def _is_default(kind: type, name: str, value: Any) -> bool:
    defaults = {item.name: default_value(item) for item in compared_fields(kind)}
    return bool(value == defaults.get(_attribute_of(kind, name)))


def serialized_types(kind: type) -> dict[str, Any]:
    """Return the declared types of the fields of a data class, by their names in files."""
    types = get_type_hints(kind)
    found = {serialized_field(kind, item.name): types[item.name] for item in compared_fields(kind)}
    if found.pop("hints", None) is not None:
        for spelled, (hint, field) in _HINTS[kind.__name__].items():
            own = bool if not compared_fields(hint) else hint if field is None else get_type_hints(hint)[field]
            found[spelled] = own | None
    return found


def attributes_of(kind: type, specified: Mapping[str, Any], hints: tuple[Hint, ...] = ()) -> dict[str, Any]:
    """Return the fields of a data class by their names in Python.

    Args:
        specified: Values by their names in files.
        hints: Hints to which those that are stated are added.
    """
    spelled = _HINTS.get(kind.__name__, {})
    spelled = _HINTS.get(kind.__name__, {})
    found = {_attribute_of(kind, name): value for name, value in specified.items() if name not in spelled}
    kept = {type(hint): hint for hint in hints}
    for name in [name for name in spelled if name in specified]:
        hint, field = spelled[name]
        before = {item.name: getattr(kept[hint], item.name) for item in compared_fields(hint)} if hint in kept else {}
        value = specified[name]
        if field is not None and (before or value is not None):
            kept[hint] = hint(**before | {field: value})
        elif field is None and value:
            kept[hint] = hint() if value is True else value
        else:
            kept.pop(hint, None)
        found["hints"] = tuple(kept.values())
    return found


def _attribute_of(kind: type, spelled: str) -> str:
    """Return the name in Python of a field of a class that files spell so."""
    return _ATTRIBUTES.get(kind.__name__, {}).get(spelled, spelled)
