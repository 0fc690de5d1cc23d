"""A damped body that lands: without penetration, except by the implicit integrator, as the equations of the engine predict."""

from __future__ import annotations

import pytest

import ossature
from ossature.diagnostics import Report
from ossature.model import Box, Coordinate, Joint, Model, Prismatic, World, make_body
from ossature.spatial import Pose

STEP, SPEED, GAP = 1e-3, 20.0, 0.3  # the gap as a share of the travel in a step


def landing(damping: float) -> World:
    """Return a body of 1 kg on a vertical slide, which closes the gap to the floor in the first step."""
    body = make_body("b", Box(size=(0.2, 0.2, 0.2)), mass=1, pose=Pose((0, 0, 0.1 + GAP * SPEED * STEP)))
    floor = make_body("f", Box(size=(4, 4, 1)), mass=1, pose=Pose((0, 0, -0.5)))
    coordinate = Coordinate(damping=damping, initial_velocity=-SPEED)
    slide = Joint(name="s", type=Prismatic(axis=(0, 0, 1)), parent=None, child="b", coordinates=[coordinate])
    models = [Model(name="m", bodies=[body], joints=[slide]), Model(name="g", bodies=[floor], static=True)]
    return World(models=models, gravity=(0, 0, 0), time_step=STEP)


@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.3, 0.6])
def test_the_implicit_integrator_divides_impulses_of_contacts(ratio: float) -> None:
    """The contact requests the velocity -GAP v from (1 - hc/m)(-v); the whole change is divided by 1 + hc/m."""
    report = Report()
    simulation = ossature.Simulation(landing(ratio / STEP), integrator="implicit", report=report)
    simulation.step()
    velocity = -SPEED + (1.0 - GAP) * SPEED / (1.0 + ratio)
    gap = GAP * SPEED * STEP + STEP * velocity
    assert simulation.velocities()["m"]["s"][0] == pytest.approx(velocity, rel=1e-3)
    simulation.step(20)
    hints = [finding.hint for finding in report if finding.rule.name == "penetration"]
    assert len(hints) == (gap < -1e-3)
    assert all("as if dampers were explicit" in (hint or "") for hint in hints)


@pytest.mark.parametrize("integrator", ["semi-implicit-euler", "leapfrog"])
@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.3, 0.6])
def test_other_integrators_do_not_penetrate(ratio: float, integrator: str) -> None:
    report = Report()
    simulation = ossature.Simulation(landing(ratio / STEP), integrator=integrator, report=report)
    for _ in range(20):
        simulation.step()
        assert simulation.positions()["m"]["s"][0] > -GAP * SPEED * STEP - 1e-5
    assert not any(finding.rule.name == "penetration" for finding in report)
