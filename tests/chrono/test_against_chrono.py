"""Trajectories of Chrono 10 itself, over the whole of the two seconds that were recorded.

The references carry errors of their own: the first-order start of Chrono's integrator, told by their difference to the
run at twice the step and, where that does not see it, by the facts measured against closed forms.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chrono.test_corpus import world_of
from ossature.diagnostics import Report
from ossature.simulation import Recording, Simulation

FILES = {
    "bushings": "chrono-elements",
    "four_bar_speed_motor": "chrono-elements",
    "linear_force_motors": "chrono-elements",
    "linear_speed_motors": "chrono-elements",
    "loads_and_frames": "chrono-elements",
    "model_bushing": "chrono",
    "model_slider_crank": "chrono",
    "model_slider_crank_reduced": "chrono",
    "rotation_position_motors": "chrono-elements",
    "rotation_torque_motors": "chrono-elements",
    "spring_dampers": "chrono-elements",
    "universal_shafts": "chrono-elements",
}
ALLOWED = 5e-5
ALLOWED_OF = {"model_bushing": 3e-4}
"""How much farther from the reference than its own error a body may be at a step of 1 ms [m]."""
OWN_ROTATION_ERROR = {"rotation_torque_motors": 1.2e-3, "model_bushing": 3.1e-4}
ROTATION = 2e-4
"""How far rotations of the references are from converged runs, which their own figure does not see [rad]."""
ALLOWED_ROTATION = 1e-4
ALLOWED_ROTATION_OF = {"model_bushing": 3e-4}
"""How much farther a rotation may be at a step of 1 ms [rad]."""
FREE_OF_CONTACT = 1.15
"""Until when the slider-cranks do not touch their ball [s]."""


def reference(corpus: Path, name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((corpus / "reference" / "chrono" / f"{name}.json").read_text())
    return data


def run(corpus: Path, name: str, time_step: float, duration: float, **options: float) -> Recording:
    world = world_of(corpus, f"{FILES[name]}/{name}.yaml")
    return Simulation(world, time_step=time_step, report=Report(), **options).run(duration, sample=0.05)


def errors(recording: Recording, samples: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the largest distance [m] and rotation [rad] between bodies and their references."""
    (model,) = recording.index.bodies
    farthest = turned = 0.0
    for number, sample in enumerate(samples):
        if number == 0:
            continue  # Chrono places motors at zero first, and at their functions' values afterwards
        for body, expected in sample["bodies"].items():
            state = recording.body(model, body, number)
            farthest = max(farthest, float(np.linalg.norm(np.subtract(state.position, expected["position"]))))
            cosine = min(1.0, abs(float(np.dot(state.wxyz, expected["quaternion_wxyz"]))))
            turned = max(turned, 2.0 * float(np.arccos(cosine)))
    return farthest, turned


@pytest.mark.parametrize("name", FILES)
def test_trajectory(name: str, corpus: Path) -> None:
    data = reference(corpus, name)
    duration = FREE_OF_CONTACT if "slider" in name else data["duration"]
    samples = [sample for sample in data["samples"] if sample["time"] <= duration + 1e-9]
    recording = run(corpus, name, 1e-3, duration)
    farthest, turned = errors(recording, samples)
    assert farthest <= data["position_difference_to_doubled_time_step"] + ALLOWED_OF.get(name, ALLOWED)
    assert turned <= OWN_ROTATION_ERROR.get(name, ROTATION) + ALLOWED_ROTATION_OF.get(name, ALLOWED_ROTATION)


def test_a_ball_that_is_hit_moves_in_kind(corpus: Path) -> None:
    """Over four seconds with two impacts: the slider stays on Chrono's way, and the ball comes back to it each time."""
    data = reference(corpus, "model_slider_crank")
    recording = run(corpus, "model_slider_crank", 1e-3, 4.0)
    for body, allowed in (("slider", 5e-4), ("crank", 5e-4), ("ball", 1e-2)):
        far = [
            np.linalg.norm(np.subtract(recording.body("Slider-crank", body, number).position, s["bodies"][body]["position"]))
            for number, s in enumerate(data["samples"])
        ]
        assert float(np.sqrt(np.mean(np.square(far)))) < allowed, body


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", [name for name in FILES if "slider_crank_reduced" not in name])
def test_second_order(name: str, corpus: Path) -> None:
    """A step of half the length makes a quarter of the error, against a run that is extrapolated from two finer ones.

    With a tolerance that divides no step.
    """
    duration = min(FREE_OF_CONTACT, 0.2)
    ends = {step: run(corpus, name, step, duration, tolerance=1e9).positions for step in (1e-3, 5e-4, 2.5e-4, 1.25e-4)}
    truth = ends[1.25e-4] + (ends[1.25e-4] - ends[2.5e-4]) / 3.0
    coarse, fine = (float(np.abs(ends[step] - truth).max()) for step in (1e-3, 5e-4))
    assert fine < 0.3 * coarse + 1e-12


@pytest.mark.parametrize("name", ["four_bar_speed_motor", "universal_shafts", "model_slider_crank"])
@pytest.mark.parametrize(("time_step", "gap"), [(1e-3, 2e-5), (1e-4, 2e-7)])
def test_loops_hold_and_motors_do_not_lag(name: str, time_step: float, gap: float, corpus: Path) -> None:
    world = world_of(corpus, f"{FILES[name]}/{name}.yaml")
    recording = Simulation(world, time_step=time_step, report=Report()).run(1.0, sample=0.05)
    assert recording.violation.max() < gap
    angle = recording.elements[world.name]
    (motor,) = world.models[0].motors
    wanted = {"four_bar_speed_motor": 6.0, "universal_shafts": 4.0}.get(name)
    t = recording.times
    target = 3.14 * t**2 / 2.0 if wanted is None else wanted * t
    assert np.abs(angle[motor.name]["angle"] - target).max() < 1e-7
