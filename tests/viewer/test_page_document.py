"""The document of the page: its first title, and viser's settings, which are hidden until they are opened."""

from __future__ import annotations

import gzip
import http.client
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

pytest.importorskip("viser")

import viser
from websockets.sync.client import ClientConnection, connect

import ossature.viewer.app
from conftest import PROJECT
from ossature.viewer.app import ViewerApp
from ossature.viewer.server import LOOPBACK, LocalServer, address_of, serve, show_text

from .browser import act_until, opened_file, visit

_SILENCE = 1.0
"""Time without a message after which none is expected, also on a busy machine [s]."""


@pytest.fixture
def server() -> Iterator[LocalServer]:
    server = serve(LOOPBACK, 0, "a<b.skel", shadows=False)
    yield server
    server.stop()


def document(server: LocalServer, encoding: str) -> str:
    connection = http.client.HTTPConnection(LOOPBACK, server.get_port(), timeout=60.0)
    connection.request("GET", f"/{server.access.token}/", headers={"Accept-Encoding": encoding})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    assert int(response.headers["Content-Length"]) == len(body)
    return (gzip.decompress(body) if response.headers["Content-Encoding"] == "gzip" else body).decode()


def test_the_document_has_the_title_and_the_style_in_each_encoding(server: LocalServer) -> None:
    html = document(server, "identity")
    head, _, _ = html.partition("</head>")
    assert "<title>a&lt;b.skel - Ossature</title>" in head
    assert "display: none;" in head
    assert document(server, "gzip") == html


@pytest.mark.slow
def test_the_address_of_the_server_is_hidden_until_the_settings_are_opened(server: LocalServer, context: Any) -> None:
    tab = context.new_page()
    visit(tab, address_of(server))
    assert tab.title() == "a<b.skel - Ossature"
    tab.get_by_text("a<b.skel", exact=True).first.wait_for()
    field = tab.locator('input[value^="ws:"]')
    field.wait_for(state="attached")
    assert not field.is_visible()
    show_text(server, "Reading a<b.skel …")
    tab.get_by_text("Reading").first.wait_for()
    act_until(tab.locator("button:has(.tabler-icon-adjustments)").click, field.is_visible)
    tab.get_by_role("button", name="Save Canvas").wait_for()
    tab.locator("button:has(.tabler-icon-arrow-back)").click()
    field.wait_for(state="hidden")
    tab.close()


def receive_all(connection: ClientConnection) -> None:
    """Receive messages until none comes."""
    with suppress(TimeoutError):
        while True:
            connection.recv(timeout=_SILENCE)


def test_panels_are_sent_when_all_are_built(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """No browser shows an empty panel while they are being built again."""
    arm = opened_file(PROJECT / "examples" / "arm.skel")
    page = ViewerApp(server, [arm], shadows=False)
    clear, build = ossature.viewer.app.clear_panel, ossature.viewer.app.FindingsPanel
    address = f"ws://{LOOPBACK}:{server.get_port()}/{server.access.token}"
    with connect(address, subprotocols=[f"viser-v{viser.__version__}"], compression=None, proxy=None) as connection:

        def receive_scene_and_clear(gui: viser.GuiApi) -> None:
            receive_all(connection)
            clear(gui)

        def receive_nothing_and_build(*parts: Any) -> Any:
            with pytest.raises(TimeoutError):
                connection.recv(timeout=_SILENCE)
            return build(*parts)

        receive_all(connection)
        monkeypatch.setattr(ossature.viewer.app, "clear_panel", receive_scene_and_clear)
        monkeypatch.setattr(ossature.viewer.app, "FindingsPanel", receive_nothing_and_build)
        page.reload(arm)
        connection.recv(timeout=60.0)
