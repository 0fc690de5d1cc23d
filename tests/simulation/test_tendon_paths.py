"""Paths of tendons at given positions are those of MuJoCo's model of the same file."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from mjcf.mujoco_reference import compiled_by_mujoco, joint_positions, random_qpos
from ossature.cli.app import app
from ossature.kinematics import model_poses
from ossature.model import NamedList, SpatialPath
from ossature.simulation import TendonRouter, tendon_paths

FOLDER = PROJECT / "tests" / "mjcf" / "files"
FILES = [FOLDER / f"{name}.xml" for name in ("tendons", "odd", "robot", "everything")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_paths_and_lengths_are_those_of_mujoco(path: Path) -> None:
    owner, model = ossature.load(path).models[0], compiled_by_mujoco(path)
    data, generator, router = mujoco.MjData(model), np.random.default_rng(0), TendonRouter(owner)
    for _ in range(5):
        data.qpos[:] = random_qpos(model, generator)
        mujoco.mj_forward(model, data)
        positions = joint_positions(model, data.qpos, owner)
        found = router.paths(model_poses(owner, positions), positions)
        assert list(found) == list(owner.tendons.names())
        for number, path_found in enumerate(found.values()):
            assert path_found.length == pytest.approx(float(data.ten_length[number]), abs=1e-12)
            first = int(data.ten_wrapadr[number])
            rows = slice(first, first + int(data.ten_wrapnum[number]))
            expected = data.wrap_xpos.reshape(-1, 3)[rows][data.wrap_obj.reshape(-1)[rows] != -2]
            points = [point for branch in path_found.branches for point in branch]
            np.testing.assert_allclose(np.array(points).reshape(-1, 3), expected, rtol=0.0, atol=1e-12)


def test_pulleys_separate_branches() -> None:
    found = tendon_paths(ossature.load(FOLDER / "tendons.xml"))["MuJoCo Model"]
    whole, halved = [
        sum(float(np.linalg.norm(np.subtract(a, b))) for a, b in itertools.pairwise(branch))
        for branch in found["wrapped"].branches
    ]
    assert found["wrapped"].length >= whole + halved / 2.0  # arcs are longer than their chords
    assert found["sum"].branches == ()


def test_missing_frames_are_errors() -> None:
    model = ossature.load(FOLDER / "tendons.xml").models[0]
    bodies = [replace(body, frames=()) for body in model.bodies]
    with pytest.raises(ValueError, match="has no frame"):
        TendonRouter(replace(model, bodies=NamedList(bodies)))
    assert any(isinstance(tendon.path, SpatialPath) for tendon in model.tendons)


def test_poses_have_the_lengths_of_tendons() -> None:
    result = CliRunner().invoke(app, ["pose", str(FOLDER / "tendons.xml")])
    assert result.exit_code == 0, result.output
    length = tendon_paths(ossature.load(FOLDER / "tendons.xml"))["MuJoCo Model"]["wrapped"].length
    assert f"{length:.6g}"[:6] in result.output
