"""The fields of the model that a SKEL file can represent; the writer audit records all others in the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from ossature import model
from ossature.model.unsupported_fields import all_fields, fields_except
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    **all_fields(model.DartStepping, model.Extension, model.Inertial, model.Range),
    **all_fields(model.Box, model.Sphere, model.Ellipsoid, model.Cylinder, model.Capsule, model.Cone, model.Pyramid),
    **all_fields(model.Plane, model.MultiSphere, model.Ball),
    **all_fields(model.Fixed, model.Revolute, model.Prismatic, model.Screw, model.Universal, model.Euler, model.Floating),
    **all_fields(model.Translational, model.Translational2D, model.Planar),
    model.World: frozenset({"name", "gravity", "time_step", "hints", "models", "extensions"}),
    model.Model: frozenset({"name", "pose", "bodies", "joints", "static"}),
    model.Body: frozenset(
        {"name", "pose", "inertial", "visuals", "collisions", "frames", "soft_skin", "gravity", "self_collide"}
    ),
    model.Visual: frozenset({"geometry", "pose", "color"}),
    model.Collision: frozenset({"geometry", "pose", "enabled"}),
    model.Frame: frozenset({"name", "pose"}),
    model.SoftSkin: frozenset({"geometry", "pose", "mass", "vertex_stiffness", "edge_stiffness", "damping", "subdivisions"}),
    model.Mesh: frozenset({"uri", "scale"}),
    model.Spherical: frozenset(),
    model.Joint: frozenset({"name", "type", "parent", "child", "pose", "coordinates", "actuation"}),
    model.Coordinate: fields_except(
        model.Coordinate,
        *("armature", "continuous", "coupling", "hard_limits", "hints", "jerk_limits", "states_position"),
    ),
    Pose: frozenset({"position", "wxyz"}),
}
