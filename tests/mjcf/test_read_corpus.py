"""Real files of MJCF: which are read, and that bodies are where MuJoCo has them, with its masses and inertias."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

from conftest import corpus_folder
from mjcf.mujoco_reference import compiled_by_mujoco, corpus_files, joint_positions, random_qpos, read_mjcf
from ossature.diagnostics import Report
from ossature.kinematics import model_poses
from ossature.model import Model

NOT_WELL_FORMED = {"ball_joints.xml", "hinge_joints.xml"}
"""Files without a blank between two attributes, which MuJoCo tolerates, but XML does not."""
WITHOUT_IMAGES = {"cards.xml", "cow.xml", "materials.xml", "textured_torus.xml"}
"""Files that MuJoCo refuses because of an image that the corpus does not contain; here they are read."""
FILES = [] if corpus_folder() is None else list(corpus_files(corpus_folder()))  # type: ignore[arg-type]  # a folder here
STEP = 16
"""One of so many files is read in every run."""
BATCHES = [
    pytest.param(FILES[start::STEP], id=str(start), marks=() if start == 0 else pytest.mark.slow) for start in range(STEP)
]


@pytest.mark.parametrize("files", BATCHES)
def test_files_are_read_as_mujoco_compiles_them(files: list[tuple[Path, dict[str, Any]]], corpus: Path) -> None:
    unexpected = []
    compared: Counter[str] = Counter()
    for path, expected in files:
        report = Report()
        world = read_mjcf(path, report, corpus / "corpus")
        known = path.name in NOT_WELL_FORMED | WITHOUT_IMAGES
        if world is None:
            assert report.has_errors
            assert all(finding.location is not None for finding in report.errors), path
        elif expected["ok"]:
            assert _counts(world.models[0]) == _expected_counts(expected), path
            compared += _compare(world.models[0], compiled_by_mujoco(path), str(path))
        known = known or (world is not None and bool(report.take("removed-mjcf")))  # of an earlier version of MuJoCo
        if (world is not None) != expected["ok"] and not known:
            unexpected.append((path.name, str(report)))
    assert not unexpected
    assert compared["states"] > len(files)


def _counts(model: Model) -> dict[str, int]:
    moving = [body for body in model.bodies if body.name != "world"]
    frames = sum(len(body.frames) for body in model.bodies)
    counts = {"nbody": len(moving) + 1, "nsite": frames, "nv": sum(joint.degrees_of_freedom for joint in model.joints)}
    names = {"ntendon": "tendons", "ncam": "cameras", "nlight": "lights", "nmat": "appearances", "ntex": "textures"}
    names |= {"nsensor": "sensors", "npair": "contact_pairs"}
    return counts | {name: len(getattr(model, field)) for name, field in names.items()} | {"nexclude": len(model.ignored_pairs)}


def _expected_counts(expected: dict[str, Any]) -> dict[str, int]:
    names = ("nbody", "nsite", "nv", "ntendon", "ncam", "nlight", "nmat", "ntex", "nsensor", "npair", "nexclude")
    return {name: expected[name] for name in names}


def _compare(ours: Model, model: Any, where: str) -> Counter[str]:
    data = mujoco.MjData(model)
    names = ["world", *[name for name in ours.bodies.names() if name != "world"]]
    states = [model.qpos0, random_qpos(model, np.random.default_rng(3))]
    positions = [joint_positions(model, qpos, ours) for qpos in states]
    for index, key in enumerate(ours.keyframes):
        states.append(model.key_qpos[index])
        positions.append({joint.joint: list(joint.positions) for joint in key.joints if joint.positions is not None})
    for qpos, specified in zip(states, positions, strict=True):
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        poses = model_poses(ours, specified)
        for body in range(1, model.nbody):
            pose = poses[names[body]]
            size = 1.0 + np.abs(data.xpos[body]).max()
            assert pose.position == pytest.approx(data.xpos[body], abs=1e-12 * size), (where, names[body])
            assert pose.matrix()[:3, :3] == pytest.approx(data.xmat[body].reshape(3, 3), abs=1e-12), (where, names[body])
    for body in range(1, model.nbody):
        inertial = ours.bodies[names[body]].inertial
        assert inertial.mass == pytest.approx(model.body_mass[body], rel=1e-12, abs=0.0), (where, names[body])
        rotation = np.zeros(9)
        mujoco.mju_quat2Mat(rotation, model.body_iquat[body])
        axes, moments = rotation.reshape(3, 3), model.body_inertia[body]
        expected = axes * moments @ axes.T
        assert np.asarray(inertial.moment) == pytest.approx(expected, abs=1e-12 * moments.max()), (where, names[body])
        if inertial.mass:
            assert inertial.center_of_mass == pytest.approx(model.body_ipos[body], rel=1e-15), where
    return Counter(states=len(states))
