"""MuJoCo Warp agrees with the serial executor within single precision, and states what prevents a model from running there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ossature
from conftest import PROJECT
from ossature.model import World
from ossature.model.edit import with_values
from ossature.sweeps import Design, ExecutorError, Output, Parameter, Run, StopCondition, Values, Variants, make_executor
from ossature.sweeps.executors import warp
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


@pytest.mark.slow
def test_a_run_has_its_own_pose_of_a_static_body() -> None:
    output = Output(name="height", quantity="ball/ball body.position[2]")
    run = Run(duration=0.3, outputs=[output], integrator="implicit", contact_time_constant=0.02)
    parameters = {"ground/floor.pose.position[2]": [0.0, 0.1]}
    expected, found = (
        np.array(ossature.sweep(heap(), parameters, run, executor=executor).table.column("height").to_pylist())
        for executor in ("serial", make_executor("warp", 2))
    )
    assert np.diff(expected) > 0.05
    assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("rooms", "status"), [((1, 64), "finished"), ((1,), "failed")])
def test_runs_without_room_for_their_contacts_are_repeated(
    rooms: tuple[int, ...], status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warp, "_CONTACTS", 2)
    monkeypatch.setattr(warp, "_CONSTRAINTS", 8)
    monkeypatch.setattr(warp, "_ROOMS", rooms)
    run = Run(duration=0.15, integrator="implicit", contact_time_constant=0.02)
    found = ossature.sweep(heap(), {"ball/ball body.mass": [0.3, 0.5]}, run, executor=make_executor("warp", 2)).table
    assert found.column("status").to_pylist() == [status] * 2


@pytest.mark.slow
def test_variants_are_simulated_in_turn() -> None:
    longer = with_values(pendulum(), {"pendulum/link.mass": 7.0})
    variants = Parameter(name="model", source=Variants(("short", "long")))
    gravity = Parameter(name="gravity", paths=("gravity[2]",), source=Values((-9.81, -1.6)))
    angle = Output(name="angle", quantity="pendulum/hinge.positions[0]")
    run = Run(duration=0.1, outputs=[angle], integrator="implicit", time_step=RUN.time_step)
    expected, found = (
        ossature.sweep({"short": pendulum(), "long": longer}, [variants, gravity], run, executor=executor).table
        for executor in ("serial", make_executor("warp", 4))
    )
    assert found.column("status").to_pylist() == ["finished"] * 4
    assert found.column("angle").to_pylist() == pytest.approx(expected.column("angle").to_pylist(), rel=TOLERANCE)


@pytest.mark.slow
def test_processes_of_the_host_prepare_the_same_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    run = replace(RUN, duration=0.1, outputs=KINEMATIC, integrator="implicit")
    in_a_thread = ossature.sweep(pendulum(), PARAMETERS, run, design=DESIGN, executor=make_executor("warp", 4)).table
    monkeypatch.setattr(warp, "_LEAST_FOR_PROCESSES", 4)
    monkeypatch.setattr(warp, "processor_count", lambda: 2)
    monkeypatch.setattr(warp, "_CHUNK", 1)
    in_processes = ossature.sweep(pendulum(), PARAMETERS, run, design=DESIGN, executor=make_executor("warp", 4)).table
    assert in_processes.equals(in_a_thread)


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
