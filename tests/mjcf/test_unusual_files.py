"""Files as people have them: paths with backslashes, flat meshes, bodies without mass, numbers without effect."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ossature
from mjcf.engine_models import differences
from mjcf.mujoco_reference import compiled_by_mujoco
from ossature.conversion import convert
from ossature.model import World
from ossature.simulation import Simulation, SimulationError

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
SQUARE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"
BODY = '<body name="box" pos="0 0 1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>'


def world_with_the_model_of_mujoco(path: Path) -> World:
    """Return the World of a file whose compiled model, and that of the written file, are those of MuJoCo."""
    world, expected = ossature.load(path), compiled_by_mujoco(path)
    model = Simulation(world).compiled.model
    model.opt.disableflags = expected.opt.disableflags
    assert not differences(expected, model)
    written = path.parent / "written" / path.name
    written.parent.mkdir()
    assert convert(world, written).ledger.lossless
    assert not differences(expected, compiled_by_mujoco(written))
    return world


def test_backslashes_separate_folders(tmp_path: Path) -> None:
    (tmp_path / "parts" / "meshes").mkdir(parents=True)
    (tmp_path / "parts" / "meshes" / "tetrahedron.obj").write_text(TETRAHEDRON)
    mesh = '<mujocoinclude><asset><mesh file="meshes\\tetrahedron.obj"/></asset></mujocoinclude>'
    (tmp_path / "parts" / "mesh.xml").write_text(mesh)
    path = tmp_path / "robot.xml"
    body = '<body><freejoint/><geom type="mesh" mesh="tetrahedron"/></body>'
    include = '<compiler meshdir=".\\parts"/><include file="parts\\mesh.xml"/>'
    path.write_text(f"<mujoco>{include}<worldbody>{body}</worldbody></mujoco>")
    world_with_the_model_of_mujoco(path)


def test_flat_meshes_are_displayed(tmp_path: Path) -> None:
    (tmp_path / "screen.obj").write_text(SQUARE)
    path = tmp_path / "screen.xml"
    asset = '<asset><mesh file="screen.obj" inertia="shell"/></asset>'
    screen = '<geom type="mesh" mesh="screen" contype="0" conaffinity="0" mass="0"/>'
    path.write_text(f"<mujoco>{asset}<worldbody>{BODY.replace('<freejoint/>', '<freejoint/>' + screen)}</worldbody></mujoco>")
    world = world_with_the_model_of_mujoco(path)
    assert len(world.models[0].bodies["box"].visuals) == 2


MASSLESS = """<mujoco model="massless"><default><tendon width="0.1" rgba="1 0 0 1"/></default><worldbody>
  <geom type="plane" size="1 1 1"/>
  <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0" springref="20"/>
    <geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0"/>
    <body name="finger" pos="0.5 0 0"><geom type="box" size="0.01 0.01 0.05" pos="0 0 -0.1" mass="0" user="0 0"/></body>
  </body></worldbody>
  <tendon><fixed name="sum"><joint joint="elbow" coef="1"/></fixed></tendon>
  <actuator><motor joint="elbow" forcerange="-1 1" forcelimited="false"/></actuator>
</mujoco>"""


def test_massless_bodies_springs_without_stiffness_and_zeros_of_users(tmp_path: Path) -> None:
    path = tmp_path / "massless.xml"
    path.write_text(MASSLESS)
    world = world_with_the_model_of_mujoco(path)
    assert world.models[0].joints["elbow"].coordinates[0].spring_reference == pytest.approx(np.radians(20.0), abs=1e-15)


def test_springs_with_only_a_cubic_term_are_relaxed_at_their_reference(tmp_path: Path) -> None:
    path = tmp_path / "cubic.xml"
    path.write_text(MASSLESS.replace('springref="20"', 'springref="20" stiffness="0 0 30"'))
    simulation, model = Simulation(world_with_the_model_of_mujoco(path)), compiled_by_mujoco(path)
    data = mujoco.MjData(model)
    simulation.step(100)
    mujoco.mj_step(model, data, nstep=100)
    np.testing.assert_allclose(simulation.data.qpos, data.qpos, rtol=0, atol=1e-12)


def test_joints_outside_their_limits_start_there(tmp_path: Path) -> None:
    path = tmp_path / "knee.xml"
    joint = '<joint name="knee" axis="0 1 0" range="-120 -10"/>'
    path.write_text(f"<mujoco model='leg'><worldbody>{BODY.replace('<freejoint/>', joint)}</worldbody></mujoco>")
    (finding,) = ossature.check(path).take("initial-position-outside-limits")
    assert "starts at 0" in finding.message
    assert Simulation(ossature.load(path)).positions()["leg"]["knee"] == (0.0,)


def test_several_sections_of_one_kind_are_one(tmp_path: Path) -> None:
    path = tmp_path / "sections.xml"
    sections = '<size memory="1M"/><visual><map znear="0.1"/></visual><visual><map znear="0.2" force="1"/></visual>'
    sensor = '<sensor><framepos objtype="site" objname="mark"/></sensor>'
    path.write_text(f"<mujoco>{sections}<size nkey='1'/><worldbody><site name='mark'/>{BODY}</worldbody>{sensor}</mujoco>")
    world = world_with_the_model_of_mujoco(path)
    texts = {extension.key: extension.value for extension in world.extensions}
    assert texts == {"size": '<size memory="1M" nkey="1"/>', "visual": '<visual><map znear="0.2" force="1"/></visual>'}


def test_what_mujoco_cannot_simulate_is_a_finding(tmp_path: Path) -> None:
    """MuJoCo compiles tendon equalities with sleeping bodies, and stops in its first step."""
    path = tmp_path / "asleep.xml"
    tendons = '<tendon><fixed name="sum"><joint joint="elbow" coef="1"/></fixed></tendon>'
    text = MASSLESS[: MASSLESS.index("  <tendon>")] + tendons + '<equality><tendon tendon1="sum"/></equality></mujoco>'
    path.write_text(text.replace("<default>", '<option><flag sleep="enable"/></option><default>', 1))
    with pytest.raises(SimulationError, match="sleeping"):
        Simulation(ossature.load(path)).step()


@pytest.mark.parametrize("suffix", [".xml", ".urdf"])
def test_assets_that_no_geom_uses_are_in_the_ledger(tmp_path: Path, suffix: str) -> None:
    assets = '<mesh name="spare" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><hfield name="hills" nrow="2" ncol="2" size="1 1 1 1"/>'
    used = "".join(f'<mesh name="{name}" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>' for name in ("drawn", "fitted"))
    geoms = '<geom type="mesh" mesh="drawn"/><geom type="box" mesh="fitted"/>'
    path = tmp_path / "in.xml"
    body = f'<worldbody><body name="b"><freejoint/>{geoms}</body></worldbody>'
    path.write_text(f"<mujoco><asset>{assets}{used}</asset>{body}</mujoco>")
    ledger = ossature.convert(path, tmp_path / f"out{suffix}", verify=True).ledger
    before = " ".join(entry.before or "" for entry in ledger if entry.path.startswith("extensions"))
    assert '<mesh name="spare"/>' in before
    assert '<hfield name="hills"/>' in before
    assert "fitted" not in before
    assert "drawn" not in before
