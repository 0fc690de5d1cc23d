"""Names of classes and fields of the model in files: those of the first release.

Extensions of COLLADA documents spell parts of the model by these names, and fingerprints of states are computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping

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

_ATTRIBUTES = {kind: {spelled: name for name, spelled in fields.items()} for kind, fields in _FIELDS.items()}


def serialized_class(kind: type) -> str:
    """Return the name of a class in files."""
    return _CLASSES.get(kind.__name__, kind.__name__)


def serialized_field(kind: type, name: str) -> str:
    """Return the name in files of a field of a class."""
    return _FIELDS.get(kind.__name__, {}).get(name, name)


def attribute_of(kind: type, spelled: str) -> str:
    """Return the name in Python of a field of a class that files spell so."""
    return _ATTRIBUTES.get(kind.__name__, {}).get(spelled, spelled)
