"""SDFormat's own tests and Gazebo's worlds, compared with what libsdformat 12.3 makes of each file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import corpus_folder
from ossature.assets import Resolver
from ossature.diagnostics import Report, Severity, Source
from ossature.formats.sdf import read_sdf
from ossature.model import Body, Compound, Joint, Model, Range, Universal, World
from ossature.spatial import IDENTITY, Pose

NEWER = "SDFormat 1.10 and later allow or reject it; libsdformat 12.3 knows 1.9"
RIGHT_HERE = "the specification says so; libsdformat 12.3 does not find the frame or does not look"
NOT_MODELS = "the file has a light or an actor, and no model"
PASSED = "the element is passed through as text"
NO_MESH = "the inertia is computed from a mesh that the corpus does not have"
EXPECTED_ERRORS = {
    "gz-sim/test/worlds/models/cylinder_dae/model.sdf": NO_MESH,
    "gz-sim/test/worlds/models/cylinder_dae_convex_decomposition/model.sdf": NO_MESH,
    "gz-sim/test/worlds/models/nested_models/model.sdf": RIGHT_HERE,
    "integration/model/model_without_top_level/model.sdf": NOT_MODELS,
    "integration/model/test_actor/model.sdf": NOT_MODELS,
    "integration/model/test_light/model.sdf": NOT_MODELS,
    "joint_axis_invalid_expressed_in.sdf": RIGHT_HERE,
    "joint_complete.sdf": "two joints have no second axis, so that both are the default one",
    "world_joint_invalid_child_world.sdf": NEWER,
    "world_joint_invalid_resolved_parent_same_as_child.sdf": NEWER,
}
"""Files in which errors are found and libsdformat has none, with the reason."""
SIBLINGS = "models beside that of the file are found without Gazebo's search path"
EXPECTED_VALID = {
    "bad_syntax_double.sdf": PASSED,
    "gz-sim/examples/worlds/sensors.sdf": NEWER,
    "gz-sim/test/worlds/air_speed.sdf": NEWER,
    "inertial_invalid.sdf": "`ossature check` finds it",
    "integration/include_invalid_custom_model.sdf": "changes of included elements are experimental: they are ignored",
    "integration/merge_include_model.sdf": RIGHT_HERE,
    "integration/model/nested_include/base/base.sdf": SIBLINGS,
    "integration/model/nested_include/top_model/top_model.sdf": SIBLINGS,
    "integration/model/merge_robot/model.sdf": RIGHT_HERE,
    "integration/model/pr2.sdf": "materials without <uri> are read by their names",
    "joint_child_model_frame.sdf": RIGHT_HERE,
    "joint_nested_parent_child.sdf": RIGHT_HERE,
    "joint_parent_model_frame.sdf": RIGHT_HERE,
    "material_normal_map_missing.sdf": PASSED,
    "world_duplicate.sdf": "the second world is not read, whatever its name is",
}
"""Files in which libsdformat has errors and none are found, with the reason."""
COMPUTED = "the inertia is computed from shapes, which came with SDFormat 1.11"
SHAPES = "shapes that cannot be represented, or visuals without shape, are ignored"
ROUNDED = "the file's quaternions are rounded: they are normalized here"
DIFFERENT = {
    "gz-sim/examples/worlds/auto_inertia_pendulum.sdf": COMPUTED,
    "gz-sim/examples/worlds/led_plugin.sdf": COMPUTED,
    "gz-sim/examples/worlds/polylines.sdf": SHAPES,
    "gz-sim/examples/worlds/shapes.sdf": COMPUTED,
    "gz-sim/test/worlds/demo_joint_types.sdf": "a gearbox is a coupling of two joints",
    "include_pose_1_9.sdf": ROUNDED,
    "includes_rotations_in_quaternions.sdf": ROUNDED,
    "inertial_stats_auto.sdf": COMPUTED,
    "inertial_stats_auto_mass.sdf": COMPUTED,
    "link_duplicate_cousin_collisions.sdf": SHAPES,
    "link_duplicate_cousin_visuals.sdf": SHAPES,
    "material.sdf": SHAPES,
    "material_pbr.sdf": SHAPES,
    "material_valid.sdf": SHAPES,
    "mesh_auto_inertial.sdf": COMPUTED,
    "model_link_joint_same_name.sdf": "libsdformat renames the joint",
    "pose_1_9.sdf": ROUNDED,
    "resolve_uris.sdf": SHAPES,
    "rotations_in_quaternions.sdf": ROUNDED,
    "shapes.sdf": SHAPES,
}
"""Valid files whose numbers differ, with the reason."""
TYPES = ["ball", "continuous", "fixed", "gearbox", "prismatic", "revolute", "revolute2", "screw", "universal"]
KINDS = {
    "ball": "Spherical",
    "continuous": "Revolute",
    "fixed": "Fixed",
    "gearbox": "Revolute",
    "prismatic": "Prismatic",
    "revolute": "Revolute",
    "revolute2": "Universal",
    "screw": "Screw",
    "universal": "Universal",
}


def names() -> list[str]:
    """Return the files with a reference."""
    folder = corpus_folder()
    if folder is None:
        return []
    root = folder / "reference" / "sdf"
    return sorted(path.relative_to(root).as_posix().removesuffix(".json") for path in root.rglob("*.json"))


def read(corpus: Path, name: str) -> tuple[World | None, list[str]]:
    """Return the World of a file and its errors."""
    root = corpus / "corpus" / "sdf"
    path, report = root / name, Report()
    search = [root, root / "integration", root / "integration" / "model"]
    world = read_sdf(Source(str(path), path.read_bytes()), report, resolver=Resolver.of_file(path, search), folder=path.parent)
    return world, [str(finding) for finding in report if finding.severity is Severity.ERROR]


@pytest.mark.corpus
@pytest.mark.parametrize("part", range(4))
def test_frames_masses_joints_and_errors_are_those_of_libsdformat(corpus: Path, part: int) -> None:
    """Every fourth file, so that the parts run in parallel."""
    unexpected = {}
    for name in names()[part::4]:
        reference = json.loads((corpus / "reference" / "sdf" / f"{name}.json").read_text())
        world, errors = read(corpus, name)
        if bool(errors) != bool(reference["errors"]):
            if name not in (EXPECTED_ERRORS if errors else EXPECTED_VALID):
                unexpected[name] = errors or [error["message"] for error in reference["errors"]]
        elif not errors:
            assert world is not None, name
            differences = list(compare(world, reference))
            if bool(differences) != (name in DIFFERENT):
                unexpected[name] = differences
    assert not unexpected


def test_the_lists_of_exceptions_name_files(corpus: Path) -> None:
    """A file is in one list at most, and exists."""
    listed = [*EXPECTED_ERRORS, *EXPECTED_VALID, *DIFFERENT]
    assert len(set(listed)) == len(listed)
    assert set(listed) <= set(names())


# Comparison


def compare(world: World, reference: dict[str, Any]) -> Iterator[str]:
    """Yield differences between a World and libsdformat's model."""
    specified = reference["model"] or [model for one in reference["worlds"][:1] for model in one["models"]]
    bodies = {key: body for model in world.models for key, body in keyed(model, model.bodies)}
    joints = {key: (model, joint) for model in world.models for key, joint in keyed(model, model.joints)}
    models = {key: model for model in world.models for key, _ in keyed(model, model.bodies)}
    for element, scope, pose in flattened(specified, "", IDENTITY):
        for link in element["links"]:
            key = f"{scope}::{link['name']}"
            if key not in bodies:
                yield f"no body {key}"
            else:
                yield from compare_link(models[key].pose, bodies[key], pose @ pose_of(link["pose_model"]), link)
        for joint in element["joints"]:
            key = f"{scope}::{joint['name']}"
            if key not in joints:
                yield f"no joint {key}"
            else:
                yield from compare_joint(*joints[key], pose @ pose_of(joint["pose_model"]), joint)


def keyed(model: Model, elements: Any) -> Iterator[tuple[str, Any]]:
    """Yield elements by their names in the world; those of models that are connected have them already."""
    for element in elements:
        yield f"{model.name}::{element.name}", element
        yield element.name, element


def flattened(models: list[dict[str, Any]], prefix: str, pose: Pose) -> Iterator[tuple[dict[str, Any], str, Pose]]:
    for model in models:
        inner = pose @ pose_of(model["pose"])
        yield model, f"{prefix}{model['name']}", inner
        yield from flattened(model["models"], f"{prefix}{model['name']}::", inner)


def pose_of(numbers: list[float]) -> Pose:
    x, y, z, w, a, b, c = numbers
    return Pose((x, y, z), (w, a, b, c))


def is_close(first: Pose, second: Pose) -> bool:
    return bool(np.allclose(first.matrix(), second.matrix(), rtol=1e-9, atol=1e-9))


def compare_link(model: Pose, body: Body, pose: Pose, link: dict[str, Any]) -> Iterator[str]:
    frame, (xx, yy, zz), (xy, xz, yz) = pose_of(link["inertial_pose"]), link["diag"], link["off"]
    axes = frame.matrix()[:3, :3]
    moment = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T
    inertial = body.inertial
    equal = {
        "pose": is_close(model @ body.pose, pose),
        "mass": abs(inertial.mass - link["mass"]) < 1e-9,
        "centre": np.allclose(inertial.center_of_mass, frame.position, atol=1e-9),
        "moment": inertial.moment is not None and np.allclose(inertial.moment, moment, atol=1e-9),
        "visuals": len(body.visuals) == len(link["visuals"]),
        "collisions": len(body.collisions) == len(link["collisions"]),
    }
    yield from (f"{what} of {body.name}" for what, is_equal in equal.items() if not is_equal)


def compare_joint(model: Model, joint: Joint, pose: Pose, specified: dict[str, Any]) -> Iterator[str]:
    kind = TYPES[specified["type"] - 1]
    if type(joint.type).__name__ not in (KINDS[kind], "Compound" if KINDS[kind] == "Universal" else ""):
        yield f"type of {joint.name}"
    if not is_close(model.pose @ model.bodies[joint.child].pose @ joint.pose, pose):
        yield f"pose of {joint.name}"
    for number, axis in enumerate(specified["axes"][: joint.degrees_of_freedom if KINDS[kind] != "Spherical" else 0]):
        if not np.allclose(direction(joint, number), axis["xyz_joint"], atol=1e-9):
            yield f"axis {number} of {joint.name}"
        coordinate = joint.coordinates[number]
        limits = coordinate.position_limits if kind != "continuous" else Range()
        lower, upper = (
            -np.inf if axis["lower"] <= -1e16 else axis["lower"],
            np.inf if axis["upper"] >= 1e16 else axis["upper"],
        )
        if kind != "continuous" and (limits.lower, limits.upper) != (min(lower, upper), max(lower, upper)):
            yield f"limits of {joint.name}"
        numbers = (coordinate.damping, coordinate.friction, coordinate.stiffness, coordinate.spring_reference)
        if numbers != (axis["damping"], axis["friction"], axis["stiffness"], axis["reference"]):
            yield f"dynamics of {joint.name}"


def direction(joint: Joint, number: int) -> tuple[float, ...]:
    if isinstance(joint.type, Universal):
        return (joint.type.axis1, joint.type.axis2)[number]
    if isinstance(joint.type, Compound):
        return joint.type.axes[number].direction  # type: ignore[union-attr]
    axis: tuple[float, ...] = joint.type.axis  # type: ignore[union-attr]
    return axis
