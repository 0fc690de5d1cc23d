"""``ossature state apply``: model files that start in a state."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ossature
from cli.state_commands import CRANK, HEAP, fine, run
from ossature.diagnostics import Report
from ossature.kinematics import poses
from ossature.recordings import open_recording

pytest.importorskip("pyarrow")


def test_apply(tmp_path: Path) -> None:
    fine("simulate", HEAP, "--duration", 0.25, "--record", tmp_path / "heap.npz")
    fine("state", "apply", tmp_path / "heap.npz", HEAP, tmp_path / "later.skel")
    placed = poses(ossature.load(tmp_path / "later.skel"))
    last = open_recording(tmp_path / "heap.npz", Report()).table()[-1]
    columns = open_recording(tmp_path / "heap.npz", Report()).header.columns
    for quantity, where in columns.slices:
        if quantity.field == "position":
            assert np.allclose(placed[quantity.model][quantity.name].position, last[where], atol=1e-9)


SWINGING = """<robot name="arm"><link name="base"/><link name="l1"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l1"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize("suffix", [".urdf", ".sdf", ".skel", ".yaml", ".dae", ".xml", ".usda"])
def test_apply_writes_only_files_that_start_in_the_state(suffix: str, tmp_path: Path) -> None:
    model, state, out = tmp_path / "arm.urdf", tmp_path / "s.usdf", tmp_path / f"out{suffix}"
    model.write_text(SWINGING, "utf-8")
    fine("simulate", model, "--float-base", "--joint", "j=0.5", "--duration", 0.1, "--save-state", state)
    result = run("state", "apply", state, model, out)
    if suffix in {".urdf", ".sdf"}:
        assert result.exit_code == 1
        assert "dropped: arm/j.coordinates[0].initial_position (0.5 rad)" in result.stderr
        assert "is not written, because it could not start in the state" in result.stderr
        assert not out.exists()
        fine("state", "apply", state, model, out, "--ignore-mismatch")
    else:
        assert result.exit_code == 0, result.output
    assert out.exists()


def test_apply_writes_a_state_of_rest_to_files_without_initial_positions(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(SWINGING, "utf-8")
    fine(
        *("simulate", tmp_path / "arm.urdf", "--float-base", "--gravity", 0, 0, 0, "--duration", 0.1),
        *("--save-state", tmp_path / "s.usdf"),
    )
    fine("state", "apply", tmp_path / "s.usdf", tmp_path / "arm.urdf", tmp_path / "out.urdf")


def test_apply_moves_bodies_on_free_joints_to_their_poses(tmp_path: Path) -> None:
    """OpenUSD has no free joint: the poses and velocities of the bodies are those of the state."""
    pytest.importorskip("pxr", reason="the extra usd is not installed")
    fine("simulate", HEAP, "--duration", 0.25, "--record", tmp_path / "heap.npz")
    fine("state", "apply", tmp_path / "heap.npz", HEAP, tmp_path / "later.usda")
    placed = poses(ossature.load(tmp_path / "later.usda"))
    last = open_recording(tmp_path / "heap.npz", Report()).table()[-1]
    found = {body: pose for bodies in placed.values() for body, pose in bodies.items()}
    columns = open_recording(tmp_path / "heap.npz", Report()).header.columns
    for quantity, where in columns.slices:
        if quantity.field == "position" and quantity.name in found:
            assert np.allclose(found[quantity.name].position, last[where], atol=1e-6)


def test_apply_refuses_what_cannot_begin_elsewhere(crank: Path, tmp_path: Path) -> None:
    half = (crank / "half.usdf").read_text("utf-8")
    elsewhere = tmp_path / "elsewhere.usdf"
    elsewhere.write_text(
        re.sub(r'(<link_state name="rod">.*?<pose[^>]*>)\S+', r"\g<1>0.9", half, count=1, flags=re.DOTALL), "utf-8"
    )
    result = run("state", "apply", elsewhere, CRANK, tmp_path / "out.yaml")
    assert result.exit_code == 1
    assert "'slider crank/pin' would be displaced by" in result.stderr
    assert not (tmp_path / "out.yaml").exists()
    result = run("state", "apply", crank / "half.usdf", HEAP, tmp_path / "out.skel")
    assert "there is no model 'slider crank'" in result.stderr
