"""A page that no browser shows: what runs waits, costs nothing, and continues when the page is opened again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import PROJECT

pytest.importorskip("viser")

from ossature.assets import MeshStore
from ossature.viewer.app import ViewerApp
from ossature.viewer.live_simulation import LiveSimulation
from ossature.viewer.loaded_file import open_file
from ossature.viewer.playback_recording import playback_of
from ossature.viewer.server import LOOPBACK, serve

from .browser import visit, wait_for

ARM = PROJECT / "examples" / "palletizer.urdf"
_LONGEST_FRAME = 1.0
"""Time of a frame that is being computed when the page is closed, on a busy machine [s]."""
_ATTEMPTS = 10


class Clients:
    """Clients that connect to a page and leave it, without a browser."""

    def __init__(self, page: ViewerApp, monkeypatch: pytest.MonkeyPatch) -> None:
        self._page = page
        self._connected: dict[int, Any] = {}
        self.notified: list[str] = []
        monkeypatch.setattr(page.server, "get_clients", lambda: dict(self._connected))
        monkeypatch.setattr(page, "notify", lambda title, text, color="red": self.notified.append(text))
        monkeypatch.setattr(page.cameras, "add_client", lambda client: None)

    def connect(self, number: int) -> None:
        self._connected[number] = SimpleNamespace(client_id=number)
        self._page._welcome(self._connected[number])

    def leave(self, number: int) -> None:
        self._page._remove_client(self._connected.pop(number))


@pytest.fixture
def page() -> Iterator[ViewerApp]:
    page = ViewerApp(serve(LOOPBACK, 0, "test", shadows=False), [open_file(ARM, lambda found: MeshStore())], shadows=False)
    yield page
    page.close()


def is_still(value: Callable[[], float]) -> bool:
    """Whether a value stays as it is after the frame that is being computed."""
    for _ in range(_ATTEMPTS):
        before = value()
        time.sleep(_LONGEST_FRAME)
        if value() == before:
            return True
    return False


def is_idle() -> bool:
    """Whether this process needs hardly any CPU time, once other tests have closed their pages."""
    for _ in range(_ATTEMPTS):
        before = time.process_time()
        time.sleep(1.0)
        if time.process_time() - before < 0.05:
            return True
    return False


def test_a_simulation_waits_while_no_client_is_connected(page: ViewerApp, monkeypatch: pytest.MonkeyPatch) -> None:
    runner, clients = page.session.runner, Clients(page, monkeypatch)

    def simulated() -> float:
        return runner.simulations[0].time if runner.simulations else 0.0

    clients.connect(0)
    clients.connect(1)
    runner.run()
    wait_for(lambda: simulated() > 0.2)
    clients.leave(0)
    between = simulated()
    wait_for(lambda: simulated() > between + 0.2)  # another one still sees it
    clients.leave(1)
    assert is_still(simulated)
    assert runner.is_running
    assert is_idle()
    paused_at = simulated()
    assert clients.notified == []
    clients.connect(2)
    wait_for(lambda: simulated() > paused_at + 0.2)
    assert clients.notified == [f"The simulation was paused at {paused_at:.3f} s while the page was closed, and continues."]
    clients.connect(3)
    assert len(clients.notified) == 1
    runner.pause()
    clients.leave(2)
    clients.leave(3)
    clients.connect(4)
    assert len(clients.notified) == 1, "nothing was running"


def test_a_recording_waits_while_no_client_is_connected(page: ViewerApp, monkeypatch: pytest.MonkeyPatch) -> None:
    player, clients = page.session.player, Clients(page, monkeypatch)
    live = LiveSimulation(page.views[0].world, MeshStore(), {})
    live.advance(0.5, record=True)
    page.load_clips([playback_of(live.recording())])
    player.loop = True
    clients.connect(0)
    player.run()
    wait_for(lambda: player.time > 0.0)
    clients.leave(0)
    assert is_still(lambda: player.time)
    clients.connect(1)
    before = player.time
    wait_for(lambda: player.time != before)
    assert len(clients.notified) == 1
    assert clients.notified[0].startswith("The recording was paused at ")


def test_a_page_is_closed_and_opened_again_in_a_browser(show: Any) -> None:
    page, tab = show(ARM)
    tab.get_by_role("tab", name="Simulate", exact=True).click()
    tab.get_by_role("button", name="Run", exact=True).click()
    runner = page.session.runner
    wait_for(lambda: runner.simulations and runner.simulations[0].time > 0.2)
    tab.goto("about:blank")
    wait_for(lambda: not page.server.get_clients())
    assert is_still(lambda: runner.simulations[0].time)
    paused_at = runner.simulations[0].time
    visit(tab, page.url)
    tab.get_by_text(f"paused at {paused_at:.3f} s").wait_for()
    wait_for(lambda: runner.simulations[0].time > paused_at + 0.2)
    tab.get_by_role("tab", name="Simulate", exact=True).click()
    tab.get_by_role("button", name="Pause", exact=True).wait_for()
