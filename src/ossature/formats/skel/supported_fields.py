"""The fields of the model that a SKEL file can represent; the writer audit records all others in the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from ossature import model
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    model.World: frozenset({"name", "gravity", "time_step", "hints", "models", "extensions"}),
    model.DartStepping: frozenset(),
    model.Extension: frozenset({"format", "key", "value"}),
    model.Model: frozenset({"name", "pose", "bodies", "joints", "static"}),
    model.Body: frozenset(
        {
            "name",
            "pose",
            "inertial",
            "visuals",
            "collisions",
            "frames",
            "soft_skin",
            "gravity",
            "self_collide",
        }
    ),
    model.Inertial: frozenset({"mass", "center_of_mass", "moment"}),
    model.Visual: frozenset({"geometry", "pose", "color"}),
    model.Collision: frozenset({"geometry", "pose", "enabled"}),
    model.Frame: frozenset({"name", "pose"}),
    model.SoftSkin: frozenset({"geometry", "pose", "mass", "vertex_stiffness", "edge_stiffness", "damping", "subdivisions"}),
    model.Box: frozenset({"size"}),
    model.Sphere: frozenset({"radius"}),
    model.Ellipsoid: frozenset({"diameters"}),
    model.Cylinder: frozenset({"radius", "length"}),
    model.Capsule: frozenset({"radius", "length"}),
    model.Cone: frozenset({"radius", "length"}),
    model.Pyramid: frozenset({"base_width", "base_depth", "height"}),
    model.Plane: frozenset({"normal", "offset"}),
    model.MultiSphere: frozenset({"balls"}),
    model.Ball: frozenset({"radius", "position"}),
    model.Mesh: frozenset({"uri", "scale"}),
    model.Joint: frozenset({"name", "type", "parent", "child", "pose", "coordinates", "actuation"}),
    model.Fixed: frozenset(),
    model.Revolute: frozenset({"axis"}),
    model.Prismatic: frozenset({"axis"}),
    model.Screw: frozenset({"axis", "pitch"}),
    model.Universal: frozenset({"axis1", "axis2"}),
    model.Spherical: frozenset(),
    model.Euler: frozenset({"order"}),
    model.Translational: frozenset(),
    model.Translational2D: frozenset({"axis1", "axis2"}),
    model.Planar: frozenset({"axis1", "axis2"}),
    model.Floating: frozenset(),
    model.Range: frozenset({"lower", "upper"}),
    model.Coordinate: frozenset(
        {
            "name",
            "position_limits",
            "velocity_limits",
            "acceleration_limits",
            "effort_limits",
            "initial_position",
            "initial_velocity",
            "initial_acceleration",
            "initial_effort",
            "damping",
            "friction",
            "stiffness",
            "spring_reference",
        }
    ),
    Pose: frozenset({"position", "wxyz"}),
}
