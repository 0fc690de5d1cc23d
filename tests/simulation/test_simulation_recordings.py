"""Recordings of simulations: their files, and agreement with kinematics."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import PROJECT
from ossature import model as m
from ossature.diagnostics import Report, Source
from ossature.formats.skel import read_skel
from ossature.kinematics import poses
from ossature.model import Actuation, NamedList
from ossature.simulation import Simulation
from ossature.spatial import Pose, quaternion_from_rotation_vector
from small_worlds import box_world, one_joint


class TestRecordings:
    def test_velocities_agree_with_differences_of_places(self, report: Report) -> None:
        path = PROJECT / "tests" / "skel" / "files" / "joints.skel"
        world = read_skel(Source(str(path), path.read_bytes()), Report())
        assert world is not None
        # Driven joints jump to their velocity in the first step; here all are to move by themselves.
        passive = [
            replace(model, joints=NamedList([replace(joint, actuation=Actuation.PASSIVE) for joint in model.joints]))
            for model in world.models
        ]
        simulation = Simulation(replace(world, models=NamedList(passive)), report=report, time_step=1e-5)
        assert report.take("unenforced-velocity-limit")
        recording = simulation.run(2e-5, sample=1e-5)
        mean = (recording.linear_velocities[0] + recording.linear_velocities[2]) / 2.0
        differences = (recording.positions[2] - recording.positions[0]) / 2e-5
        np.testing.assert_allclose(differences, mean, atol=2e-3)

    def test_files(self, report: Report, tmp_path: Path) -> None:
        recording = Simulation(one_joint(m.Floating(), gravity=True), report=report).run(0.01, sample=0.005)
        recording.save(tmp_path / "run.json")
        samples = json.loads((tmp_path / "run.json").read_text())["samples"]
        assert [sample["time"] for sample in samples] == pytest.approx([0.0, 0.005, 0.01])
        body = samples[-1]["bodies"]["m"]["b"]
        assert set(body) == {"position", "wxyz", "linear_velocity", "angular_velocity_body"}
        recording.save(tmp_path / "run.csv")
        lines = (tmp_path / "run.csv").read_text().splitlines()
        assert len(lines) == 4
        assert lines[0].startswith("time,m/b.position[0]")
        assert float(lines[-1].split(",")[3]) == body["position"][2]

    def test_samples_do_not_disturb(self, report: Report) -> None:
        world = box_world(Pose((0.0, 0.0, 0.12), quaternion_from_rotation_vector((0.2, 0.1, 0.0))))
        plain, sampled = Simulation(world, report=report), Simulation(world, report=report)
        plain.run(0.5)
        sampled.run(0.5, sample=0.001)
        assert np.array_equal(plain.data.qpos, sampled.data.qpos)
        assert report.take("initial-overlap")

    def test_poses_agree_with_kinematics(self, report: Report) -> None:
        for path in (PROJECT / "tests" / "skel" / "files").glob("*.skel"):
            world = read_skel(Source(str(path), path.read_bytes()), Report(), folder=path.parent)
            assert world is not None
            simulation = Simulation(world, report=Report())
            expected = poses(world)
            for model, bodies in simulation.poses().items():
                for body, pose in bodies.items():
                    np.testing.assert_allclose(pose.matrix(), expected[model][body].matrix(), atol=1e-12)
            for model, joints in simulation.positions().items():
                for joint, values in joints.items():
                    assert values == pytest.approx(world.models[model].joints[joint].initial_positions, abs=1e-12)
