"""Names, trees, masses, moments, coordinates and poses, against DART, for its own sample files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dart_reference import case, referenced_files
from ossature.assets import MeshStore, Resolver
from ossature.kinematics import default_moment_of_inertia, poses
from ossature.model import Joint, Model

SINGLE_PRECISION = {
    "kima/kima_human_edited": "meshes: DART's importer keeps vertices in single precision",
    "kima/kima_human_left_arm": "meshes: DART's importer keeps vertices in single precision",
    "kima/kima_human_left_leg": "meshes: DART's importer keeps vertices in single precision",
}

REPLACED_BY_DART = {
    ("kima/kima_human_left_leg", "l-foot"): "a box of negative size, for which DART takes one of 1 m",
}


def models_of(corpus: Path, name: str) -> list[tuple[Model, dict[str, Any]]]:
    found = case(corpus, name)
    assert list(found.world.models.names()) == [skeleton["name"] for skeleton in found.reference["skeletons"]]
    return list(zip(found.world.models, found.reference["skeletons"], strict=True))


def joint_of_body(model: Model) -> dict[str, Joint]:
    return {joint.child: joint for joint in model.joints}


@pytest.mark.parametrize("name", referenced_files())
def test_world(corpus: Path, name: str) -> None:
    found = case(corpus, name)
    assert found.world.gravity == pytest.approx(found.reference["gravity"], abs=1e-12)
    assert found.world.time_step == pytest.approx(found.reference["time_step"], abs=1e-15)


@pytest.mark.parametrize("name", referenced_files())
def test_names_tree_and_masses(corpus: Path, name: str) -> None:
    for model, reference in models_of(corpus, name):
        assert model.static is not reference["mobile"]
        assert {body.name for body in model.bodies} == {body["name"] for body in reference["bodies"]}
        carriers = joint_of_body(model)
        for body in reference["bodies"]:
            ours = model.bodies[body["name"]]
            assert carriers[ours.name].parent == body["parent"]
            assert ours.inertial.mass == pytest.approx(body["mass"], rel=1e-12)
            assert ours.inertial.center_of_mass == pytest.approx(body["com"], abs=1e-12)


@pytest.mark.parametrize("name", referenced_files())
def test_moments(corpus: Path, name: str) -> None:
    tolerance = 1e-8 if name in SINGLE_PRECISION else 1e-12
    meshes = MeshStore(Resolver(folder=case(corpus, name).path.parent))
    for model, reference in models_of(corpus, name):
        for body in reference["bodies"]:
            if (name, body["name"]) in REPLACED_BY_DART:
                continue
            ours = np.array(default_moment_of_inertia(model.bodies[body["name"]], meshes))
            np.testing.assert_allclose(ours, body["moment"], rtol=tolerance, atol=tolerance * np.abs(ours).max())


@pytest.mark.parametrize("name", referenced_files())
def test_coordinates(corpus: Path, name: str) -> None:
    for model, reference in models_of(corpus, name):
        carriers = joint_of_body(model)
        for expected in reference["joints"]:
            joint = carriers[expected["child"]]
            assert joint.degrees_of_freedom == expected["ndof"]
            for ours, theirs in (
                ([c.position_limits.lower for c in joint.coordinates], expected["lower"]),
                ([c.position_limits.upper for c in joint.coordinates], expected["upper"]),
                ([c.damping for c in joint.coordinates], expected["damping"]),
                ([c.friction for c in joint.coordinates], expected["friction"]),
                ([c.stiffness for c in joint.coordinates], expected["stiffness"]),
                ([c.spring_reference for c in joint.coordinates], expected["rest"]),
            ):
                np.testing.assert_allclose(ours, theirs, rtol=1e-12)
            assert expected["actuator"] == f"ActuatorType.{joint.actuation.name}"


@pytest.mark.parametrize("name", referenced_files())
def test_initial_state(corpus: Path, name: str) -> None:
    for model, reference in models_of(corpus, name):
        carriers = joint_of_body(model)
        joints = [carriers[expected["child"]] for expected in reference["joints"]]
        np.testing.assert_allclose([q for j in joints for q in j.initial_positions], reference["q0"], atol=1e-12)
        np.testing.assert_allclose([v for j in joints for v in j.initial_velocities], reference["v0"], atol=1e-12)


@pytest.mark.parametrize("name", referenced_files())
def test_poses(corpus: Path, name: str) -> None:
    found = case(corpus, name)
    for model, reference in models_of(corpus, name):
        carriers = joint_of_body(model)
        for sample in reference["samples"]:
            positions, taken = {}, 0
            for expected in reference["joints"]:
                positions[carriers[expected["child"]].name] = sample["q"][taken : taken + expected["ndof"]]
                taken += expected["ndof"]
            ours = poses(found.world, {model.name: positions})[model.name]
            for body, matrix in sample["T"].items():
                np.testing.assert_allclose(ours[body].matrix(), matrix, atol=1e-9, err_msg=body)
