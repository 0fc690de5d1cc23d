"""The helper that proves writers total leaves no field of the model out."""

from __future__ import annotations

import dataclasses

from complete_robot import robot
from conftest import PROJECT
from ossature import model as m
from ossature.diagnostics import Report
from ossature.formats.load_file import read_file
from ossature.model import World
from ossature.model.writer_audit import compared_fields, elements
from perturb import perturbations

FOLDERS = ("examples", "tests/skel/files", "tests/chrono/files")
OWN_FILES = sorted(
    path
    for folder in FOLDERS
    for path in (PROJECT / folder).iterdir()
    if path.suffix == ".skel" or path.name in ("everything.yaml", "run.yaml")
)
NOT_IN_FILES = {
    "ossature.model.state",  # no part of a World
    *(
        f"ossature.model.{name}"  # of MJCF files alone
        for name in (
            *("actuator_model", "appearance", "contact_pair", "element_references", "equality"),
            *("keyframe", "mujoco_hints", "tendon", "view"),
        )
    ),
}
FIELDS_OF_MJCF = {
    *((kind, "hints") for kind in ("Actuator", "Collision", "Frame", "Sensor", "Visual")),
    *(("Frame", name) for name in ("geometry", "color", "appearance")),
    *(("Actuator", name) for name in ("transmission", "model")),
    *(("Material", name) for name in ("torsional_friction", "rolling_friction")),
    *(("Model", name) for name in ("tendons", "equalities", "contact_pairs", "keyframes")),
    *(("Model", name) for name in ("cameras", "lights", "appearances", "textures")),
    *(("HeightField", name) for name in ("rows", "columns", "size", "elevations")),
    *(("MeasuredElement", name) for name in ("kind", "body", "frame", "shape", "joint", "coordinate")),
    *(("MeasuredElement", name) for name in ("tendon", "actuator", "camera")),
    *(("Measurement", name) for name in ("quantity", "element", "reference", "cutoff", "noise")),
    *(("SphericalMotion", name) for name in ("anchor", "max_angle")),
    ("Spherical", "max_angle"),
    ("Sensor", "measurement"),
    ("Visual", "appearance"),
}
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
    ("ColladaMotorSpeeds", "unit"): "it takes no part in equality",
    ("Constraint", "type"): "its fields are changed",
    ("Load", "modulation"): "its fields are changed",
    ("StereoView", "camera"): "its fields are changed",
    ("Motor", "function"): "its fields are changed",
    ("RepeatedFunction", "function"): "its fields are changed",
}


def fields_of_the_model() -> set[tuple[str, str]]:
    kinds = [getattr(m, name) for name in m.__all__]
    return {
        (kind.__name__, item.name)
        for kind in kinds
        if isinstance(kind, type) and dataclasses.is_dataclass(kind)
        if kind.__module__ not in NOT_IN_FILES
        for item in compared_fields(kind)
        if (kind.__name__, item.name) not in FIELDS_OF_MJCF
    }


def changed_fields(world: World) -> set[tuple[str, str]]:
    by_path = {path: element for path, element, _ in elements(world)}
    found = set()
    for where, _ in perturbations(world):
        owner, _, name = where.removesuffix(".position").removesuffix(".wxyz").rpartition(".")
        if where.endswith("].position"):  # of a ball, which is no pose; or limits, whose ends are changed
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
