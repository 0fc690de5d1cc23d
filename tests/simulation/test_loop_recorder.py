"""The residuals of loops in all steps between two samples of a run."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import ossature
from ossature.simulation import Simulation
from ossature.simulation.loop_recorder import LoopRecorder

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("diverged", [0, 1, 3])
def test_a_step_without_numbers_hides_no_other_step(diverged: int) -> None:
    simulation = Simulation(ossature.load(EXAMPLES / "slider_crank.yaml"))
    data = simulation.data
    recorder = LoopRecorder(simulation.compiled, data, 10)
    for step in range(4):
        data.efc_pos[:] = math.nan if step == diverged else 0.01 * (step + 1)
        recorder.record()
    expected = 2 if diverged == 3 else 3
    found = recorder.largest_relative_residual()
    assert found is not None
    residual, ratio, _, ago = found
    assert residual == recorder.largest_residual == pytest.approx(0.01 * (expected + 1))
    assert ratio > 0.0
    assert ago == 3 - expected
