"""Uncommon mechanisms against their motion in maximal coordinates, which shares nothing with the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from maximal_coordinates import MaximalCoordinates
from newton_euler import imbalances_after
from ossature import load
from ossature.diagnostics import Report
from ossature.kinematics.apply_state import UnreachableStateError, apply_state
from ossature.simulation import Simulation

MECHANISMS = sorted((Path(__file__).parent / "files" / "mechanisms").glob("*.yaml"))
DURATION = 0.25


@pytest.mark.parametrize("path", MECHANISMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("duration", [0.1, pytest.param(DURATION, marks=pytest.mark.slow)])
def test_motion(path: Path, duration: float) -> None:
    expected = MaximalCoordinates(path.read_text("utf-8")).positions(duration)
    simulation = Simulation(load(path), time_step=5e-4, report=Report())
    simulation.step(round(duration / 5e-4))
    found = simulation.poses()["m"]
    for name, position in expected.items():
        np.testing.assert_allclose(found[name].position, position, atol=2e-6)


@pytest.mark.parametrize("path", MECHANISMS, ids=lambda path: path.stem)
def test_reactions_balance_the_rate_of_momentum(path: Path) -> None:
    for found in imbalances_after(load(path), 0.1, 2.5e-4):
        assert max(found.force, found.torque) < 1e-4, found.body


@pytest.mark.one_in(2)
@pytest.mark.parametrize("path", MECHANISMS, ids=lambda path: path.stem)
def test_an_applied_state_continues(path: Path) -> None:
    world = load(path)
    whole = Simulation(world, report=Report())
    whole.run(DURATION)
    try:
        applied = apply_state(world, whole.state())
    except UnreachableStateError as error:
        assert path.stem == "floating_free_pos", error
        assert "'m/m' drives an angle that its bodies have reached with another rotation" in str(error)
        return
    rest = Simulation(applied, report=Report())
    for simulation in (whole, rest):
        simulation.run(DURATION)
    for name, pose in whole.poses()["m"].items():
        np.testing.assert_allclose(rest.poses()["m"][name].position, pose.position, atol=2e-5)


@pytest.mark.parametrize("path", MECHANISMS, ids=lambda path: path.stem)
def test_reactions_are_reported_as_not_unique_if_constraints_are_dependent(path: Path) -> None:
    """The constraint forces are unique if the rows of their Jacobian are independent."""
    oracle = MaximalCoordinates(path.read_text("utf-8"))
    jacobian = oracle._jacobian(oracle._start(), 0.0)
    are_dependent = len(jacobian) > 0 and np.linalg.matrix_rank(jacobian, tol=1e-6) < len(jacobian)
    for reads_at_start in (True, False):
        simulation = Simulation(load(path), report=Report())
        if reads_at_start:
            simulation.reactions()
        simulation.run(0.01)
        found = [finding for finding in simulation.report if finding.rule.name == "reactions-not-unique"]
        assert len(found) == are_dependent
