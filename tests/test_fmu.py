"""Mechanisms as FMI units: FMPy simulates them, and their motion is that of a simulation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature import Plant
from ossature.cli.app import app

EXAMPLES = PROJECT / "examples"
pytest.importorskip("pythonfmu")
fmpy = pytest.importorskip("fmpy")


SIMULATE = """
import sys, fmpy, numpy
unit, step, duration, names, force = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4].split(), sys.argv[5:]
inputs = numpy.array([(0.0, float(force[1]))], dtype=[("time", float), (force[0], float)]) if force else None
result = fmpy.simulate_fmu(unit, stop_time=duration, step_size=step, output_interval=step, input=inputs, output=names)
numpy.save(unit + ".npy", numpy.array([result[name] for name in names]).T)
"""


def simulate(unit: Path, step: float, duration: float, names: list[str], *force: str) -> np.ndarray:
    """Simulate a unit in a process of its own: units embed Python, and several of them in one Python process crash it."""
    command = [sys.executable, "-c", SIMULATE, str(unit), repr(step), repr(duration), " ".join(names), *force]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    return np.load(f"{unit}.npy")


def test_the_motion_is_that_of_a_simulation(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["fmu", str(EXAMPLES / "cart_pole.urdf"), str(tmp_path / "unit.fmu"), "--input", "cart"])
    assert result.exit_code == 0, result.output
    description = fmpy.read_model_description(str(tmp_path / "unit.fmu"), validate=True)
    assert description.fmiVersion == "2.0"
    assert {one.name for one in description.modelVariables if one.causality == "input"} == {"u.cart_pole.cart"}
    outputs = ["q.cart_pole.cart", "q.cart_pole.pole", "v.cart_pole.cart", "v.cart_pole.pole"]
    found = simulate(tmp_path / "unit.fmu", 0.01, 0.2, outputs, "u.cart_pole.cart", "1.0")
    plant = Plant(ossature.load(EXAMPLES / "cart_pole.urdf"), ["cart"], steps=10)
    expected = [plant.observation.copy(), *(plant.step([1.0]).copy() for _ in range(20))]
    assert np.array_equal(found, expected)


@pytest.mark.slow
def test_mechanisms_with_loops_and_functions_of_time(tmp_path: Path) -> None:
    world = ossature.load(EXAMPLES / "slider_crank.yaml")
    unit = ossature.export_fmu(world, tmp_path / "unit.fmu", [])
    plant = Plant(world, [], steps=5)
    variables = fmpy.read_model_description(str(unit)).modelVariables
    names = [one.name for one in variables if one.name.startswith("q.")]
    assert len(names) == plant.q.size
    chosen = names[0]
    step = 5 * world.time_step
    found = simulate(unit, step, 10 * step, [chosen])[:, 0]
    expected = [plant.q[0]]
    for _ in range(10):
        plant.step()
        expected.append(plant.q[0])
    assert found.tolist() == expected
    assert len(set(expected)) == 11


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    world = ossature.load(EXAMPLES / "cart_pole.urdf")
    with pytest.raises(ossature.OssatureError, match="differs from its file"):
        ossature.export_fmu(world.replace_at("cart_pole/pole.inertial", mass=0.2), tmp_path / "unit.fmu")
    with pytest.raises(KeyError, match="no input 'wheel'"):
        ossature.export_fmu(world, tmp_path / "unit.fmu", ["wheel"])
    assert not list(tmp_path.iterdir())
