"""Pulling bodies with the mouse: forces, and a drag in Chromium."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest

from conftest import PROJECT

pytest.importorskip("viser")

import ossature
from ossature.assets import MeshStore
from ossature.simulation.exclusive_use import ConcurrentUseError
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.mouse_pull import FREQUENCY, LARGEST_ACCELERATION, MousePull

from . import browser
from .browser import eye_of, wait_for

EXAMPLES = PROJECT / "examples"
BALL = """<skel version="1.0"><world name="w"><physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>
<skeleton name="ball"><body name="ball"><transformation>0 0 0 0 0 0</transformation>
<inertia><mass>2</mass><moment_of_inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></moment_of_inertia></inertia>
<visualization_shape><geometry><sphere><radius>0.2</radius></sphere></geometry></visualization_shape></body>
<joint type="free" name="free"><parent>world</parent><child>ball</child></joint></skeleton></world></skel>"""


@pytest.fixture
def ball(tmp_path: Path) -> Path:
    path = tmp_path / "ball.skel"
    path.write_text(BALL)
    return path


def test_pulled_body_comes_to_rest_where_its_weight_balances_the_spring(ball: Path) -> None:
    world = ossature.load(ball)
    live = LiveSimulation(world, MeshStore.of(world), {})
    live.pull(MousePull(model="ball", body="ball", point=(0.0, 0.0, 0.0), target=(0.3, 0.2, 0.5)))
    for _ in range(150):
        live.advance(1.0 / 30.0)
    position = live.frame().poses["ball"]["ball"].position
    sag = 9.81 / (math.tau * FREQUENCY) ** 2
    assert position == pytest.approx((0.3, 0.2, 0.5 - sag), abs=1e-3)


def test_released_body_falls_freely(ball: Path) -> None:
    world = ossature.load(ball)
    live, alone = (LiveSimulation(world, MeshStore.of(world), {}) for _ in range(2))
    live.pull(MousePull(model="ball", body="ball", point=(0.1, 0.0, 0.0), target=(1.0, 1.0, 1.0)))
    live.pull(None)
    for simulation in (live, alone):
        simulation.advance(0.2)
    assert live.frame() == alone.frame()


def test_recording_continues_while_a_body_is_pulled() -> None:
    world = ossature.load(EXAMPLES / "arm.skel")
    live = LiveSimulation(world, MeshStore.of(world), {})
    live.advance(0.05, record=True)
    body = world.models["arm"].bodies[-1].name
    live.pull(MousePull(model="arm", body=body, point=(0.0, 0.0, 0.0), target=(0.5, 0.5, 0.5)))
    live.advance(0.05, record=True)
    times = live.recording().times
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(0.1)


def test_the_force_on_a_fast_body_is_bounded(ball: Path) -> None:
    world = ossature.load(ball)
    live = LiveSimulation(world, MeshStore.of(world), {})
    live.advance(5.0)
    live.pull(MousePull(model="ball", body="ball", point=(0.0, 0.0, 0.0), target=(0.0, 0.0, 0.0)))
    before = live._simulation.body_states()["ball"]["ball"].linear_velocity
    live.advance(0.01)
    after = live._simulation.body_states()["ball"]["ball"].linear_velocity
    assert (after[2] - before[2]) / 0.01 == pytest.approx(LARGEST_ACCELERATION - 9.81, rel=1e-6)


def height(live: LiveSimulation) -> float:
    """Return the height of the ball, or minus infinity while the page takes steps."""
    try:
        return live.frame().poses["ball"]["ball"].position[2]
    except ConcurrentUseError:
        return -math.inf


@pytest.mark.slow
def test_dragging_a_body_with_control_pulls_it_while_it_simulates(show, ball: Path) -> None:
    page, tab = show(ball)
    view = page.views[0]
    box = tab.locator("canvas").first.bounding_box()
    assert box is not None
    time.sleep(1.0)
    x, y = browser.pixel_of((0.0, 0.0, 0.0), view.framing, eye_of(page), box)
    start = (x + 60.0, y + 70.0)  # on the ball, beside the notification about the graphics card

    tab.mouse.move(*start)
    tab.keyboard.down("Control")
    tab.mouse.down()
    for share in range(1, 6):
        tab.mouse.move(start[0], start[1] - 16 * share)
        time.sleep(0.1)
    wait_for(lambda: page.session.runner.is_running and page.session.runner.simulations)
    live = page.session.runner.simulations[0]
    wait_for(lambda: live.time > 1.0)
    # The camera follows the ball: the pointer is above it in the scene, so that the ball rises instead of falling.
    wait_for(lambda: height(live) > -2.0 and live._pull is not None)
    tab.mouse.up()
    tab.keyboard.up("Control")
    wait_for(lambda: live._pull is None)
    page.session.runner.pause()
