"""Fields of the model that the Chrono writer writes or records in the ledger; the audit reports the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ossature import model
from ossature.spatial import Pose


def _all_supported_fields(*kinds: type) -> dict[type, frozenset[str]]:
    return {kind: _all_fields_but(kind) for kind in kinds}


def _all_fields_but(kind: type, *missing: str) -> frozenset[str]:
    return frozenset(item.name for item in dataclasses.fields(kind)) - frozenset(missing)


SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    **_all_supported_fields(
        model.DartStepping,
        model.ChronoContact,
        model.ChronoCollision,
        model.Inertial,
        model.Box,
        model.Sphere,
        model.Ellipsoid,
        model.Cylinder,
        model.Capsule,
        model.Cone,
        model.Pyramid,
        model.Plane,
        model.MultiSphere,
        model.Ball,
        model.Mesh,
        model.Fixed,
        model.Revolute,
        model.Prismatic,
        model.Screw,
        model.Cylindrical,
        model.Universal,
        model.Euler,
        model.Translational,
        model.Translational2D,
        model.Planar,
        model.PointOnLine,
        model.PointOnPlane,
        model.Floating,
        model.Range,
        model.Bushing,
        model.Constraint,
        model.Distance,
        model.RevoluteSpherical,
        model.RevoluteTranslational,
        model.SpringDamper,
        model.ForceMap,
        model.SpringVisual,
        model.RotationalSpringDamper,
        model.Motor,
        model.Load,
        model.ConstantFunction,
        model.PolynomialFunction,
        model.SineFunction,
        model.RampFunction,
        model.TableFunction,
        model.RepeatedFunction,
        model.ExternalFunction,
    ),
    model.World: _all_fields_but(model.World, "grasps", "extensions"),
    model.Model: _all_fields_but(model.Model, "ignored_pairs", "manipulators", "sensors", "actuators", "hints", "extensions"),
    model.Visual: _all_fields_but(model.Visual, "visible", "name", "appearance", "hints"),
    model.Collision: _all_fields_but(model.Collision, "name", "hints"),
    model.Material: _all_fields_but(model.Material, "torsional_friction", "rolling_friction"),
    model.Spherical: _all_fields_but(model.Spherical, "max_angle"),
    model.Joint: _all_fields_but(model.Joint, "extensions"),
    model.Coordinate: _all_fields_but(
        model.Coordinate, "jerk_limits", "hard_limits", "continuous", "coupling", "armature", "hints"
    ),
    model.Body: frozenset(
        {
            "name",
            "pose",
            "inertial",
            "visuals",
            "collisions",
            "self_collide",
            "hints",
            "initial_velocity",
            "initial_angular_velocity_body",
        }
    ),
    Pose: frozenset({"position", "wxyz"}),
}
"""By class; other fields are dropped with an entry."""
