"""Recorded quantities of MJCF Worlds: those of actuators, tendons and sensors are MuJoCo's own, at the time of the sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from conftest import corpus_folder
from mjcf.mujoco_reference import compiled_by_mujoco, read_mjcf
from ossature.cli.app import app
from ossature.diagnostics import Report
from ossature.model import World
from ossature.simulation import Simulation
from ossature.simulation.observation.mujoco_quantities import tendon_forces

FILES = Path(__file__).parent / "files"
CORPUS = corpus_folder()
ROBOTS = (
    []
    if CORPUS is None
    else [CORPUS / "corpus" / "mjcf" / name for name in ("robotiq_2f85/2f85.xml", "agility_cassie/scene.xml")]
)
PATHS = [FILES / "odd.xml", FILES / "robot.xml", *ROBOTS]


def started(path: Path) -> tuple[Simulation, Any, Any]:
    """Return a simulation, and MuJoCo's own model and data, in the same state."""
    world = read_mjcf(path, Report(), *([] if CORPUS is None else [CORPUS / "corpus" / "mjcf"]))
    assert world is not None
    simulation, model = Simulation(world, report=Report()), compiled_by_mujoco(path)
    return simulation, model, mujoco.MjData(model)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_samples_have_the_quantities_of_mujoco(path: Path) -> None:
    simulation, model, data = started(path)
    rng, index = np.random.default_rng(1), simulation.compiled.index
    (owner,) = index.bodies
    for _ in range(3):
        data.ctrl[:] = rng.uniform(0.0, 1.0, model.nu)
        for name, address in index.actuators[owner].items():
            simulation.command(owner, name, data.ctrl[address.controls].tolist())
        mujoco.mj_step(model, data, nstep=5)
        recording = simulation.run(5.0 * simulation.time_step, forces=True)
        mujoco.mj_forward(model, data)
        elements = {name: {q: v[-1] for q, v in group.items()} for name, group in recording.elements[owner].items()}
        assert len(elements) == len(index.actuators[owner]) + len(index.tendons[owner]) + len(index.sensors[owner])
        for number, name in enumerate(index.actuators[owner]):
            np.testing.assert_allclose(elements[name]["force"], data.actuator_force[number], rtol=1e-9, atol=1e-9)
            assert elements[name]["control"] == data.ctrl[number]
            first, count = model.actuator_actadr[number], model.actuator_actnum[number]
            if first >= 0:
                np.testing.assert_allclose(elements[name]["activation"], data.act[first : first + count].squeeze(), rtol=1e-12)
        for number, name in enumerate(index.tendons[owner]):
            quantities = elements[name if name not in index.actuators[owner] else f"{name} tendon"]
            np.testing.assert_allclose(quantities["length"], data.ten_length[number], rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(quantities["rate"], data.ten_velocity[number], rtol=1e-9, atol=1e-9)
        for name, at in index.sensors[owner].items():
            if name in elements and "measurement" in elements[name]:
                expected = data.sensordata[at]
                np.testing.assert_allclose(np.atleast_1d(elements[name]["measurement"]), expected, rtol=1e-6, atol=1e-6)
                np.testing.assert_array_equal(
                    simulation.measurements()[owner][name], np.atleast_1d(elements[name]["measurement"])
                )


@pytest.mark.parametrize("seed", range(8))
def test_forces_along_tendons_balance_the_generalised_forces(seed: int) -> None:
    """All forces of the model act along tendons, so that their work is that of the generalised forces for any motion."""
    model = compiled_by_mujoco(FILES / "tendons.xml")
    data, rng = mujoco.MjData(model), np.random.default_rng(seed)
    data.qpos[:], data.qvel[:], data.ctrl[:] = rng.normal(0.0, 0.4, 3), rng.normal(size=3), rng.normal(size=2)
    mujoco.mj_forward(model, data)
    jacobian = np.zeros((model.ntendon, model.nv))
    step = 1e-6
    lengths = data.ten_length.copy()
    forces = tendon_forces(model, data)
    expected = data.qfrc_passive + data.qfrc_actuator + data.qfrc_constraint
    present = data.qpos.copy()
    for number in range(model.nv):
        for sign in (1.0, -1.0):
            data.qpos[:] = present
            data.qpos[number] += sign * step
            mujoco.mj_fwdPosition(model, data)
            jacobian[:, number] += sign * data.ten_length / (2.0 * step)
    assert lengths.size == 3
    np.testing.assert_allclose(jacobian.T @ forces, expected, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("integrator", ["Euler", "implicitfast"])
def test_reactions_balance_the_forces_on_the_bodies_beyond_a_joint(integrator: str) -> None:
    """The reaction of the root and all other forces change the momentum, which a finite difference approximates."""
    text = (FILES / "arm.xml").read_text().replace("Euler", integrator)
    world = ossature.load(text.encode(), format="mjcf")
    coarse, fine = (_unbalanced_force(world, time_step) for time_step in (1e-3, 1e-4))
    assert coarse < 0.2
    assert fine < 0.15 * coarse


def _unbalanced_force(world: World, time_step: float) -> float:
    """Return the largest component of what is missing in the balance of a step [N]."""
    simulation = Simulation(world, time_step=time_step)
    (owner,) = simulation.compiled.index.bodies
    simulation.command(owner, "servo", 0.7)
    simulation.command(owner, "push", 2.0)
    simulation.step(round(0.2 / time_step))
    model, data = simulation.compiled.model, simulation.data

    def momentum() -> Any:
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        return model.body_subtreemass[0] * data.subtree_linvel[0]

    reaction = simulation.reactions()[owner]["first"]["force"]
    push = 2.0 * data.site("tip").xmat.reshape(3, 3)[:, 2]
    weight = model.opt.gravity * (model.body_mass * (1.0 - model.body_gravcomp)).sum()
    before = momentum()
    simulation.step(1)
    change = (momentum() - before) / time_step
    return float(np.abs(reaction + push + weight - change).max())


def test_models_in_a_fluid_have_no_reactions() -> None:
    report = Report()
    text = '<mujoco><option density="1"/><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    simulation = Simulation(ossature.load(text.encode(), format="mjcf"), report=report)
    recording = simulation.run(0.01, forces=True)
    assert not recording.reactions
    (finding,) = report.take("reactions-not-computed")
    assert "forces of a fluid" in finding.message


def test_sensors_are_listed_read_recorded_and_plotted(tmp_path: Path) -> None:
    path = FILES / "odd.xml"

    def run(*arguments: object) -> str:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert "framequat_2" in run("sensor", "list", path)
    reading = json.loads(run("sensor", "read", path, "-s", "tendonpos_4", "--time", "0.1", "--json"))
    model = compiled_by_mujoco(path)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=50)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(reading["values"], data.ten_length[:1], rtol=1e-12)
    run(
        "simulate",
        path,
        "--duration",
        "0.02",
        "--sensor",
        "gyro",
        "--sensor-output",
        tmp_path / "gyro.npz",
        "--plot",
        tmp_path / "p.svg",
    )
    with np.load(tmp_path / "gyro.npz") as readings:
        (values,) = [readings[name] for name in readings if name.endswith("values")]
    assert values.shape == (11, 3)
    text = (tmp_path / "p.svg").read_text()
    for panel in ("control", "activation", "measurement"):
        assert panel in text


def test_info_lists_actuators_with_their_control_range() -> None:
    result = CliRunner().invoke(app, ["info", str(FILES / "odd.xml")])
    assert "control -1 to 1" in result.output
