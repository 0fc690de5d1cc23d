"""The fields of the model that an MJCF file can represent; the writer audit records all others in the ledger."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ossature import model
from ossature.spatial import Pose


def _fields(kind: type[Any], *without: str) -> frozenset[str]:
    return frozenset(item.name for item in dataclasses.fields(kind)) - set(without)


SUPPORTED_FIELDS: Mapping[type, frozenset[str]] = {
    model.World: frozenset({"name", "gravity", "time_step", "hints", "models", "grasps", "extensions"}),
    model.DartStepping: frozenset(),
    model.Grasp: _fields(model.Grasp),
    model.BodyPath: _fields(model.BodyPath),
    model.Model: frozenset(
        {
            *("name", "pose", "bodies", "joints", "static", "joined_bodies_collide", "ignored_pairs", "actuators", "bushings"),
            *("constraints", "spring_dampers", "rotational_spring_dampers", "motors", "loads", "tendons", "equalities"),
            *("contact_pairs", "keyframes", "cameras", "lights", "appearances", "textures", "sensors", "extensions"),
        }
    ),
    model.Body: _fields(model.Body, "self_collisions"),
    model.Inertial: _fields(model.Inertial),
    model.Visual: _fields(model.Visual),
    model.Collision: _fields(model.Collision),
    model.Material: frozenset({"friction", "torsional_friction", "rolling_friction"}),
    model.Frame: _fields(model.Frame),
    model.SoftSkin: frozenset({"geometry", "pose"}),
    model.Box: _fields(model.Box),
    model.Sphere: _fields(model.Sphere),
    model.Ellipsoid: _fields(model.Ellipsoid),
    model.Cylinder: _fields(model.Cylinder),
    model.Capsule: _fields(model.Capsule),
    model.Cone: _fields(model.Cone),
    model.Pyramid: _fields(model.Pyramid),
    model.Plane: _fields(model.Plane),
    model.MultiSphere: _fields(model.MultiSphere),
    model.Ball: _fields(model.Ball),
    model.Mesh: _fields(model.Mesh),
    model.TriangleMesh: _fields(model.TriangleMesh),
    model.Joint: _fields(model.Joint, "extensions"),
    **{
        kind: _fields(kind)
        for kind in (
            *(model.Fixed, model.Revolute, model.Prismatic, model.Screw, model.Universal, model.Spherical, model.Euler),
            *(model.Translational, model.Translational2D, model.Planar, model.Floating, model.Cylindrical, model.PointOnLine),
            *(model.PointOnPlane, model.Compound, model.Axis, model.Range, model.Coupling, model.Number, model.JointPosition),
            *(model.Operation, model.Bushing, model.Constraint, model.Distance, model.RevoluteSpherical, model.Motor),
            *(model.RevoluteTranslational, model.ForceMap, model.RotationalSpringDamper, model.Load, model.ElectricMotor),
            *(model.TorquePoint, model.Controller, model.ConstantFunction, model.PolynomialFunction, model.SineFunction),
            *(model.RampFunction, model.TableFunction, model.RepeatedFunction, model.ExternalFunction, model.SphericalMotion),
            *(
                model.HeightField,
                model.Tendon,
                model.SpatialPath,
                model.JointSum,
                model.JointTerm,
                model.ViaPoint,
                model.Pulley,
            ),
            *(model.Wrapping, model.FrameReference, model.ShapeReference, model.Equality, model.Connection, model.Weld),
            *(model.JointEquality, model.TendonEquality, model.ContactPair, model.Keyframe, model.KeyframeJoint),
            *(model.KeyframeActuator, model.KeyframeBody, model.Camera, model.Light, model.Appearance, model.Texture),
            *(model.TextureLayer, model.ActuatorModel, model.JointTransmission, model.TendonTransmission),
            *(model.FrameTransmission, model.BodyTransmission, model.SliderCrank, model.Measurement, model.MeasuredElement),
            *(model.MujocoActuator, model.MujocoBody, model.MujocoConstraint, model.MujocoGeom, model.MujocoJoint),
            *(model.MujocoOption, model.MujocoSensor, model.MujocoSite, model.MujocoTendon, model.Extension),
        )
    },
    model.SpringDamper: _fields(model.SpringDamper, "visual"),
    model.Actuator: frozenset({"name", "joint", "type", "motor", "controller", "transmission", "model", "hints"}),
    model.Sensor: frozenset({"name", "body", "pose", "type", "measurement", "hints"}),
    model.Coordinate: frozenset(
        {
            *("name", "position_limits", "effort_limits", "initial_position", "initial_velocity", "initial_effort", "damping"),
            *("friction", "stiffness", "spring_reference", "coupling", "continuous", "armature", "hints"),
        }
    ),
    Pose: _fields(Pose),
}
"""Fields that an MJCF file represents in some form."""
