"""The helper that proves writers total leaves no field of the model out."""

from __future__ import annotations

import dataclasses

from complete_robot import robot
from conftest import PROJECT
from ossature import model as m
from ossature.diagnostics import Report
from ossature.formats.load_file import read_file
from ossature.model import World
from ossature.model.element_fields import compared_fields, elements
from perturb import perturbations

FOLDERS = ("examples", "tests/skel/files", "tests/chrono/files", "tests/mjcf/files")
OWN_FILES = sorted(
    path
    for folder in FOLDERS
    for path in (PROJECT / folder).iterdir()
    if path.suffix == ".skel" or path.name in ("everything.yaml", "run.yaml", "everything.xml")
)
NOT_IN_FILES = {"ossature.model.state"}  # no part of a World
NOT_CHANGED = {
    ("Extension", "format"): "names a format; another one has its own words",
    ("Extension", "key"): "a word of the format",
    ("Extension", "value"): "a word of the format",
    ("Body", "inertial"): "its fields are changed",
    ("Visual", "geometry"): "its fields are changed",
    ("Collision", "geometry"): "its fields are changed",
    ("SoftSkin", "geometry"): "its fields are changed",
    ("Joint", "type"): "its fields are changed",
    ("Joint", "child"): "another child is another mechanism",
    ("Joint", "coordinates"): "as many as the type says; their fields are changed",
    ("Coordinate", "position_limits"): "its fields are changed",
    ("Coordinate", "velocity_limits"): "its fields are changed",
    ("Coordinate", "acceleration_limits"): "its fields are changed",
    ("Coordinate", "effort_limits"): "its fields are changed",
    ("Coordinate", "jerk_limits"): "its fields are changed",
    ("HardLimits", "position"): "its fields are changed",
    ("HardLimits", "velocity"): "its fields are changed",
    ("HardLimits", "acceleration"): "its fields are changed",
    ("HardLimits", "jerk"): "its fields are changed",
    ("Compound", "axes"): "as many as the joint has coordinates; their fields are changed",
    ("Coupling", "position"): "its fields are changed",
    ("PartialDerivative", "expression"): "its fields are changed",
    ("MeshData", "vertices"): "a surface is changed as one",
    ("MeshData", "faces"): "a surface is changed as one",
    ("Grasp", "link"): "its fields are changed",
    ("Grasp", "body"): "its fields are changed",
    ("JointPosition", "joint"): "another joint is another mechanism",
    ("PartialDerivative", "joint"): "another joint is another mechanism",
    ("IkFreeJoint", "joint"): "another joint is another mechanism",
    ("GripperJoint", "joint"): "another joint is another mechanism",
    ("Channel", "model"): "another model is another mechanism",
    ("Channel", "joint"): "another joint is another mechanism",
    ("Actuator", "joint"): "another joint is another mechanism",
    ("Manipulator", "base"): "another body is another mechanism",
    ("Manipulator", "tip"): "another body is another mechanism",
    ("BodyPath", "model"): "another model is another mechanism",
    ("BodyPath", "body"): "another body is another mechanism",
    ("World", "models"): "its elements are changed, and taken away",
    ("World", "trajectories"): "its elements are changed, and taken away",
    ("Model", "bodies"): "its elements are changed, and taken away",
    ("Model", "joints"): "its elements are changed, and taken away",
    **dict.fromkeys(
        [
            ("Model", "bushings"),
            ("Model", "constraints"),
            ("Model", "loads"),
            ("Model", "motors"),
            ("Model", "rotational_spring_dampers"),
            ("Model", "spring_dampers"),
            ("Model", "manipulators"),
            ("Model", "sensors"),
            ("Model", "actuators"),
        ],
        "its elements are changed, and taken away",
    ),
    **dict.fromkeys(
        [
            ("Bushing", "body1"),
            ("Bushing", "body2"),
            ("Constraint", "body1"),
            ("Constraint", "body2"),
            ("Load", "body"),
            ("Motor", "body1"),
            ("Motor", "body2"),
            ("RotationalSpringDamper", "body1"),
            ("RotationalSpringDamper", "body2"),
            ("SpringDamper", "body1"),
            ("SpringDamper", "body2"),
        ],
        "another body is another mechanism",
    ),
    ("Bushing", "pose2"): "no format states it: it comes from a state",
    ("ColladaMotorSpeeds", "unit"): "it takes no part in equality",
    ("Constraint", "type"): "its fields are changed",
    ("Load", "modulation"): "its fields are changed",
    ("StereoView", "camera"): "its fields are changed",
    ("Motor", "function"): "its fields are changed",
    ("RepeatedFunction", "function"): "its fields are changed",
    **dict.fromkeys(
        [
            *(("Actuator", name) for name in ("model", "transmission")),
            *(("ActuatorModel", f"{name}_limits") for name in ("activation", "control", "force")),
            *(("Tendon", name) for name in ("effort_limits", "length_limits", "path")),
            *(("ContactPair", name) for name in ("shape1", "shape2")),
            *((kind, name) for kind in ("Connection", "Weld") for name in ("frame1", "frame2")),
            *(("SliderCrank", name) for name in ("crank", "slider")),
            *(("Measurement", name) for name in ("element", "reference")),
            *(("FrameTransmission", "frame"), ("ViaPoint", "frame"), ("Wrapping", "shape")),
            *(("Frame", "geometry"), ("Sensor", "measurement")),
        ],
        "its fields are changed",
    ),
    **dict.fromkeys(
        [
            *((kind, name) for kind in ("Connection", "Weld") for name in ("body1", "body2")),
            *(("JointEquality", name) for name in ("joint1", "joint2")),
            *((kind, "joint") for kind in ("JointTerm", "KeyframeJoint", "MeasuredElement")),
            *((kind, "body") for kind in ("BodyTransmission", "Camera", "FrameReference", "KeyframeBody", "Light")),
            *((kind, "body") for kind in ("MeasuredElement", "ShapeReference")),
        ],
        "another element is another mechanism",
    ),
    **{
        ("Model", name): "its elements are changed, and taken away"
        for name in (*("appearances", "cameras", "contact_pairs", "equalities", "keyframes", "lights", "tendons", "textures"),)
    },
    **{("HeightField", name): "as many as there are elevations" for name in ("columns", "rows")},
    ("MeasuredElement", "kind"): "another kind has other fields",
    ("Measurement", "quantity"): "another quantity is of another element",
    **{(f"Mujoco{kind}", "plugin"): "an element, kept as text" for kind in ("Actuator", "Geom", "Sensor")},
    ("MujocoSensor", "mesh"): "the name of a mesh that is kept as text",
}


def fields_of_the_model() -> set[tuple[str, str]]:
    kinds = [getattr(m, name) for name in m.__all__]
    return {
        (kind.__name__, item.name)
        for kind in kinds
        if isinstance(kind, type) and dataclasses.is_dataclass(kind)
        if kind.__module__ not in NOT_IN_FILES
        for item in compared_fields(kind)
    }


def changed_fields(world: World) -> set[tuple[str, str]]:
    by_path = {path: element for path, element, _ in elements(world)}
    found = set()
    for where, _ in perturbations(world):
        owner, _, name = where.removesuffix(".position").removesuffix(".wxyz").rpartition(".")
        if where.endswith(".position") and where.removesuffix(".position") in by_path:  # of a ball or light, which is no pose
            owner, name = where.removesuffix(".position"), "position"
        if owner in by_path:
            found.add((type(by_path[owner]).__name__, name))
    return found


def test_every_field_is_changed_in_some_file() -> None:
    changed: set[tuple[str, str]] = set()
    for path in OWN_FILES:
        world = read_file(path, Report())
        assert world is not None
        changed |= changed_fields(world)
    changed |= changed_fields(robot())
    assert fields_of_the_model() - changed == set(NOT_CHANGED)
