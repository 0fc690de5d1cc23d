"""The work of motors whose positions and velocities jump in the same steps is the change of energy."""

from __future__ import annotations

import numpy as np
import pytest

from chrono.models import GROUND, body, read, text
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import Simulation

_DURATION = 0.4
_GRID = 5e-3
"""Times of many bends and jumps are multiples of it, so that they coincide, often with the time of a step [s]."""


def _random_time(generator: np.random.Generator, least: float, most: float) -> float:
    time = float(generator.uniform(least, most))
    return float(np.round(time / _GRID) * _GRID) if generator.random() < 0.6 else time


def _random_function(generator: np.random.Generator) -> str:
    """Return straight lines between points, perhaps with a jump, perhaps repeated."""
    times = sorted({0.0, *(_random_time(generator, 0.01, _DURATION) for _ in range(generator.integers(2, 6)))})
    points = [[time, float(generator.uniform(-0.1, 0.1))] for time in times]
    if generator.random() < 0.5:
        number = int(generator.integers(1, len(points)))
        points.insert(number + 1, [points[number][0] + 1e-9, float(generator.uniform(-0.1, 0.1))])
    repeat = ""
    if generator.random() < 0.5:
        start = 0.0 if generator.random() < 0.5 else float(generator.uniform(0.0, 0.1))
        repeat = f", repeat: {{start: {start}, width: {_random_time(generator, 0.05, 0.2)}, shift: 0}}"
    return f"{{type: DATA, data: {points}{repeat}}}"


def _random_motors(seed: int) -> World:
    """Return three driven bodies far from each other; one whose speed is driven carries a pendulum."""
    generator = np.random.default_rng(seed)
    bodies, joints, motors = [GROUND], [], []
    for number, actuation in enumerate([*generator.choice(["POSITION", "SPEED"], 2), "POSITION"]):
        y, motor_type = 5 * number, generator.choice(["LINEAR", "ROTATION"])
        bodies.append(body(f"b{number}", f"[0, {y}, 0]", mass=2.0))
        motors.append(
            f"- {{name: m{number}, type: {motor_type}, body1: b{number}, body2: ground, location: [0, {y}, 0], "
            f"axis: [0, 1, 0], actuation_type: {actuation}, actuation_function: {_random_function(generator)}}}"
        )
        if actuation == "SPEED":
            bodies.append(body(f"pendulum{number}", f"[0, {y}, -0.3]"))
            hinge = f"body2: pendulum{number}, location: [0.1, {y}, 0], axis: [{generator.integers(2)}, 1, 0]"
            joints.append(f"- {{name: hinge{number}, type: REVOLUTE, body1: b{number}, {hinge}}}")
    lists = {"joints": joints, "motors": motors}
    return read(text(*bodies, **{name: "\n".join(items) for name, items in lists.items() if items}))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("time_step", [1e-3, 7e-4, 5e-3])
@pytest.mark.parametrize("seed", [*range(90, 100), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(90))])
def test_the_work_of_motors_beside_jumps_is_the_change_of_energy(seed: int, time_step: float) -> None:
    simulation = Simulation(_random_motors(seed), report=Report(), time_step=time_step)
    simulation.run(_DURATION)
    energy = simulation.diagnostics.energy
    assert max(energy.gain, energy.loss) < 1e-4 * energy.scale
