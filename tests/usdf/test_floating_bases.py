"""States of models with a floating base that no joint connects to the world: the other bodies move with it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ossature
from ossature.array_types import Array
from ossature.diagnostics import Report
from ossature.kinematics.apply_state import apply_state
from ossature.simulation import Simulation

STEP = 1e-5
"""Step of the difference quotients [s]."""
BASE, CHILD, JOINT = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), (1.0, 0.0, 0.0, 0.0, 0.0, 0.3), (0.1, 0.2, 0.3, 0.1, 0.2, 0.3)
AXIS = np.array([1.0, 2.0, -1.0])


def text(numbers: tuple[float, ...]) -> str:
    return " ".join(map(repr, numbers))


MODEL = (
    '<sdf version="1.9"><world name="w"><gravity>0 0 0</gravity><model name="m">'
    f'<link name="a"><pose>{text(BASE)}</pose></link><link name="b"><pose>{text(CHILD)}</pose></link>'
    f'<joint name="j" type="revolute"><parent>a</parent><child>b</child><pose>{text(JOINT)}</pose>'
    "<axis><xyz>1 2 -1</xyz></axis></joint></model></world></sdf>"
)


def matrix(numbers: tuple[float, ...]) -> Array:
    """Return a pose: a position, then roll, pitch and yaw about fixed axes."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = Rotation.from_euler("xyz", numbers[3:]).as_matrix(), numbers[:3]
    return result


def moved(pose: Array, twist: tuple[float, ...], time: float) -> Array:
    """Return a pose after a motion at a constant twist, which is expressed in the parent."""
    result = pose.copy()
    result[:3, 3] += np.array(twist[:3]) * time
    result[:3, :3] = Rotation.from_rotvec(np.array(twist[3:]) * time).as_matrix() @ pose[:3, :3]
    return result


@pytest.mark.parametrize("seed", range(10))
def test_bodies_have_the_poses_and_velocities_of_difference_quotients(seed: int, tmp_path: Path) -> None:
    generator = random.Random(seed)
    frame, model, link, frame_twist, model_twist, link_twist = (
        tuple([generator.uniform(-1.0, 1.0) for _ in range(6)]) for _ in range(6)
    )
    position, rate = generator.uniform(-2.0, 2.0), generator.uniform(-2.0, 2.0)
    (tmp_path / "s.usdf").write_text(
        f'<world_state name="w"><frame name="f"><pose>{text(frame)}</pose><twist>{text(frame_twist)}</twist></frame>'
        f'<model_state name="m"><parent>f</parent><pose>{text(model)}</pose><twist>{text(model_twist)}</twist>'
        f'<link_state name="a"><pose>{text(link)}</pose><twist>{text(link_twist)}</twist></link_state>'
        f'<joint_state name="j"><positions>{position!r}</positions><velocities>{rate!r}</velocities></joint_state>'
        "</model_state></world_state>"
    )

    def poses_at(time: float) -> dict[str, Array]:
        in_link = matrix(link)[:3, :3]
        own_twist = (*(in_link @ link_twist[:3]), *(in_link @ link_twist[3:]))
        base = (
            moved(matrix(frame), frame_twist, time)
            @ moved(matrix(model), model_twist, time)
            @ moved(matrix(link), own_twist, time)
        )
        turned, in_child = np.eye(4), matrix(JOINT)
        turned[:3, :3] = Rotation.from_rotvec(AXIS / np.linalg.norm(AXIS) * (position + rate * time)).as_matrix()
        child = base @ np.linalg.inv(matrix(BASE)) @ matrix(CHILD) @ in_child @ turned @ np.linalg.inv(in_child)
        return {"a": base, "b": child}

    world = ossature.load(MODEL.encode(), format="sdf")
    states = Simulation(apply_state(world, ossature.load_state(tmp_path / "s.usdf")), report=Report()).body_states()["m"]
    present, before, after = poses_at(0.0), poses_at(-STEP), poses_at(STEP)
    for name, found in states.items():
        expected = present[name]
        rates = (after[name] - before[name]) / (2.0 * STEP)
        spin = rates[:3, :3] @ expected[:3, :3].T
        rotation = Rotation.from_quat(np.roll(found.wxyz, -1)).as_matrix()
        assert np.allclose(rotation, expected[:3, :3], atol=1e-9), name
        assert np.allclose(found.position, expected[:3, 3], atol=1e-9), name
        assert np.allclose(found.linear_velocity, rates[:3, 3], atol=1e-7), name
        assert np.allclose(rotation @ found.angular_velocity_body, (spin[2, 1], spin[0, 2], spin[1, 0]), atol=1e-7), name


def test_a_state_of_a_simulation_is_applied_and_the_motion_continues(tmp_path: Path) -> None:
    (tmp_path / "m.sdf").write_text(MODEL.replace("<gravity>0 0 0", "<gravity>0 1 -9.8"))
    world = ossature.load(tmp_path / "m.sdf")
    simulation = Simulation(world, report=Report())
    simulation.data.qvel[:] = (0.3, -0.2, 0.5, 1.0, -2.0, 0.7, 1.5)
    simulation.restore(simulation.state())
    simulation.run(0.1)
    applied = apply_state(world, simulation.state())
    continued = Simulation(applied, report=Report())
    continued.run(0.1)
    simulation.run(0.1)
    for name, pose in simulation.poses()["m"].items():
        assert np.allclose(continued.poses()["m"][name].matrix(), pose.matrix(), atol=1e-5), name
