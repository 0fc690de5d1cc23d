"""MuJoCo Warp agrees with the serial executor within single precision, and states what prevents a model from running there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.model import World
from ossature.sweeps import Design, ExecutorError, Output, Run, StopCondition, make_executor
from sweeps.pendulums import OUTPUTS, PARAMETERS, RUN, pendulum

pytest.importorskip("mujoco_warp")

TOLERANCE = 1e-5
"""Largest relative difference of a tenth of a second of motion, as docs/sweeps.md states."""
DESIGN = Design(method="random", count=6, seed=2)
KINEMATIC = tuple([one for one in OUTPUTS if one.name != "torque"])


@pytest.mark.slow
@pytest.mark.parametrize("integrator", ["implicit", "semi-implicit-euler"])
def test_a_pendulum_agrees_with_the_serial_run(integrator: str) -> None:
    run = replace(RUN, duration=0.1, outputs=KINEMATIC, integrator=integrator)
    expected = ossature.sweep(pendulum(), PARAMETERS, run, design=DESIGN).table
    found = ossature.sweep(pendulum(), PARAMETERS, run, design=DESIGN, executor=make_executor("warp", 4)).table
    for name in ("angle", "lowest", "speed", "angles", "ratio", "final_speed"):
        first, second = (np.array(table.column(name).to_pylist(), dtype=float) for table in (expected, found))
        assert np.abs(first).max() > 0.01
        assert np.abs(first - second).max() < TOLERANCE * np.abs(first).max(), name
    assert found.column("index").to_pylist() == list(range(6))


@pytest.mark.slow
def test_a_falling_body_that_touches_agrees_with_the_serial_run() -> None:
    heap = ossature.load(PROJECT / "examples" / "contact.skel")
    output = Output(name="height", quantity="ball/ball body.position[2]")
    run = Run(duration=0.25, outputs=[output], integrator="implicit", contact_time_constant=0.02)
    parameters = {"ball/ball body.mass": [0.3, 0.5]}
    expected = ossature.sweep(heap, parameters, run).table
    found = ossature.sweep(heap, parameters, run, executor=make_executor("warp", 2)).table
    assert found.column("status").to_pylist() == ["finished"] * 2
    heights = [np.array(table.column("height").to_pylist()) for table in (expected, found)]
    assert heights[0] == pytest.approx(heights[1], abs=1e-4)


def crank() -> World:
    return ossature.load(PROJECT / "examples" / "slider_crank.yaml")


def heap() -> World:
    return ossature.load(PROJECT / "examples" / "contact.skel")


IMPLICIT = {"integrator": "implicit", "outputs": ()}
FORCE = Output(name="force", quantity="pendulum/hinge.reaction_force")


@pytest.mark.parametrize(
    ("world", "changes", "message"),
    [
        (crank, {"outputs": ()}, "the integrator is leapfrog; use `integrator: implicit`"),
        (crank, IMPLICIT, "motors or loads have functions of time"),
        (heap, IMPLICIT, "contacts are rigid; use `contact_time_constant`"),
        (pendulum, {**IMPLICIT, "outputs": (FORCE,)}, "'force' is a force"),
        (pendulum, {**IMPLICIT, "stop": (StopCondition(quantity="energy.total", above=1.0),)}, "stop conditions"),
    ],
)
def test_what_prevents_a_model_is_specified(world: Any, changes: dict[str, Any], message: str) -> None:
    run = replace(Run(duration=0.1), **changes)
    with pytest.raises(ExecutorError, match="unsupported-by-gpu") as error:
        ossature.sweep(world(), {"gravity[2]": [-9.81]}, run, executor="warp")
    assert message in str(error.value)
