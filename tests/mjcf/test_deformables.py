"""Flexes, skins and tactile meshes: written MJCF files compile to equal models; other formats drop them."""

from __future__ import annotations

import json
from pathlib import Path

import mujoco
import pytest

import ossature
from conftest import corpus_folder
from mjcf.engine_models import differences
from mjcf.mujoco_reference import compiled_by_mujoco, read_mjcf
from ossature.diagnostics import Report
from ossature.simulation import Simulation

FILE = """<mujoco model="soft">
  <asset>
    <material name="cloth" rgba="0 1 0 1"/>
    <mesh name="taxels" vertex="0 0 0  1 0 0  0 0.5 0  0 0 0.25"/>
    <skin name="sleeve" material="cloth" inflate="0.01" vertex="0 0 0.1  1 0 0  0 1 0  1 1 0" face="0 1 2 2 1 3"
        texcoord="0 0 1 0 0 1 1 1">
      <bone body="arm" bindpos="0.1 0 0" bindquat="0.8 0 0.6 0" vertid="0 1" vertweight="1 0.5"/>
      <bone body="hand" bindpos="0 0 0" bindquat="1 0 0 0" vertid="1 2 3" vertweight="0.5 1 1"/>
    </skin>
  </asset>
  <worldbody>
    <body name="arm"><joint axis="0 1 0"/><geom name="pad" type="box" size="0.1 0.1 0.1"/>
      <body name="hand" pos="0 0 1"><joint axis="1 0 0"/><geom size="0.1"/></body></body>
    <flexcomp name="sheet" type="grid" count="3 3 1" spacing="0.123456789012 0.1 0.1" radius="0.01" mass="1" dim="2"
        material="cloth">
      <edge equality="true" damping="0.01" solref="0.03 1"/><contact selfcollide="none" margin="0.001"/><pin id="0 2"/>
    </flexcomp>
    <flexcomp name="jelly" type="grid" dof="trilinear" count="3 3 3" spacing="0.1 0.1 0.1" pos="1 0 1" radius="0.01" mass="1"
        dim="3">
      <elasticity young="1e4" poisson="0.1" damping="0.1"/></flexcomp>
  </worldbody>
  <sensor><tactile name="touch" geom="pad" mesh="taxels"/></sensor>
</mujoco>
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "soft.xml"
    path.write_text(FILE)
    return path


def test_the_written_file_compiles_to_an_equal_model(source: Path, tmp_path: Path) -> None:
    report = Report()
    world = read_mjcf(source, report)
    assert world is not None
    assert not report.has_errors
    ledger = ossature.save(world, tmp_path / "written.xml")
    assert ledger.lossless, "\n".join(ledger.lines())
    assert not differences(compiled_by_mujoco(source), compiled_by_mujoco(tmp_path / "written.xml"))
    again = read_mjcf(tmp_path / "written.xml", Report())
    assert again is not None
    assert [one.key for one in again.extensions] == [one.key for one in world.extensions]


def test_it_is_simulated(source: Path) -> None:
    world = read_mjcf(source, Report())
    assert world is not None
    simulation, model = Simulation(world), compiled_by_mujoco(source)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=50)
    simulation.step(50)
    assert simulation.data.qpos == pytest.approx(data.qpos, abs=1e-9)


@pytest.mark.parametrize("suffix", [".urdf", ".skel", ".yaml"])  # COLLADA has extensions
def test_the_ledger_of_other_formats_contains_them(source: Path, suffix: str, tmp_path: Path) -> None:
    lines = "\n".join(ossature.convert(source, tmp_path / f"written{suffix}").ledger.lines())
    for tag in ("deformable", "asset", "equality"):
        assert f"<{tag}> of mjcf files" in lines, tag


FOLDER = corpus_folder()
WITH_DEFORMABLES = ("<flexcomp", "<flex ", "<skin", "<composite")


def deformable_files() -> list[Path]:
    if FOLDER is None:
        return []
    known = json.loads((FOLDER / "reference" / "mjcf" / "elements.json").read_text())
    paths = [FOLDER / "corpus" / "mjcf-elements" / name for name, expected in known.items() if expected["ok"]]
    return [path for path in paths if any(tag in path.read_text(errors="replace") for tag in WITH_DEFORMABLES)]


@pytest.mark.slow
@pytest.mark.parametrize("path", deformable_files(), ids=lambda path: path.name)
def test_files_of_the_corpus_compile_to_equal_models(path: Path, tmp_path: Path) -> None:
    assert FOLDER is not None
    world = read_mjcf(path, Report(), FOLDER / "corpus")
    assert world is not None
    ossature.save(world, tmp_path / path.name)
    assert not differences(compiled_by_mujoco(path), compiled_by_mujoco(tmp_path / path.name))
