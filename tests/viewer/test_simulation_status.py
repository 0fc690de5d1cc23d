"""What the panel of simulations states: why one stopped, and that a model falls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("viser")

import viser

from ossature.assets import MeshStore
from ossature.diagnostics import OssatureError
from ossature.viewer.app import ViewerApp
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.loaded_file import open_file
from ossature.viewer.server import LOOPBACK, serve

from .browser import wait_for

BALL = """<skel version="1.0"><world name="w"><physics><gravity>0 0 -9.81</gravity></physics>
<skeleton name="ball"><body name="ball"><transformation>0 0 0 0 0 0</transformation><inertia><mass>2</mass></inertia>
<visualization_shape><geometry><sphere><radius>0.2</radius></sphere></geometry></visualization_shape></body>
<joint type="free" name="free"><parent>world</parent><child>ball</child></joint></skeleton></world></skel>"""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[ViewerApp]:
    path = tmp_path / "ball.skel"
    path.write_text(BALL)
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [open_file(path, lambda found: MeshStore())], shadows=False)
    yield page
    page.close()


def status_of(page: ViewerApp) -> str:
    return str(page.simulation._text.content)


def test_a_simulation_that_fails_keeps_its_recording_and_its_reason(page: ViewerApp, monkeypatch: pytest.MonkeyPatch) -> None:
    advance = LiveSimulation.advance

    def diverge_later(live: LiveSimulation, duration: float, *, record: bool = False) -> None:
        if live.time > 0.15:
            raise OssatureError("body 'ball' diverged")
        advance(live, duration, record=record)

    monkeypatch.setattr(LiveSimulation, "advance", diverge_later)
    page.session.runner.record = True
    page.session.runner.run()
    wait_for(lambda: "diverged" in status_of(page))
    assert page.session.player.duration > 0.1
    assert page.simulation.timeline.is_enabled
    assert "frames" in str(page.simulation.timeline._length.content)
    page.simulation.update_status(force=True)  # as the end of a drag does
    assert "diverged" in status_of(page)
    page.simulation.restart()
    assert "diverged" not in status_of(page)


def test_a_model_that_falls_without_leaving_the_picture_says_so(page: ViewerApp) -> None:
    page.session.runner.run()
    wait_for(lambda: page.session.runner.simulations and page.session.runner.simulations[0].time > 0.2)
    assert "has fallen" not in status_of(page)  # 0.2 m, which is less than the size of the ball
    wait_for(lambda: "The model has fallen" in status_of(page))
    page.simulation.toggle()
    assert "has fallen" not in status_of(page)


def test_the_button_runs_again_after_a_simulation_that_failed_at_once(page: ViewerApp) -> None:
    def refuse(*arguments: object) -> None:
        raise OssatureError("no moving body has inertia")

    page.session.runner._prepare = refuse  # type: ignore[assignment]
    for _ in range(20):  # of two threads, which both update the button
        page.simulation._toggle_running()
        wait_for(lambda: not page.session.runner.is_running)
        wait_for(lambda: (page.simulation._run.label, page.simulation._run.icon) == ("Run", viser.Icon.PLAYER_PLAY), 5.0)
