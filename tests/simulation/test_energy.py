"""Energy of Worlds; observation does not change a simulation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from conftest import PROJECT
from ossature import load
from ossature.simulation import Simulation

EXAMPLES = ("arm.skel", "double_pendulum.skel", "palletizer.urdf", "slider_crank.yaml")


def test_a_tree_of_bodies_has_energy_in_each_sample() -> None:
    """A double pendulum without losses keeps its sum up to the first order of DART's step."""
    world = load(PROJECT / "examples" / "double_pendulum.skel")
    spreads = []
    for step in (1e-3, 5e-4):
        recording = Simulation(world, time_step=step).run(0.5, sample=0.01)
        assert recording.energy.shape == (len(recording.times), 2)
        assert np.ptp(recording.energy[:, 1]) > 0.1
        spreads.append(np.ptp(recording.energy.sum(axis=1)) / np.ptp(recording.energy[:, 1]))
    assert spreads[0] < 0.02
    assert spreads[1] == pytest.approx(spreads[0] / 2.0, rel=0.1)


@pytest.mark.parametrize("name", EXAMPLES)
def test_observation_does_not_change_the_motion(name: str) -> None:
    world = load(PROJECT / "examples" / name)
    alone, watched = Simulation(world), Simulation(world)
    alone.step(61)
    for count in (0, 1, 7, 20, 33):
        watched.step(count)
        watched.reactions()
        watched.elements()
        watched.energy()
    assert alone.data.qpos.tolist() == watched.data.qpos.tolist()
    assert alone.data.qvel.tolist() == watched.data.qvel.tolist()


TURNING = """
chrono-version: 10.0
model:
  name: turning
  bodies:
    - {name: ground, location: [0, 0, 0], fixed: true}
    - {name: wheel, location: [0, 0, 0], mass: 1.0, inertia: {moments: [0.1, 0.1, 0.1]}, initial_angular_velocity: [0, 0, 12]}
  rsdas:
    - {name: s, body1: ground, body2: wheel, location: [0, 0, 0], axis: [0, 0, 1], spring_coefficient: 0.2, free_angle: 0}
"""


def test_full_revolutions_of_a_spring_without_a_joint_store_energy(tmp_path: Path) -> None:
    """½ I ω² becomes ½ k φ² after more than a turn: φ = 12 rad/s · √(0.1 / 0.2) s = 8.5 rad."""
    (tmp_path / "turning.yaml").write_text(TURNING)
    world = load(tmp_path / "turning.yaml")
    simulation = Simulation(world)
    period = math.tau * math.sqrt(0.1 / 0.2)
    recording = simulation.run(period / 4.0, sample=period / 40.0)
    gravity = -1.0 * 9.8 * -recording.positions[:, recording.index.bodies["turning"]["wheel"].number, 2]
    falling = 0.5 * recording.linear_velocities[:, recording.index.bodies["turning"]["wheel"].number, 2] ** 2
    total = recording.energy.sum(axis=1)
    assert recording.energy[-1, 0] - gravity[-1] == pytest.approx(7.2, rel=1e-3)
    assert recording.energy[-1, 1] - falling[-1] == pytest.approx(0.0, abs=1e-2)
    assert total == pytest.approx(np.full(len(total), 7.2), rel=1e-4)
