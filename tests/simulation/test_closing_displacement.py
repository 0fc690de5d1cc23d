"""Bodies that nearly dependent constraints hold: how far they yield, though all residuals of loops are small."""

from __future__ import annotations

import math
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


@pytest.mark.parametrize("time_step", [1e-3, pytest.param(2.5e-4, marks=pytest.mark.slow)])
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
    report.take("reactions-not-unique")
    (finding,) = report.take("ill-conditioned-loops")
    assert f"'{found.element}' is {found.value:.3g} m or rad" in finding.message and f"{found.time:.4g} s" in finding.message
    report.take("energy-lost")


@pytest.mark.parametrize("angle", [5e-2, 0.4])
def test_a_plate_on_links_of_different_directions_is_held(angle: float, report: Report) -> None:
    simulation = Simulation(plate_on_links(angle), report=report, time_step=1e-3)
    recording = simulation.run(DURATION)
    report.take("reactions-not-unique")
    assert abs(recording.joint_positions("m", "foot0")[0]) < 1e-4
    assert recording.diagnostics is not None and recording.diagnostics.closing_displacement is None


def test_a_plate_on_parallel_links_moves_freely(report: Report) -> None:
    """The third link is redundant, and the plate moves as the bob of a pendulum."""
    simulation = Simulation(plate_on_links(0.0), report=report, time_step=1e-3)
    simulation.run(DURATION)
    assert report.take("reactions-not-unique")
    assert abs(simulation.positions()["m"]["foot0"][0]) > 0.3


def swinging_rod() -> World:
    """Return two bodies whose loop of a rod, a slide and a ball comes close to a singular configuration at 0.18 s."""
    inertia = "inertia: {moments: [0.1667, 0.1252, 0.1704], products: [-0.0152, 0.0234, -0.0009]}"
    bodies = (
        "    - {name: a, location: [-1.05448, 0.5433, 0.69719], orientation: [-147.848, -168.087, 112.411], mass: 1.108,"
        f" com: {{location: [0.0826, 0.0278, -0.0657]}}, {inertia}}}",
        "    - {name: b, location: [-1.25165, 0.11209, -0.31908], orientation: [140.355, 70.79, 18.529], mass: 1.59,"
        f" com: {{location: [0.0768, -0.1171, 0.0545]}}, {inertia}}}",
    )
    joints = (
        "- {name: slide, type: PRISMATIC, body1: a, body2: b, location: [-1.05698, -0.0835, -0.33735],"
        " axis: [-0.006131, 0.003246, 0.003971]}\n"
        "- {name: ball, type: SPHERICAL, body1: b, body2: ground, location: [-1.25053, 0.20888, -0.64107]}"
    )
    rod = (
        "- {name: rod, type: REVOLUTE-SPHERICAL, body1: ground, body2: a, point1: [-0.84398, 0.50667, 0.54478],"
        " point2: [-0.58397, 0.39943, 0.16162], axis1: [-0.009699, -0.002217, -0.007497]}"
    )
    springs = (
        "- {name: first, body1: ground, body2: b, point1: [-1.00254, 1.11326, 0.12424], point2: [-1.3626, 0.29401, -0.22184],"
        " free_length: 0.9595, spring_coefficient: 60, damping_coefficient: 2}\n"
        "- {name: second, body1: b, body2: ground, point1: [-0.851, 0.09012, -0.785], point2: [0.04694, -0.05496, 1.46344],"
        " free_length: 3.1531, spring_curve_data: [[-0.6, -5], [-0.1, -2], [0.2, 3], [0.7, 5]], damping_coefficient: 2,"
        " preload: 3}"
    )
    report = Report()
    world = read(text(GROUND, *bodies, joints=joints, constraints=rod, tsdas=springs), report)
    return replace(world, gravity=(0.0, 0.0, -9.81))


def test_a_short_passage_near_a_singular_configuration_is_reported(report: Report) -> None:
    """The loop is near it for some steps between two samples, after which it moves elsewhere."""

    def end(time_step: float, own: Report) -> tuple[float, float, float]:
        simulation = Simulation(swinging_rod(), time_step=time_step, report=own)
        simulation.run(0.5)
        return simulation.poses()["m"]["a"].position

    exact = end(1e-4, report)
    assert math.dist(end(1e-3, report), exact) > 0.02
    assert len(report.take("ill-conditioned-loops")) == 1
    report.take("energy-lost")
    assert math.dist(end(2e-4, report), exact) < 0.002
