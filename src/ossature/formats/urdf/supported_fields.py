"""The fields of the model that a URDF file can represent; the writer audit records all others in the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from ossature import model
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    model.World: frozenset({"models"}),
    model.Extension: frozenset({"format", "key", "value"}),
    model.Model: frozenset({"name", "pose", "bodies", "joints", "extensions"}),
    model.Body: frozenset({"name", "pose", "inertial", "visuals", "collisions", "extensions"}),
    model.Inertial: frozenset({"mass", "center_of_mass", "moment"}),
    model.Visual: frozenset({"geometry", "pose", "color", "name"}),
    model.Collision: frozenset({"geometry", "pose", "name"}),
    model.Box: frozenset({"size"}),
    model.Sphere: frozenset({"radius"}),
    model.Cylinder: frozenset({"radius", "length"}),
    model.Capsule: frozenset({"radius", "length"}),
    model.Mesh: frozenset({"uri", "scale"}),
    model.Joint: frozenset({"name", "type", "parent", "child", "pose", "coordinates", "extensions"}),
    model.Fixed: frozenset(),
    model.Revolute: frozenset({"axis"}),
    model.Prismatic: frozenset({"axis"}),
    model.Planar: frozenset({"axis1", "axis2"}),
    model.Floating: frozenset(),
    model.Range: frozenset({"lower", "upper"}),
    model.Coordinate: frozenset({"position_limits", "velocity_limits", "effort_limits", "damping", "friction", "coupling"}),
    model.Coupling: frozenset({"position"}),
    model.Number: frozenset({"value"}),
    model.JointPosition: frozenset({"joint", "coordinate"}),
    model.Operation: frozenset({"operator", "operands"}),
    Pose: frozenset({"position", "wxyz"}),
}
