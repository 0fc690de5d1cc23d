"""Random linkages with redundant constraints and motors in their loops, against maximal coordinates and the laws of motion."""

from __future__ import annotations

import numpy as np
import pytest

from maximal_coordinates import MaximalCoordinates
from newton_euler import imbalances_after
from ossature import load
from ossature.diagnostics import Report
from ossature.simulation import Simulation
from random_loops import random_linkage

DURATION, STEP = 0.05, 2.5e-4


@pytest.mark.parametrize("seed", [*range(3), *[pytest.param(seed, marks=pytest.mark.slow) for seed in range(3, 100)]])
def test_a_linkage_moves_by_the_laws_of_motion(seed: int) -> None:
    text, redundant = random_linkage(seed)
    world = load(text)
    simulation = Simulation(world, time_step=STEP, report=Report())
    recording = simulation.run(DURATION)
    found = simulation.report.take("reactions-not-unique")
    assert sum(int(each.message.partition(": ")[2].split()[0]) for each in found) == redundant
    for name, position in MaximalCoordinates(text).positions(DURATION).items():
        np.testing.assert_allclose(simulation.poses()["m"][name].position, position, atol=2e-5)
    assert recording.diagnostics is not None
    assert recording.diagnostics.energy.relative_gain < 1e-3
    for imbalance in imbalances_after(world, 0.01, 1e-5):
        assert max(imbalance.force, imbalance.torque) < 2e-5, imbalance.body
