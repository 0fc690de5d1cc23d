"""Simulations that begin at a state."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import ossature
from cli.state_commands import CRANK, HEAP, fine, place_in, run, with_displaced_rod

pytest.importorskip("pyarrow")


def test_a_simulation_goes_on_exactly(crank: Path, tmp_path: Path) -> None:
    begin = ("simulate", CRANK, "--initial-state", crank / "half.usdf", "--duration", 0.2)
    fine(*begin, "--save-state", tmp_path / "again.usdf")
    assert (tmp_path / "again.usdf").read_text() == (crank / "whole.usdf").read_text()
    assert "no differences" in fine("state", "diff", tmp_path / "again.usdf", crank / "whole.usdf")


FLOATING = """<sdf version="1.8"><model name="m"><link name="l"><inertial><mass>1</mass></inertial></link></model></sdf>"""

ELSEWHERE = """<world_state name="w"><model_state name="m"><parent>world</parent>
<pose>1 2 3 0 0 0</pose><twist>0 0 0 0 0 0</twist>
</model_state></world_state>"""


def test_a_state_with_other_poses_of_models(tmp_path: Path) -> None:
    """`state show --model` and the viewer place models as `simulate` does."""
    pytest.importorskip("viser")
    from ossature.viewer.live_simulation import LiveSimulation

    model, state = tmp_path / "m.sdf", tmp_path / "s.usdf"
    model.write_text(FLOATING)
    state.write_text(ELSEWHERE)
    shown = json.loads(fine("state", "show", state, "--model", model, "--json"))
    assert shown["energy"]["potential"] == pytest.approx(-3.0 * ossature.load(model).gravity[2])
    world = ossature.load(model)
    live = LiveSimulation(world, ossature.MeshStore.of(world), {}, ossature.load_state(state))
    assert live.frame().poses["m"]["l"].position == (1.0, 2.0, 3.0)


def test_a_body_that_does_not_exist_is_located(tmp_path: Path) -> None:
    state = tmp_path / "state.usdf"
    fine("state", "extract", HEAP, state)
    name = re.search(r'<link_state name="(.*?)">', state.read_text())
    assert name is not None
    state.write_text(state.read_text().replace(name[0], '<link_state name="ghost">', 1))
    place = place_in(state, '<link_state name="ghost">')
    for command in (("simulate", HEAP, "--duration", 0.01), ("pose", HEAP)):
        result = run(*command, "--initial-state", state)
        assert result.exit_code == 1, result.output
        assert f"the state does not fit: {place}: " in result.stderr
        assert "has no body 'ghost'" in result.stderr


def test_what_does_not_fit_is_told(crank: Path, tmp_path: Path) -> None:
    place = place_in(crank / "half.usdf", '<model_state name="slider crank">')
    missing = f"{place}: not applied: there is no model 'slider crank'"
    nothing = "warning: no body and no joint of the state"
    for arguments in (
        ("state", "apply", crank / "half.usdf", HEAP, tmp_path / "out.skel"),
        ("simulate", HEAP, "--duration", 0.01, "--initial-state", crank / "half.usdf"),
    ):
        result = run(*arguments, "--ignore-mismatch")
        assert result.exit_code == 0, result.output
        assert f"warning: {missing}" in result.stderr
        assert nothing in result.stderr
        refused = run(*arguments)
        assert refused.exit_code == 1, refused.output
        assert f"error: the state does not fit: {place}: there is no model 'slider crank'" in refused.stderr
    apart = with_displaced_rod(crank, tmp_path)
    result = run("state", "apply", apart, CRANK, tmp_path / "out.yaml", "--ignore-mismatch")
    assert re.search(r"warning: .*half\.usdf:2:1: not applied: 'slider crank/", result.stderr)
    assert nothing not in result.stderr
    result = run("simulate", CRANK, "--duration", 0.01, "--initial-state", crank / "half.usdf", "--ignore-mismatch")
    assert "warning" not in result.stderr


CARRIED_ROBOT = """<robot name="r">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>"""

CARRIED_STATE = """<world_state name="w">
  <model_state name="r"><parent>turntable</parent><pose>1 0 0 0 0 0</pose></model_state>
  <frame name="turntable"><pose>1 0 0 0 0 1.5707963267948966</pose><twist>0 0 0 0 0 2</twist></frame>
</world_state>"""


def test_a_model_frame_that_moves_carries_a_floating_robot(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(CARRIED_ROBOT)
    (tmp_path / "carried.usdf").write_text(CARRIED_STATE)
    state = tmp_path / "carried.usdf"
    begin = ("simulate", tmp_path / "r.urdf", "--initial-state", state, "--gravity", 0, 0, 0, "--duration", 0)
    base = json.loads(fine(*begin, "--float-base", "--json"))["final"]["bodies"]["r"]["base"]
    np.testing.assert_allclose(base["position"], (1.0, 1.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(base["linear_velocity"], (-2.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(base["angular_velocity_body"], (0.0, 0.0, 2.0), atol=1e-12)
    attached = run(*begin, "--fix-base")
    assert attached.exit_code == 1
    assert "the frame of model 'r' moves, but joint 'base_fixed' connects it to the world" in attached.output


def test_a_state_places_a_fixed_robot(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(CARRIED_ROBOT)
    (tmp_path / "placed.usdf").write_text(CARRIED_STATE.replace("<twist>0 0 0 0 0 2</twist>", ""))
    begin = ("simulate", tmp_path / "r.urdf", "--fix-base", "--initial-state", tmp_path / "placed.usdf", "--duration", 0)
    bodies = json.loads(fine(*begin, "--json"))["final"]["bodies"]["r"]
    np.testing.assert_allclose(bodies["arm"]["position"], (1.0, 1.0, 0.0), atol=1e-12)


def test_a_state_is_no_model(crank: Path) -> None:
    assert "unexpected-content" in run("info", crank / "half.usdf").stderr
