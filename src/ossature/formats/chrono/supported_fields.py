"""Fields of the model that the Chrono writer writes or records in the ledger; the audit reports the others."""

from __future__ import annotations

from collections.abc import Mapping

from ossature import model
from ossature.model.unsupported_fields import all_fields, fields_except
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    **all_fields(model.DartStepping, model.ChronoContact, model.ChronoCollision, model.Inertial, model.Range),
    **all_fields(model.Box, model.Sphere, model.Ellipsoid, model.Cylinder, model.Capsule, model.Cone, model.Pyramid),
    **all_fields(model.Plane, model.MultiSphere, model.Ball, model.Mesh),
    **all_fields(model.Fixed, model.Revolute, model.Prismatic, model.Screw, model.Universal, model.Euler, model.Floating),
    **all_fields(
        model.Translational, model.Translational2D, model.Planar, model.Cylindrical, model.PointOnLine, model.PointOnPlane
    ),
    **all_fields(model.Bushing, model.Constraint, model.Distance, model.RevoluteSpherical, model.RevoluteTranslational),
    **all_fields(model.ForceMap, model.RotationalSpringDamper, model.Motor, model.Load, model.SpringDamper, model.SpringVisual),
    **all_fields(model.Function),
    model.World: fields_except(model.World, "grasps", "extensions"),
    model.Model: fields_except(model.Model, "ignored_pairs", "manipulators", "sensors", "actuators", "hints", "extensions"),
    model.Visual: fields_except(model.Visual, "visible", "name", "appearance", "hints"),
    model.Collision: fields_except(model.Collision, "name", "hints"),
    model.Material: fields_except(model.Material, "torsional_friction", "rolling_friction"),
    model.Spherical: fields_except(model.Spherical, "max_angle"),
    model.Joint: fields_except(model.Joint, "extensions"),
    model.Coordinate: fields_except(
        model.Coordinate, "jerk_limits", "hard_limits", "continuous", "coupling", "armature", "hints"
    ),
    model.Body: fields_except(
        model.Body,
        *("extensions", "frames", "gravity", "gravity_compensation", "mocap", "origin", "self_collisions", "soft_skin"),
    ),
    Pose: frozenset({"position", "wxyz"}),
}
"""By class; other fields are dropped with an entry."""
