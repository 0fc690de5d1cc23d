"""USDF states in the viewer."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.cli.app import app
from ossature.diagnostics import OssatureError
from ossature.io import save_state
from ossature.viewer.live_simulation import LiveSimulation

ARM = PROJECT / "examples" / "arm.skel"


def test_live_simulation_starts_in_state_and_equals_simulation() -> None:
    world = ossature.load(ARM)
    simulation = ossature.Simulation(world)
    simulation.run(0.1)
    shown = LiveSimulation(world, MeshStore(), {}, simulation.state())
    assert shown.frame().poses == simulation.poses()
    shown.advance(0.05)
    simulation.run(0.05)
    assert shown.frame().poses == simulation.poses()
    shown.restart()
    assert shown.time == pytest.approx(0.1)


def test_a_state_of_another_world_is_refused() -> None:
    state = ossature.Simulation(ossature.load(PROJECT / "examples" / "double_pendulum.skel")).state()
    with pytest.raises(OssatureError):
        LiveSimulation(ossature.load(ARM), MeshStore(), {}, state)


@pytest.mark.parametrize("example", ["double_pendulum.skel", None])
def test_view_reports_why_a_state_cannot_be_applied(tmp_path: Path, example: str | None) -> None:
    path = tmp_path / "state.usdf"
    if example is None:
        path.write_text("<nonsense/>")
    else:
        save_state(ossature.Simulation(ossature.load(PROJECT / "examples" / example)).state(), path)
    result = CliRunner().invoke(app, ["view", str(ARM), "--no-open", "--port", "0", "--initial-state", str(path)])
    assert result.exit_code == 1
    assert result.stderr
