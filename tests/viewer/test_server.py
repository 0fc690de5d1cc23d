"""The page's server: who may connect, and what it says about those who do not stay."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator

import pytest

pytest.importorskip("viser")

import viser
import websockets.asyncio.server
from websockets.exceptions import InvalidMessage, InvalidStatus
from websockets.sync.client import connect

from ossature.viewer.server import LOOPBACK, ServerError, address_of, serve
from ossature.viewer.visitors import asked_for_something


@pytest.fixture(scope="module")
def server() -> Iterator[viser.ViserServer]:
    server = serve(LOOPBACK, 0, "test", fine=False)
    yield server
    server.stop()


def first_message(port: int, origin: str | None) -> str | bytes:
    protocol = f"viser-v{viser.__version__}"
    with connect(f"ws://{LOOPBACK}:{port}", origin=origin, subprotocols=[protocol], compression=None) as connection:
        return connection.recv(timeout=10.0)


@pytest.mark.parametrize("origin", [None, "http://127.0.0.1:{port}", "http://localhost:{port}"])
def test_its_own_page_and_programs_may_connect(server: viser.ViserServer, origin: str | None) -> None:
    port = server.get_port()
    assert first_message(port, origin and origin.format(port=port))


@pytest.mark.parametrize(
    "origin",
    [
        *("http://example.org", "https://example.org:443", "http://localhost.example.org", "http://127.0.0.1.example.org:80"),
        *("http://example.org/localhost", "http://192.168.0.7:{port}", "null", ""),
    ],
)
def test_a_page_of_another_site_may_not(server: viser.ViserServer, origin: str) -> None:
    port = server.get_port()
    with pytest.raises(InvalidStatus) as refused:
        first_message(port, origin.format(port=port))
    assert refused.value.response.status_code == 403


def test_shown_to_the_network_it_is_found_by_number_or_by_its_own_name_only() -> None:
    server = serve("0.0.0.0", 0, "test", fine=False)  # noqa: S104  # what a user may ask for
    try:
        port = server.get_port()
        for origin in (f"http://{socket.gethostname()}:{port}", f"http://192.168.0.7:{port}", f"http://[fe80::1]:{port}"):
            assert first_message(port, origin)
        for origin in (f"http://example.org:{port}", f"http://1.example.org:{port}"):
            with pytest.raises(InvalidStatus):
                first_message(port, origin)
        assert address_of(server) == f"http://localhost:{port}"
    finally:
        server.stop()


def test_other_servers_of_the_process_are_left_as_they_were() -> None:
    before = websockets.asyncio.server.serve
    serve(LOOPBACK, 0, "test", fine=False).stop()
    assert websockets.asyncio.server.serve is before
    with pytest.raises(ServerError):
        serve("192.0.2.1", 0, "test", fine=False)  # an address that is nobody's
    assert websockets.asyncio.server.serve is before


def test_nothing_is_said_of_connections_that_are_dropped(server: viser.ViserServer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        for beginning in (b"", b"GET / HT"):
            with socket.create_connection((LOOPBACK, server.get_port())) as connection:
                connection.sendall(beginning)
        assert first_message(server.get_port(), None)  # so that the two were seen to
        time.sleep(0.2)
    assert caplog.records == []


@pytest.mark.parametrize("error", [ValueError("something else"), InvalidMessage("did not receive a valid HTTP request")])
def test_other_troubles_of_connections_are_told(error: Exception) -> None:
    assert asked_for_something(
        logging.makeLogRecord({"msg": "opening handshake failed", "exc_info": (type(error), error, None)})
    )


def test_without_a_free_port_it_says_so() -> None:
    with socket.socket() as other:
        other.bind((LOOPBACK, 65535))
        other.listen(1)
        with pytest.raises(ServerError, match="in use"):
            serve(LOOPBACK, 65535, "test", fine=False)


def test_the_next_free_port_is_taken() -> None:
    with socket.socket() as other:
        other.bind((LOOPBACK, 0))
        other.listen(1)
        taken = other.getsockname()[1]
        server = serve(LOOPBACK, taken, "test", fine=False)
        assert server.get_port() > taken
        server.stop()


def test_an_address_of_colons_stands_in_brackets() -> None:
    class Server:
        def get_host(self) -> str:
            return "::1"

        def get_port(self) -> int:
            return 8080

    assert address_of(Server()) == "http://[::1]:8080"  # type: ignore[arg-type]  # all that is asked
