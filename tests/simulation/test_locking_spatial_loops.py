"""Spatial loops that lock soon after the start are reported as such, not as too large time steps."""

from __future__ import annotations

import contextlib

import pytest

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.simulation import Simulation, SimulationError

JOINTS = """- {name: ball1, type: SPHERICAL, body1: rod, body2: crank, location: [0.29, 0.04, 0.05]}
- {name: ball2, type: SPHERICAL, body1: rocker, body2: rod, location: [0.75, 0.30, 0.08]}
- {name: hinge, type: REVOLUTE, body1: rocker, body2: ground, location: [1.43, 0.43, 0.15], axis: [-0.14, 0.93, -0.35]}"""
BODIES = (GROUND, body("crank", "[0.15, 0.02, 0.02]"), body("rod", "[0.5, 0.17, 0.07]"), body("rocker", "[1.1, 0.35, 0.1]"))


@pytest.mark.parametrize("speed", [2.0, 3.0, 6.0, -2.0])
def test_a_crank_that_locks_between_samples_of_the_jacobian(speed: float) -> None:
    motor = (
        "- {name: m, type: ROTATION, body1: crank, body2: ground, location: [0, 0, 0], axis: [-0.17, 0.06, 0.98], "
        f"actuation_type: SPEED, actuation_function: {{type: CONSTANT, value: {speed}}}}}"
    )
    report = Report()
    simulation = Simulation(read(text(*BODIES, joints=JOINTS, motors=motor)), report=report)
    with contextlib.suppress(SimulationError):
        simulation.run(1.5)
    (divergence,) = report.take("simulation-diverged")
    assert "locks" in (divergence.hint or ""), divergence
    assert report.take("singular-configuration")
