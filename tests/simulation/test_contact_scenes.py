"""The contact scenes of the corpus compared with their references, and random drops compared with DART."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ossature
from ossature.simulation import Simulation


def scene(corpus: Path, name: str) -> tuple[Simulation, dict[str, Any]]:
    """Return a scene at its start, and what is expected of it."""
    folder = corpus / "corpus" / "contact"
    return Simulation(ossature.load(folder / f"{name}.skel")), json.loads((folder / f"{name}.json").read_text())


def position(simulation: Simulation, model: str) -> np.ndarray:
    """Return where the only body of a model is."""
    (pose,) = simulation.poses()[model].values()
    return np.array(pose.position)


def test_box_and_ball_hit_the_ground_and_stay(corpus: Path) -> None:
    simulation, expected = scene(corpus, "drop")
    simulation.step(math.floor(expected["hit"] / 1e-3) - 1)
    assert position(simulation, "thing")[2] > 0.1
    simulation.step(3)
    for _ in range(300):
        simulation.step()
        assert position(simulation, "thing")[2] == pytest.approx(0.1, abs=1e-6)
        assert position(simulation, "ball")[2] == pytest.approx(0.1, abs=1e-6)


def test_a_sliding_box_stops_where_coulomb_stops_it(corpus: Path) -> None:
    simulation, expected = scene(corpus, "slide_box")
    simulation.step(round(expected["stop_time"] / 1e-3) + 2)
    assert position(simulation, "thing")[0] == pytest.approx(expected["stop_distance"], abs=2e-3)
    simulation.step(500)
    assert position(simulation, "thing")[0] == pytest.approx(expected["stop_distance"], abs=2e-3)


@pytest.mark.parametrize(("name", "within"), [("slope30", 1e-6), ("sphere20", 3e-3), ("tall8", 1e-6)])
def test_slopes(corpus: Path, name: str, within: float) -> None:
    simulation, expected = scene(corpus, name)
    start = position(simulation, "thing")
    simulation.step(1000)
    travelled = float(np.linalg.norm(position(simulation, "thing") - start))
    assert travelled == pytest.approx(expected.get("distance", 0.0), abs=within)


def test_a_leaning_stack_is_stable(corpus: Path) -> None:
    simulation, _ = scene(corpus, "stack8")
    start = {model: position(simulation, model) for model in simulation.poses()}
    simulation.step(2000)
    for model, before in start.items():
        np.testing.assert_allclose(position(simulation, model), before, atol=1e-6)


def test_a_plate_supports_falling_bodies(corpus: Path) -> None:
    simulation, expected = scene(corpus, "thin_20")
    simulation.step(1500)
    for model in simulation.poses():
        if model != "table":
            assert position(simulation, model)[2] == pytest.approx(expected["rest_z"], abs=1e-6)


def test_boxes_of_a_chrono_model_stop_where_coulomb_stops_them(corpus: Path) -> None:
    folder = corpus / "corpus" / "mechanisms"
    simulation = Simulation(ossature.load(folder / "contact.yaml"))
    expected = json.loads((folder / "contact.json").read_text())["stop"]
    gravity = -simulation.world.gravity[2]
    simulation.step(round(3.5 / simulation.time_step))
    poses = simulation.poses()["contact"]
    for name, distance in expected.items():
        assert poses[name].position[0] == pytest.approx(distance * 9.81 / gravity, abs=1e-4)
        assert poses[name].position[2] == pytest.approx(0.025, abs=1e-6)
    assert poses["ball"].position[2] == pytest.approx(0.1, abs=1e-6)  # the floor's restitution is 0, the smaller one
