"""The fields of the model that an SDFormat file can represent; the writer audit records all others in the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from ossature import model
from ossature.model.unsupported_fields import all_fields
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    **all_fields(model.Extension, model.Inertial, model.Range),
    **all_fields(model.Box, model.Sphere, model.Ellipsoid, model.Cylinder, model.Capsule, model.Cone, model.Plane, model.Mesh),
    **all_fields(model.Fixed, model.Revolute, model.Prismatic, model.Screw, model.Universal, model.Axis),
    **all_fields(model.JointPosition, model.Operation, model.Light, model.Texture, model.TextureLayer),
    model.World: frozenset({"name", "gravity", "time_step", "models", "extensions"}),
    model.Model: frozenset(
        {
            *("name", "pose", "bodies", "joints", "static", "sensors", "lights", "appearances", "textures"),
            "extensions",
        }
    ),
    model.Body: frozenset(
        {"name", "pose", "inertial", "visuals", "collisions", "frames", "gravity", "self_collide", "extensions"}
    ),
    model.Visual: frozenset({"geometry", "pose", "color", "name", "appearance"}),
    model.Appearance: frozenset({"name", "color", "textures", "emission", "specular", "shininess", "metallic", "roughness"}),
    model.Collision: frozenset({"geometry", "pose", "enabled", "material", "name"}),
    model.Material: frozenset({"friction", "restitution", "young_modulus", "poisson_ratio", "rolling_friction"}),
    model.Frame: frozenset({"name", "pose"}),
    model.Joint: frozenset({"name", "type", "parent", "child", "pose", "coordinates", "extensions"}),
    model.Spherical: frozenset(),
    model.Compound: frozenset({"axes"}),
    model.Coordinate: frozenset(
        {
            *("position_limits", "velocity_limits", "effort_limits", "damping", "friction", "stiffness", "spring_reference"),
            "coupling",
        }
    ),
    model.Coupling: frozenset({"position"}),
    model.Number: frozenset({"value"}),
    model.Sensor: frozenset({"name", "body", "pose", "type", "description", "settings"}),
    model.PinholeCamera: frozenset({"width", "height", "measurement_time", "intrinsic", "distortion"}),
    model.Distortion: frozenset({"model", "coefficients"}),
    model.Laser2D: frozenset(
        {"min_angle", "max_angle", "min_distance", "max_distance", "angle_increment", "measurement_time", "distance_deviation"}
    ),
    model.Imu: frozenset({"measurement_time", "angular_velocity_covariance", "linear_acceleration_covariance"}),
    model.Force6D: frozenset({"polarity", "measurement_time"}),
    Pose: frozenset({"position", "wxyz"}),
}
