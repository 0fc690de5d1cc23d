"""Mechanisms as FMI units: FMPy simulates them, and their motion is that of a simulation."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import ossature
from conftest import PROJECT
from ossature import Plant
from ossature.cli.app import app
from ossature.fmu.export import class_name

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
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-c",
        SIMULATE,
        str(unit),
        repr(step),
        repr(duration),
        " ".join(names),
        *force,
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert ended.returncode == 0, ended.stderr
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


TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def with_mesh(folder: Path, name: str = "w") -> ossature.World:
    """Return a World with a mesh in a folder below its own."""
    (folder / "meshes").mkdir(exist_ok=True)
    file = folder / "m.skel"
    shape = "<geometry><mesh><file_name>meshes/m.obj</file_name><scale>1 1 1</scale></mesh></geometry>"
    file.write_text(
        f'<skel version="1.0"><world name="{name}"><skeleton name="s"><body name="b"><inertia><mass>1</mass></inertia>'
        f"<visualization_shape>{shape}</visualization_shape></body>"
        '<joint type="free" name="j"><parent>world</parent><child>b</child></joint></skeleton></world></skel>'
    )
    return ossature.load(file)


def test_meshes_are_packed_and_linked_files_of_other_folders_are_not(tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "secret.obj").write_text(TRIANGLES)
    world = with_mesh(folder)
    (folder / "meshes" / "m.obj").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(ossature.OssatureError, match="is not in the folder of the model"):
        ossature.export_fmu(world, tmp_path / "unit.fmu")
    (folder / "meshes" / "m.obj").unlink()
    (folder / "meshes" / "m.obj").write_text(TRIANGLES)
    unit = ossature.export_fmu(ossature.load(folder / "m.skel"), tmp_path / "unit.fmu")
    with zipfile.ZipFile(unit) as archive:
        assert archive.read("resources/model/meshes/m.obj").decode() == TRIANGLES


@pytest.mark.parametrize("name", ["class", "x\u00b2", "x" * 300, "\U0001d54f", "'); import os", "FmuSlave", "1"])
def test_names_of_worlds_are_no_code(name: str) -> None:
    written = class_name(name)
    assert written.isascii()
    assert written.isidentifier()
    assert len(written) < 120
    compile(f"class {written}(FmuSlave): pass", "unit", "exec")
