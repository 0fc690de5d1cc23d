"""Grasps in MJCF Worlds, and their compiled models with other parameters."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from mjcf.engine_models import differences
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.model import World
from ossature.model.edit import with_values
from ossature.simulation import CompiledModel, Simulation

FILES = Path(__file__).parent / "files"


@pytest.fixture
def world() -> World:
    return ossature.load(FILES / "gripper.xml")


def relative_position(simulation: Simulation) -> Any:
    poses = simulation.poses()["gripper"]
    return np.array((poses["hand"].inverse() @ poses["box"]).position)


def momentum(simulation: Simulation) -> Any:
    model, states = simulation.compiled.model, simulation.body_states()["gripper"]
    return sum(model.body(name).mass * np.array(states[name].linear_velocity) for name in ("hand", "box"))


def test_a_grasped_body_follows_the_hand_and_falls_after_its_release(world: World) -> None:
    report = Report()
    simulation = Simulation(world, report=report)
    simulation.step(10)
    simulation.command("gripper", "lift", 0.4)
    simulation.grasp("hand", "box")
    assert simulation.data.ctrl[0] == 0.4
    before = relative_position(simulation)
    simulation.step(500)
    np.testing.assert_allclose(relative_position(simulation), before, atol=2e-4)
    assert simulation.poses()["gripper"]["box"].position[2] > 0.3
    assert report.take("grasp-by-weld")
    simulation.release("box")
    height = simulation.poses()["gripper"]["box"].position[2]
    simulation.step(100)
    assert simulation.poses()["gripper"]["box"].position[2] < height - 0.01


def test_a_grasp_conserves_momentum(world: World) -> None:
    weightless = replace(world, gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(weightless, report=Report())
    simulation.data.qvel[:] = (0.5, 0.0, 0.0, -0.2, 0.0, 0.0, 0.0)
    before = momentum(simulation)
    simulation.grasp("hand", "box")
    velocities = simulation.body_states()["gripper"]
    assert velocities["hand"].linear_velocity[2] == pytest.approx(velocities["box"].linear_velocity[2], abs=1e-9)
    # The slider transmits no force along its axis.
    assert momentum(simulation)[2] == pytest.approx(before[2], abs=1e-12)


def test_the_present_state_is_kept_by_a_grasp() -> None:
    simulation = Simulation(ossature.load(FILES / "odd.xml"), report=Report())
    simulation.apply_keyframe("home")
    simulation.command("odd", "filtered", lambda time: 0.1 * time)
    simulation.step(20)
    before = {name: np.array(getattr(simulation.data, name)) for name in ("qpos", "act", "mocap_pos", "mocap_quat")}
    simulation.grasp("inner", "target")
    for name, values in before.items():
        np.testing.assert_array_equal(getattr(simulation.data, name), values)
    simulation.step(1)
    simulation.release("target")
    simulation.step(1)
    assert simulation.data.ctrl[2] == pytest.approx(0.1 * (simulation.time - simulation.time_step))


def test_grasps_of_the_command_line() -> None:
    arguments = ["simulate", str(FILES / "gripper.xml"), "--command", "lift=0.4", "--grasp", "hand:box@0", "--duration", "1"]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["final"]["bodies"]["gripper"]["box"]["position"][2] > 0.3


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("gripper/box.mass", 0.7),
        ("gripper/slide.damping", 3.0),
        ("gravity", (0.0, 1.0, -3.0)),
        ("gripper/slide.position_limits.upper", 0.3),
    ],
)
def test_other_parameters_give_the_model_compiled_anew(path: str, value: object, world: World) -> None:
    compiled = CompiledModel.from_world(world).with_parameters({path: value})
    anew = CompiledModel.from_world(with_values(world, {path: value}))
    assert not differences(anew.compiled.model, compiled.compiled.model)
    assert differences(CompiledModel.from_world(world).compiled.model, compiled.compiled.model)
    runs = [Simulation(one) for one in (compiled, anew)]
    for simulation in runs:
        simulation.command("gripper", "lift", 0.4)
        simulation.step(300)
    np.testing.assert_array_equal(runs[0].data.qpos, runs[1].data.qpos)
