"""The fields of the model that an OpenUSD file can represent; the writer audit records all others in the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from ossature import model
from ossature.formats.usd.scene_options import SUPPORTED_OPTIONS
from ossature.model.unsupported_fields import all_fields, fields_except
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    **all_fields(model.Inertial, model.Range),
    **all_fields(model.Box, model.Sphere, model.Ellipsoid, model.Cylinder, model.Capsule, model.Cone, model.Plane),
    **all_fields(model.Pyramid, model.MultiSphere, model.Ball, model.HeightField, model.TriangleMesh),
    **all_fields(model.Fixed, model.Revolute, model.Prismatic, model.Cylindrical, model.Universal, model.Euler),
    **all_fields(model.Translational, model.Translational2D, model.Planar, model.PointOnLine, model.PointOnPlane),
    **all_fields(model.Compound, model.Axis, model.JointPosition, model.Operation),
    model.World: frozenset({"name", "gravity", "time_step", "models", "hints"}),
    model.MujocoOption: SUPPORTED_OPTIONS,
    model.Model: frozenset(
        {
            *("name", "pose", "bodies", "joints", "static", "joined_bodies_collide", "ignored_pairs", "appearances"),
            *("actuators", "tendons", "equalities"),
        }
    ),
    model.Body: frozenset(
        {
            "name",
            "pose",
            "inertial",
            "visuals",
            "collisions",
            "frames",
            "gravity",
            "self_collide",
            "mocap",
            "initial_velocity",
            "initial_angular_velocity_body",
        }
    ),
    model.Visual: frozenset({"geometry", "pose", "color", "visible", "name", "appearance"}),
    model.Appearance: frozenset({"name", "color", "metallic", "roughness"}),
    model.Collision: frozenset({"geometry", "pose", "enabled", "material", "margin", "name", "hints"}),
    model.MujocoGeom: frozenset({"condim", "priority", "solmix", "solref", "solimp", "group", "maxhullvert"}),
    model.Material: frozenset({"name", "friction", "restitution", "torsional_friction", "rolling_friction"}),
    model.Frame: frozenset({"name", "pose", "geometry"}),
    model.Joint: frozenset({"name", "type", "parent", "child", "pose", "coordinates"}),
    model.Spherical: frozenset(),
    model.SphericalMotion: frozenset({"anchor"}),
    model.Coordinate: frozenset(
        {
            *("name", "position_limits", "velocity_limits", "effort_limits", "initial_position", "damping", "friction"),
            *("stiffness", "spring_reference", "coupling", "armature", "hints"),
        }
    ),
    model.Coupling: frozenset({"position"}),
    model.Number: frozenset({"value"}),
    model.Actuator: frozenset({"name", "joint", "type", "transmission", "model", "hints"}),
    model.ActuatorModel: fields_except(model.ActuatorModel, "damping", "armature"),
    **all_fields(model.JointTransmission, model.TendonTransmission, model.FrameTransmission, model.BodyTransmission),
    **all_fields(model.FrameReference, model.Connection, model.Weld, model.JointEquality, model.JointSum, model.JointTerm),
    model.MujocoActuator: frozenset({"group", "actearly"}),
    model.Tendon: fields_except(model.Tendon, "width", "color", "appearance"),
    model.MujocoTendon: frozenset({"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "group"}),
    model.Equality: fields_except(model.Equality),
    model.MujocoConstraint: frozenset({"solref", "solimp"}),
    model.MujocoJoint: frozenset(
        {"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin", "group", "actuatorgravcomp"}
    ),
    Pose: frozenset({"position", "wxyz"}),
}
