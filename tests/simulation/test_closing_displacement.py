"""Bodies that nearly dependent constraints hold: how far they yield, though all residuals of loops are small."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import Simulation

DURATION = 0.4


def hinged_link(number: int, foot: tuple[float, float], top: tuple[float, float]) -> tuple[str, list[str]]:
    middle = f"[{0.5 * (foot[0] + top[0])!r}, {0.5 * (foot[1] + top[1])!r}, 0]"
    joints = [
        f"- {{name: {name}{number}, type: REVOLUTE, body1: {first}, body2: link{number}, "
        f"location: [{x!r}, {y!r}, 0], axis: [0, 0, 1]}}"
        for name, first, (x, y) in (("foot", "ground", foot), ("top", "plate", top))
    ]
    return body(f"link{number}", middle, mass=0.5, moments="[0.01, 0.01, 0.01]"), joints


def plate_on_links(angle: float) -> World:
    """Return a plate on three links of 1 m, two of them parallel and the third inclined by an angle [rad], with a load across.

    The plate cannot move: the parallel links let it move along a circle of 1 m, and the third one has another direction.
    """
    feet = (0.0, 2.0, 1.0 - angle)
    links = [hinged_link(number, (foot, 0.0), (float(round(foot)), 1.0)) for number, foot in enumerate(feet)]
    bodies = [link for link, _ in links]
    joints = "\n".join(joint for _, both in links for joint in both)
    world = read(text(GROUND, body("plate", "[1, 1, 0]", mass=2.0), *bodies, joints=joints))
    return replace(world, gravity=(9.81, -1.0, 0.0))


@pytest.mark.parametrize("time_step", [1e-3, 2.5e-4])
def test_a_plate_on_nearly_parallel_links_is_reported_with_its_displacement(time_step: float, report: Report) -> None:
    simulation = Simulation(plate_on_links(5e-4), report=report, time_step=time_step)
    recording = simulation.run(DURATION, time_step)
    assert recording.diagnostics is not None
    found, residual = recording.diagnostics.closing_displacement, recording.diagnostics.loop_residual
    assert residual is not None and not residual.is_exceeded
    assert found is not None
    # All joints would be at zero.
    sample = round(found.time / time_step)
    model, _, joint = found.element.partition("/")
    assert found.value == pytest.approx(abs(recording.joint_positions(model, joint, sample)[0]), rel=1e-3)
    assert found.value > 3e-3
    (finding,) = report.take("ill-conditioned-loops")
    assert f"'{found.element}' is {found.value:.3g} m or rad" in finding.message and f"{found.time:.4g} s" in finding.message
    report.take("energy-lost")


@pytest.mark.parametrize("angle", [5e-2, 0.4])
def test_a_plate_on_links_of_different_directions_is_held(angle: float, report: Report) -> None:
    simulation = Simulation(plate_on_links(angle), report=report, time_step=1e-3)
    recording = simulation.run(DURATION)
    assert abs(recording.joint_positions("m", "foot0")[0]) < 1e-4
    assert recording.diagnostics is not None and recording.diagnostics.closing_displacement is None


def test_a_plate_on_parallel_links_moves_freely(report: Report) -> None:
    """The third link is redundant, and the plate moves as the bob of a pendulum."""
    simulation = Simulation(plate_on_links(0.0), report=report, time_step=1e-3)
    simulation.run(DURATION)
    assert abs(simulation.positions()["m"]["foot0"][0]) > 0.3
