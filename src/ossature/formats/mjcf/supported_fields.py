"""The fields of the model that an MJCF file can represent; the writer audit records all others in the ledger."""

from __future__ import annotations

from collections.abc import Mapping

from ossature import model
from ossature.model.unsupported_fields import all_fields, fields_except
from ossature.spatial import Pose

SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    model.World: frozenset({"name", "gravity", "time_step", "hints", "models", "grasps", "extensions"}),
    model.Model: frozenset(
        {
            *("name", "pose", "bodies", "joints", "static", "joined_bodies_collide", "ignored_pairs", "actuators", "bushings"),
            *("constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads", "tendons", "equalities"),
            *("contact_pairs", "keyframes", "cameras", "lights", "appearances", "textures", "sensors", "extensions"),
        }
    ),
    model.Body: fields_except(model.Body, "self_collisions"),
    model.Material: frozenset({"friction", "torsional_friction", "rolling_friction"}),
    model.SoftSkin: frozenset({"geometry", "pose"}),
    model.Joint: fields_except(model.Joint, "extensions"),
    **all_fields(model.Grasp, model.BodyPath, model.Inertial, model.Visual, model.Collision, model.Frame, model.DartStepping),
    **all_fields(model.Geometry, model.JointType, model.Function, model.Ball),
    **all_fields(model.Axis, model.Range, model.Coupling, model.Number, model.JointPosition),
    **all_fields(model.Operation, model.Bushing, model.Constraint, model.Distance, model.RevoluteSpherical, model.Motor),
    **all_fields(model.RevoluteTranslational, model.ForceMap, model.RotationalSpringDamper, model.Load, model.ElectricMotor),
    **all_fields(
        model.TorquePoint,
        model.Controller,
        model.SphericalMotion,
        model.Tendon,
        model.SpatialPath,
        model.JointSum,
        model.JointTerm,
        model.ViaPoint,
    ),
    **all_fields(model.Pulley, model.Wrapping, model.FrameReference, model.ShapeReference, model.Equality, model.Connection),
    **all_fields(model.Weld, model.JointEquality, model.TendonEquality, model.ContactPair, model.Keyframe),
    **all_fields(model.KeyframeJoint, model.KeyframeActuator, model.KeyframeBody, model.Camera, model.Light),
    **all_fields(model.Appearance, model.Texture, model.TextureLayer, model.ActuatorModel, model.JointTransmission),
    **all_fields(model.TendonTransmission, model.FrameTransmission, model.BodyTransmission, model.SliderCrank),
    **all_fields(model.Measurement, model.MeasuredElement, model.MujocoActuator, model.MujocoBody, model.MujocoConstraint),
    **all_fields(model.MujocoGeom, model.MujocoJoint, model.MujocoOption, model.MujocoSensor, model.MujocoSite),
    **all_fields(model.MujocoTendon, model.Extension),
    model.SpringDamper: fields_except(model.SpringDamper, "visual"),
    model.Actuator: frozenset({"name", "joint", "type", "motor", "controller", "transmission", "model", "hints"}),
    model.Sensor: frozenset({"name", "body", "pose", "type", "measurement", "hints"}),
    model.Coordinate: frozenset(
        {
            *("name", "position_limits", "effort_limits", "initial_position", "initial_velocity", "initial_effort", "damping"),
            *("friction", "stiffness", "spring_reference", "coupling", "continuous", "armature", "hints"),
        }
    ),
    **all_fields(Pose),
}
"""Fields that an MJCF file represents in some form."""
